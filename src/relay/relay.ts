/**
 * What stands between the networks of commands and the world (S30, S31): it answers their questions about names, takes
 * their connections, and dials, for each, an address that it has looked up and checked itself.
 */
import type { NetworkRefusal, NetworkUse } from "../base/command/network_use.ts";
import { refusedInstead, type Unallowed, type UnlistedHosts } from "../base/command/unlisted_hosts.ts";
import { attempt } from "../base/errors.ts";
import { addressText, bytesOfAddress } from "../system/network/address_bytes.ts";
import { isLoopbackHost } from "../system/network/public_address.ts";
import { reachedAddress } from "../system/network/address_class.ts";
import type { DialProblem } from "../system/network/dialled_address.ts";
import type { IpAddress } from "../system/network/ip_address.ts";
import type { HostAddress } from "../system/network/request_to_address.ts";
import { Connection, type ConnectionEnd, type Places } from "./connection.ts";
import { RelayMemory } from "./direction.ts";
import { DnsService } from "./dns_service.ts";
import { syntheticAddress, SyntheticAddresses } from "./dns/synthetic_addresses.ts";
import { EventLoop } from "./event_loop.ts";
import { judgeOf } from "./first_bytes.ts";
import { KeptLookups, type Lookup } from "./kept_lookups.ts";
import { Publication, type PublicationOptions } from "./publication.ts";
import { type Endpoint, Sockets } from "./sockets.ts";
import type { Termination, Terminator } from "./terminator.ts";

/** A command's end of something. */
export type CommandSide = Endpoint & { readonly protocol: "udp" | "tcp" };

/** What a list says of a host. */
export interface ListedHost {
  /** Any protocol may be spoken there. */
  readonly anyProtocol: boolean;
}

/** What the commands of a network may reach. */
export interface Reachable {
  /** Whether a name is listed on some port; in small letters. */
  readonly isListed: (name: string) => boolean;
  /** Whether the list has this very name, on some port. */
  readonly isNamed: (name: string) => boolean;
  /** Undefined: it is not listed on this port. */
  readonly find: (host: string, port: number) => ListedHost | undefined;
  /** Why a host that is not listed is refused; without a port, a name that is listed on none. */
  readonly refusal: (host: string, port?: number) => NetworkRefusal;
  /**
   * What an address of a host is that may not be dialled; undefined: it may. A listed address is its own host. `own`:
   * addresses of this machine; absent: those of its interfaces.
   */
  readonly addressProblem: (host: string, address: string, own?: readonly IpAddress[]) => DialProblem | undefined;
}

/** The command that began something. */
export interface Attributed {
  /** Is told what came of it. */
  readonly tell: (use: NetworkUse) => void;
  /** What a person may allow it beyond the list; undefined: nothing, as where its socket is closed. Takes a search. */
  readonly unlisted: UnlistedHosts | undefined;
}

export interface NetworkOptions {
  readonly reachable: Reachable;
  readonly hasIpv6: boolean;
  /** Ends the TLS of some hosts; absent: of none. */
  readonly terminator?: Terminator | undefined;
  /** Asked as soon as a command begins something. */
  readonly attribute: (from: CommandSide) => Attributed;
}

/** Descriptors of sockets that were made in a network. */
export interface NetworkSockets {
  readonly dns: { readonly udp: number; readonly tcp: number };
  /** By port. */
  readonly listeners: ReadonlyMap<number, number>;
}

export interface RelayOptions {
  readonly lookup: Lookup;
  /** Hears why the relay has failed, after all its connections have ended. */
  readonly onFailure: (thrown: unknown) => void;
}

/** Connections at once of one network, each with two descriptors of the server. */
const MOST_CONNECTIONS = 1200;
/** In one turn: whose each is may take a search. */
const MOST_ACCEPTED = 8;
/** Addresses of one host that are tried. */
const MOST_PLACES = 4;

