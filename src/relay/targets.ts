/** The targets of connections of a network's commands: decided once for each address and port, then kept. */
import { lazy } from "../base/lazy.ts";
import type { NetworkRefusal } from "../base/command/network_use.ts";
import { reachedAddress } from "../system/network/address_class.ts";
import { addressText, bytesOfAddress, type IpAddress } from "../system/network/ip_address.ts";
import { isLoopbackHost } from "../system/network/public_address.ts";
import type { HostAddress } from "../system/network/request_to_address.ts";
import type { Judge, Place, Places } from "./connection.ts";
import { syntheticAddress, type SyntheticAddresses } from "./dns/synthetic_addresses.ts";
import { judgeOf } from "./first_bytes.ts";
import type { KeptLookups } from "./kept_lookups.ts";
import type { Reachable } from "./reachable.ts";
import type { Terminator } from "./terminator.ts";

/** A host and a port. */
export interface Target {
  readonly host: string;
  readonly port: number;
  /** Why no list opens it; undefined: it is listed. */
  readonly refused: NetworkRefusal | undefined;
  /** A person may allow it although it is not listed; it is then treated like a listed name. */
  readonly mayBeAsked: boolean;
  /** Of a listed address; undefined: addresses of a name are looked up. */
  readonly address: Uint8Array | undefined;
  /** Judges the first bytes; undefined: all may pass. */
  readonly judge: Judge | undefined;
  /** Ends its TLS; undefined: its host does. */
  readonly terminator: Terminator | undefined;
  /** What was checked last; undefined: nothing was. */
  checked: Checked | undefined;
}

/** Places that may be dialled, as long as a host has these addresses, and this machine those. */
interface Checked {
  readonly addresses: readonly HostAddress[];
  readonly own: readonly IpAddress[];
  readonly places: Places;
}

export interface TargetOptions {
  readonly reachable: Reachable;
  readonly terminator?: Terminator | undefined;
}

/** Most listed names with ports that are kept; beyond it all are decided again. */
const MOST_TARGETS = 256;
/** Addresses of one host that are tried. */
const MOST_PLACES = 4;

export class Targets {
  readonly #options: TargetOptions;
  readonly #names: SyntheticAddresses;
  readonly #lookups: KeptLookups;
  /** By synthetic address and port. */
  readonly #targets = new Map<number, Target>();

  constructor(options: TargetOptions, names: SyntheticAddresses, lookups: KeptLookups) {
    this.#options = options;
    this.#names = names;
    this.#lookups = lookups;
  }

  /** The target of a command that connects to an address in its network. */
  of(address: Uint8Array, port: number): Target {
    const synthetic = syntheticAddress(address);
    if (synthetic === undefined) return this.#decide(addressText(address), port, { address });
    const key = synthetic * PORTS + port;
    const known = this.#targets.get(key);
    if (known !== undefined) return known;
    const name = this.#names.nameOf(synthetic);
    if (name === undefined) return this.#decide(addressText(address), port, { address, refused: NO_NAME });
    const target = this.#decide(name, port);
    return target.refused === undefined ? this.#keep(key, target) : target;
  }

