/**
 * Stands between the networks of commands and the world (S30, S31). It answers their questions about names, accepts
 * their connections, and for each dials an address that it has looked up and checked itself.
 */
import type { NetworkRefusal, NetworkUse } from "../base/command/network_use.ts";
import { refusedInstead, type Unallowed, type UnlistedHosts } from "../base/command/unlisted_hosts.ts";
import { attempt } from "../base/errors.ts";
import { Connection, type ConnectionEnd, type Places } from "./connection.ts";
import { RelayMemory } from "./direction.ts";
import { DnsService } from "./dns_service.ts";
import { SyntheticAddresses } from "./dns/synthetic_addresses.ts";
import { EventLoop } from "./event_loop.ts";
import { KeptLookups, type Lookup } from "./kept_lookups.ts";
import { Publication, type PublicationOptions } from "./publication.ts";
import { type CommandSide, type Endpoint, Sockets } from "./sockets.ts";
import type { Reachable } from "./reachable.ts";
import { type Target, Targets } from "./targets.ts";
import type { Termination, Terminator } from "./terminator.ts";
import { addressText } from "../system/network/ip_address.ts";

/** The command that started a connection or question. */
export interface Attributed {
  /** Called with the outcome. */
  readonly tell: (use: NetworkUse) => void;
  /** What a person may allow it beyond the list; undefined: nothing, as when its socket is closed. Costs a search. */
  readonly unlisted: UnlistedHosts | undefined;
  /** Calls the listener when the command has ended, unless the result was called before. Absent: it outlives the network. */
  readonly onEnded?: (listener: () => void) => () => void;
}

export interface NetworkOptions {
  readonly reachable: Reachable;
  readonly hasIpv6: boolean;
  /** Ends the TLS of some hosts; absent: of none. */
  readonly terminator?: Terminator | undefined;
  /** Called as soon as a command starts a connection or question. */
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
  /** Called with the reason when the relay has failed, after all its connections have ended. */
  readonly onFailure: (thrown: unknown) => void;
}

/** How long a dialled place may take to answer, milliseconds. */
const DIAL_MS = 10_000;
/** Connections at once of one network, each with two descriptors of the server. */
const MOST_CONNECTIONS = 1200;

/** Disposal ends every connection. */
export class Relay implements AsyncDisposable {
  readonly #options: RelayOptions;
  readonly #sockets = new Sockets();
  readonly #loop = new EventLoop({ onFailure: (thrown) => this.#fail(thrown), patience: DIAL_MS });
  readonly #memory = new RelayMemory();
  readonly #lookups: KeptLookups;
  readonly #networks = new Set<RelayedNetwork | Publication>();

  constructor(options: RelayOptions) {
    this.#options = options;
    this.#lookups = new KeptLookups(options.lookup);
  }