/** Disposal ends every connection. */
export class Relay implements AsyncDisposable {
  readonly #options: RelayOptions;
  readonly #sockets = new Sockets();
  readonly #loop = new EventLoop((thrown) => this.#fail(thrown));
  readonly #memory = new RelayMemory();
  readonly #lookups: KeptLookups;
  readonly #networks = new Set<RelayedNetwork | Publication>();

  constructor(options: RelayOptions) {
    this.#options = options;
    this.#lookups = new KeptLookups(options.lookup);
  }

  /** Serves a network; its sockets are the relay's from now on. @throws {Error} When the system refuses to wait for them. */
  serve(sockets: NetworkSockets, options: NetworkOptions): RelayedNetwork {
    const network = new RelayedNetwork(sockets, options, this.#parts);
    this.#networks.add(network);
    return network;
  }

  /** Leads ports of this machine into a network. @throws {UserError} When a port is taken, or may not be listened at. */
  publish(options: PublicationOptions): Publication {
    const publication = new Publication(options, this.#parts);
    this.#networks.add(publication);
    return publication;
  }

  get #parts(): RelayParts {
    const fail = (thrown: unknown) => this.#fail(thrown);
    return { sockets: this.#sockets, loop: this.#loop, memory: this.#memory, lookups: this.#lookups, fail };
  }

  /** Nothing opens: without the relay a network leads nowhere. */
  #fail(thrown: unknown): void {
    for (const network of this.#networks) network.close();
    this.#options.onFailure(thrown);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const network of this.#networks) network.close();
    await this.#loop.close();
    this.#sockets[Symbol.dispose]();
  }
}

interface RelayParts {
  readonly sockets: Sockets;
  readonly loop: EventLoop;
  readonly memory: RelayMemory;
  readonly lookups: KeptLookups;
  /** Ends all of the relay's networks. */
  readonly fail: (thrown: unknown) => void;
}

/** What one network's commands can reach. */
export class RelayedNetwork {
  readonly #options: NetworkOptions;
  readonly #parts: RelayParts;
  readonly #addresses = new SyntheticAddresses();
  readonly #dns: DnsService;
  readonly #listeners: readonly number[];
  readonly #connections = new Set<Connection>();
  #isClosed = false;

  constructor({ dns, listeners }: NetworkSockets, options: NetworkOptions, parts: RelayParts) {
    this.#options = options;
    this.#parts = parts;
    this.#listeners = [...listeners.values()];
    const { sockets, loop, fail } = parts;
    for (const one of [dns.udp, dns.tcp, ...this.#listeners]) sockets.adopt(one);
    const { reachable: { isListed, isNamed, refusal }, hasIpv6, attribute } = options;
    this.#dns = new DnsService({
      sockets,
      loop,
      names: { isListed, isNamed, hasIpv6, addresses: this.#addresses },
      mayConnect: (name, from) => attribute(from).unlisted?.mayConnect(name) === true,
      check: (name) => this.#refusalOfName(name),
      onRefused: (name, from, reason) => {
        const { tell, unlisted } = attribute(from);
        const refused = reason ?? refusedInstead(refusal(name), unlisted?.refuse(name) ?? {});
        tell({ name, bytesOut: 0, bytesIn: 0, refused });
      },
      onFailure: fail,
    }, dns);
    for (const [port, listener] of listeners) loop.add(listener, () => this.#accept(listener, port));
  }

  /** Whether a connection to a host and port would be passed on at all. */
  passesOn(host: string, port: number): boolean {
    return this.#options.reachable.find(host, port) !== undefined;
  }

  /** Whether an address would be dialled for a name, if that were listed. */
  dials(name: string, address: string): boolean {
    return this.#refusalOf(name, address) === undefined;
  }

  /** Ends its connections, and takes no more. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const { sockets, loop } = this.#parts;
    this.#dns.close();
    for (const listener of this.#listeners) {
      loop.remove(listener);
      sockets.close(listener);
    }
    for (const connection of this.#connections) connection.end();
  }

  #accept(listener: number, port: number): void {
    const { sockets, loop } = this.#parts;
    for (let count = 0; count < MOST_ACCEPTED; count++) {
      const accepted = this.#isClosed ? undefined : sockets.accept(listener);
      if (accepted === undefined) return;
      this.#relay(accepted.socket, port, this.#options.attribute({ ...accepted.from, protocol: "tcp" }));
    }
    if (!this.#isClosed) loop.again(() => this.#accept(listener, port));
  }

  #relay(client: number, port: number, attributed: Attributed): void {
    const { tell } = attributed;
    const { sockets, loop, memory, lookups } = this.#parts;
    const { address } = sockets.ownEnd(client);
    const synthetic = syntheticAddress(address);
    const name = synthetic === undefined ? addressText(address) : this.#addresses.nameOf(synthetic);
    const host = name ?? addressText(address);
    const listed = name === undefined ? undefined : this.#options.reachable.find(name, port);
    const refuse = (refused: NetworkRefusal) => {
      sockets.reset(client);
      tell({ name: host, port, bytesOut: 0, bytesIn: 0, refused });
    };
    if (name === undefined) return refuse({ reason: "stands for no name" });
    const isLoopback = isLoopbackHost(name);
    const asked = listed === undefined && !isLoopback && synthetic !== undefined ? attributed.unlisted : undefined;
    const found = listed ?? (asked && ASKED_HOST);
    if (found === undefined) {
      return refuse(isLoopback ? LOOPBACK : this.#options.reachable.refusal(host, port));
    }
    if (this.#connections.size >= MOST_CONNECTIONS) {
      return refuse({ reason: `would be one of more than ${MOST_CONNECTIONS} connections at once` });
    }
    const isName = synthetic !== undefined;
    const over = new AbortController();
    const terminator = isName && this.#options.terminator?.endsTls(host, port) ? this.#options.terminator : undefined;
    const ended: Ended = { places: [], termination: undefined };
    const judge = terminator !== undefined ? judgeOf(host, HTTPS) : isName && !found.anyProtocol && judgeOf(host, port);
    const connection = attempt(Error, () =>
      new Connection({
        sockets,
        loop,
        memory,
        client,
        places: !isName
          ? this.#placeAt(address, port)
          : asked !== undefined
          ? this.#askedPlaces(host, port, asked.decide(host, port, over.signal))
          : this.#placesOf(host, port, (places) => throughTerminator(places, { terminator, host, port, ended })),
        // What ends TLS stands on this machine.
        ...terminator === undefined && {
          ownProblem: ({ address: own }) => {
            const text = addressText(own);
            const reached = reachedAddress(text);
            return this.#refusalOf(host, text, reached === undefined ? [] : [reached]);
          },
        },
        ...judge !== false && { judge },
        onEnd: (end) => {
          if (connection !== undefined) this.#connections.delete(connection);
          over.abort();
          if (end.address === undefined) lookups.forget(host);
          tell(useOf(host, port, end, ended));
        },
      }));
    if (connection === undefined) {
      return refuse({ reason: "cannot be served: the system waits for no further connection" });
    }
    this.#connections.add(connection);
    connection.begin();
  }

  /** Those of a host that is not listed, once a person has allowed it. */
  async #askedPlaces(host: string, port: number, decided: Promise<Unallowed | undefined>): Promise<Places> {
    const unallowed = await decided;
    if (unallowed === undefined) return await this.#placesOf(host, port, (places) => places);
    return { refused: refusedInstead(this.#options.reachable.refusal(host, port), unallowed) };
  }

  /** An address that a person listed. */
  #placeAt(address: Uint8Array, port: number): Places {
    const text = addressText(address);
    const refused = this.#refusalOf(text, text);
    return refused === undefined ? [{ address, port }] : { refused };
  }

  #refusalOf(host: string, address: string, own?: readonly IpAddress[]): NetworkRefusal | undefined {
    const problem = this.#options.reachable.addressProblem(host, address, own);
    if (problem === undefined) return undefined;
    if (host === address) return { reason: `is ${problem.what}` };
    return {
      reason: `leads to ${problem.what}`,
      ...problem.canBeAllowed && { flag: `--allow-private-hosts ${host}` },
    };
  }

  /** Why no connection to a name could be made, as far as its addresses say; undefined: one may be. */
  #refusalOfName(name: string): NetworkRefusal | undefined | Promise<NetworkRefusal | undefined> {
    const why = (places: Places) => "refused" in places ? places.refused : undefined;
    const places = this.#placesOf(name, ANY_PORT, (found) => found);
    return places instanceof Promise ? places.then(why) : why(places);
  }

  /** `lead` says where connections to these places are led. */
  #placesOf(host: string, port: number, lead: (places: Places) => Places): Places | Promise<Places> {
    const found = this.#parts.lookups.of(host);
    if (!(found instanceof Promise)) return lead(this.#allowed(found, host, port));
    return found.then((addresses) => lead(this.#allowed(addresses, host, port)), withoutAddress);
  }

  /** Those of the addresses of a host to which a connection may go. */
  #allowed(addresses: readonly HostAddress[], host: string, port: number): Places {
    let problem: NetworkRefusal | undefined;
    const places = addresses.flatMap(({ address }) => {
      const why = this.#refusalOf(host, address);
      problem ??= why;
      const bytes = bytesOfAddress(address);
      return why === undefined && bytes !== undefined ? [{ address: bytes, port }] : [];
    });
    return places.length > 0 ? places.slice(0, MOST_PLACES) : problem === undefined ? NO_ADDRESS : { refused: problem };
  }
}

const HTTPS = 443;
/** One that a person may allow: on its port only what names it. */
const ASKED_HOST: ListedHost = { anyProtocol: false };
const LOOPBACK = { reason: "is the loopback of commands, where nothing of the machine listens" };
const NO_ADDRESS = { refused: { reason: "has no address" } } as const;
/** Where only addresses matter. */
const ANY_PORT = 0;

/** What a failed look-up says. */
function withoutAddress(thrown: unknown): Places {
  const isUnanswered = thrown instanceof Error && "code" in thrown && thrown.code === "EAI_AGAIN";
  return isUnanswered ? { refused: { reason: "cannot be looked up: the resolver of this machine fails" } } : NO_ADDRESS;
}

/** A connection whose TLS ends here, once its host was looked up. */
interface Ended {
  places: readonly Endpoint[];
  termination: Termination | undefined;
}

/** The places, or the one where the TLS of the connection ends. */
function throughTerminator(
  places: Places,
  { terminator, host, port, ended }: {
    readonly terminator: Terminator | undefined;
    readonly host: string;
    readonly port: number;
    readonly ended: Ended;
  },
): Places {
  if (terminator === undefined || "refused" in places) return places;
  const termination = terminator.terminate({ host, port, places });
  Object.assign(ended, { places, termination });
  return [{ ...termination.place, endsWithClient: true, onDialled: (from) => termination.dialled(from) }];
}

function useOf(name: string, port: number, end: ConnectionEnd, { places, termination }: Ended): NetworkUse {
  const { bytesIn, bytesOut } = end;
  const { secrets, refused: why } = termination?.end() ?? { secrets: [], refused: undefined };
  const [address] = termination === undefined || end.address === undefined ? [end.address] : places;
  const refused = end.refused ?? (why === undefined ? undefined : { reason: why });
  return {
    name,
    port,
    bytesIn,
    bytesOut,
    ...address !== undefined && { address: addressText(address.address) },
    ...secrets.length > 0 && { secrets },
    ...refused !== undefined && { refused },
  };
}