  /** Why no connection to a name could be made, as far as its addresses say; undefined: one may be. */
  refusalOfName(name: string): NetworkRefusal | undefined | Promise<NetworkRefusal | undefined> {
    const places = this.placesOf(this.#anyPortOf(name), (found) => found);
    const why = (found: Places) => "refused" in found ? found.refused : undefined;
    return places instanceof Promise ? places.then(why) : why(places);
  }

  /** Whether an address would be dialled for a name, if that were listed. */
  dials(name: string, address: string): boolean {
    return this.#refusalOf(name, address, this.#options.reachable.own()) === undefined;
  }

  /** Where a connection may go now; `lead` redirects one to these places. */
  placesOf(target: Target, lead: (places: Places) => Places): Places | Promise<Places> {
    const { host, port, address } = target;
    if (address !== undefined) {
      const refused = this.#refusalOf(host, host, this.#options.reachable.own());
      return refused === undefined ? [this.#place(host, address, port)] : { refused };
    }
    const found = this.#lookups.of(host);
    if (!(found instanceof Promise)) return lead(this.#check(target, found));
    return found.then((addresses) => lead(this.#check(target, addresses)), withoutAddress);
  }

  #anyPortOf(name: string): Target {
    const synthetic = this.#names.addressOf(name);
    if (synthetic === undefined) return this.#decide(name, ANY_PORT);
    const key = synthetic * PORTS + ANY_PORT;
    return this.#targets.get(key) ?? this.#keep(key, this.#decide(name, ANY_PORT));
  }

  #keep(key: number, target: Target): Target {
    if (this.#targets.size >= MOST_TARGETS) this.#targets.clear();
    this.#targets.set(key, target);
    return target;
  }

  #decide(host: string, port: number, { address, refused }: Pick<Partial<Target>, "address" | "refused"> = {}): Target {
    const { reachable, terminator } = this.#options;
    const found = refused === undefined ? reachable.find(host, port) : undefined;
    const isLoopback = found === undefined && isLoopbackHost(host);
    const isEnded = address === undefined && terminator?.endsTls(host, port) === true;
    const isJudged = address === undefined && found?.anyProtocol !== true;
    return {
      host,
      port,
      refused: found === undefined ? refused ?? (isLoopback ? LOOPBACK : reachable.refusal(host, port)) : undefined,
      mayBeAsked: found === undefined && address === undefined && !isLoopback,
      address,
      judge: isEnded || isJudged ? judgeOf(host, port, { isEnded }) : undefined,
      terminator: isEnded ? terminator : undefined,
      checked: undefined,
    };
  }

  /** The addresses of a host to which a connection may go; the same object while nothing has changed. */
  #check(target: Target, addresses: readonly HostAddress[]): Places {
    const own = this.#options.reachable.own();
    if (target.checked?.addresses !== addresses || target.checked.own !== own) {
      target.checked = { addresses, own, places: this.#allowed(target, addresses, own) };
    }
    return target.checked.places;
  }

  #allowed({ host, port }: Target, addresses: readonly HostAddress[], own: readonly IpAddress[]): Places {
    let problem: NetworkRefusal | undefined;
    const places = addresses.flatMap(({ address: text }) => {
      const why = this.#refusalOf(host, text, own);
      problem ??= why;
      const address = bytesOfAddress(text);
      return why === undefined && address !== undefined ? [this.#place(host, address, port)] : [];
    });
    return places.length > 0 ? places.slice(0, MOST_PLACES) : problem === undefined ? NO_ADDRESS : { refused: problem };
  }

  #place(host: string, address: Uint8Array, port: number): Place {
    const ownProblem = lazy(() => {
      const text = addressText(address);
      const reached = reachedAddress(text);
      return this.#refusalOf(host, text, reached === undefined ? [] : [reached]);
    });
    return { address, port, ownProblem };
  }

  #refusalOf(host: string, address: string, own: readonly IpAddress[]): NetworkRefusal | undefined {
    const problem = this.#options.reachable.addressProblem(host, address, own);
    if (problem === undefined) return undefined;
    if (host === address) return { reason: `is ${problem.what}` };
    return {
      reason: `leads to ${problem.what}`,
      ...problem.canBeAllowed && { flag: `--allow-private-hosts ${host}` },
    };
  }
}

const PORTS = 65_536;
const LOOPBACK = { reason: "is the loopback of commands, where nothing of the machine listens" };
const NO_NAME = { reason: "stands for no name" };
const NO_ADDRESS = { refused: { reason: "has no address" } } as const;
/** Where only addresses matter. */
const ANY_PORT = 0;

/** The reason of a failed look-up. */
function withoutAddress(thrown: unknown): Places {
  const isUnanswered = thrown instanceof Error && "code" in thrown && thrown.code === "EAI_AGAIN";
  return isUnanswered ? { refused: { reason: "cannot be looked up: the resolver of this machine fails" } } : NO_ADDRESS;
}