  /** Serves a network; the relay now owns its sockets. @throws {Error} When the system refuses to wait for them. */
  serve(sockets: NetworkSockets, options: NetworkOptions): RelayedNetwork {
    const network = new RelayedNetwork(sockets, options, this.#parts);
    this.#networks.add(network);
    return network;
  }

  /** Leads ports of this machine into a network. @throws {UserError} When one is taken or forbidden. */
  publish(options: PublicationOptions): Publication {
    const publication = new Publication(options, this.#parts);
    this.#networks.add(publication);
    return publication;
  }

  get #parts(): RelayParts {
    const fail = (thrown: unknown) => this.#fail(thrown);
    return { sockets: this.#sockets, loop: this.#loop, memory: this.#memory, lookups: this.#lookups, fail };
  }

  /** This opens nothing: without the relay a network leads nowhere. */
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
  readonly #targets: Targets;
  readonly #dns: DnsService;
  readonly #listeners: readonly number[];
  readonly #connections = new Set<Connection>();
  #isClosed = false;

  constructor({ dns, listeners }: NetworkSockets, options: NetworkOptions, parts: RelayParts) {
    this.#options = options;
    this.#parts = parts;
    this.#targets = new Targets(options, this.#addresses, parts.lookups);
    this.#listeners = [...listeners.values()];
    const { sockets, loop, fail } = parts;
    for (const one of [dns.udp, dns.tcp, ...this.#listeners]) sockets.adopt(one);
    const { reachable: { isListed, isNamed, refusal }, hasIpv6, attribute } = options;
    this.#dns = new DnsService({
      sockets,
      loop,
      names: { isListed, isNamed, hasIpv6, addresses: this.#addresses },
      mayConnect: (name, from) => attribute(from).unlisted?.mayConnect(name) === true,
      check: (name) => this.#targets.refusalOfName(name),
      onRefused: (name, from, reason) => {
        const { tell, unlisted } = attribute(from);
        const refused = reason ?? refusedInstead(refusal(name), unlisted?.refuse(name) ?? {});
        tell({ name, bytesOut: 0, bytesIn: 0, refused });
      },
      onFailure: fail,
    }, dns);
    for (const [port, listener] of listeners) loop.addListener(listener, () => this.#accept(listener, port));
  }

  /** Whether a connection to a host and port would be passed on at all. */
  passesOn(host: string, port: number): boolean {
    return this.#options.reachable.find(host, port) !== undefined;
  }

  /** Whether an address would be dialled for a name, if that were listed. */
  dials(name: string, address: string): boolean {
    return this.#targets.dials(name, address);
  }

  /** Ends its connections, and accepts no more. */
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
    const accepted = this.#parts.sockets.accept(listener);
    if (accepted === undefined) return;
    this.#relay(accepted.socket, port, this.#options.attribute({ ...accepted.from, protocol: "tcp" }));
  }

  #relay(client: number, port: number, attributed: Attributed): void {
    const { sockets, loop, memory } = this.#parts;
    const target = this.#targets.of(sockets.ownEnd(client).address, port);
    const { host, refused, judge, terminator } = target;
    const refuse = (why: NetworkRefusal) => {
      sockets.reset(client);
      attributed.tell({ name: host, port, bytesOut: 0, bytesIn: 0, refused: why });
    };
    const unlisted = target.mayBeAsked ? attributed.unlisted : undefined;
    if (refused !== undefined && unlisted === undefined) return refuse(refused);
    if (this.#connections.size >= MOST_CONNECTIONS) {
      return refuse({ reason: `would be one of more than ${MOST_CONNECTIONS} connections at once` });
    }
    const over = unlisted && new AbortController();
    const ended: Ended = { places: [], termination: undefined };
    let forget = () => {};
    const connection = attempt(Error, () =>
      new Connection({
        sockets,
        loop,
        memory,
        client,
        judge,
        places: unlisted === undefined || over === undefined
          ? this.#targets.placesOf(target, (places) => throughTerminator(places, { terminator, host, port, ended }))
          : this.#askedPlaces(target, unlisted.decide(host, port, over.signal)),
        onEnd: (end) => {
          if (connection !== undefined) this.#connections.delete(connection);
          over?.abort();
          forget();
          if (end.address === undefined) this.#parts.lookups.forget(host);
          attributed.tell(useOf(host, port, end, ended));
        },
      }));
    if (connection === undefined) {
      return refuse({ reason: "cannot be served: the system waits for no further connection" });
    }
    this.#connections.add(connection);
    forget = attributed.onEnded?.(() => connection.endWithClient()) ?? forget;
    connection.begin();
  }

  /** Those of a host that is not listed, once a person has allowed it. */
  async #askedPlaces(target: Target, decided: Promise<Unallowed | undefined>): Promise<Places> {
    const unallowed = await decided;
    if (unallowed === undefined) return await this.#targets.placesOf(target, (places) => places);
    return { refused: refusedInstead(this.#options.reachable.refusal(target.host, target.port), unallowed) };
  }
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
  // It is on this machine, where the places may not be.
  Object.assign(ended, { places, termination });
  return [{ ...termination.place, endsWithClient: true, onDialled: (from) => termination.dialled(from) }];
}

function useOf(name: string, port: number, end: ConnectionEnd, { places, termination }: Ended): NetworkUse {
  const { bytesIn, bytesOut } = end;
  const { secrets, refused: ofRequest } = termination?.end() ?? { secrets: [], refused: undefined };
  const [address] = termination === undefined || end.address === undefined ? [end.address] : places;
  const refused = end.refused ?? ofRequest;
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
