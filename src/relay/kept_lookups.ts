/** Keeps the addresses of a host for the next connections to it, as resolvers of systems do. */
import type { HostAddress } from "../system/network/request_to_address.ts";

/** All addresses of a host. Rejects where it has none. */
export type Lookup = (host: string) => Promise<readonly HostAddress[]>;

/** How long addresses are kept, milliseconds: clients open several connections at once, and more soon after. */
const KEPT_MS = 5_000;
/** Hosts kept at once. */
const MOST_HOSTS = 256;

interface Kept {
  /** A promise until they are known. */
  addresses: readonly HostAddress[] | ReturnType<Lookup>;
  readonly until: number;
}

/** Each use of an address is checked separately, so that keeping it opens nothing. Failures are not kept. */
export class KeptLookups {
  readonly #lookup: Lookup;
  readonly #now: () => number;
  readonly #kept = new Map<string, Kept>();

  constructor(lookup: Lookup, now: () => number = () => performance.now()) {
    this.#lookup = lookup;
    this.#now = now;
  }

  /** Looks a host up again after five seconds. Rejects if the host has no address. */
  of(host: string): Kept["addresses"] {
    const known = this.#kept.get(host);
    if (known !== undefined && this.#now() < known.until) return known.addresses;
    const addresses = this.#lookup(host);
    const kept: Kept = { addresses, until: this.#now() + KEPT_MS };
    this.#kept.delete(host);
    this.#kept.set(host, kept);
    const [oldest] = this.#kept.keys();
    if (oldest !== undefined && this.#kept.size > MOST_HOSTS) this.#kept.delete(oldest);
    addresses.then((found) => kept.addresses = found, () => this.forget(host, kept));
    return addresses;
  }

  /** Forgets a host, so that the next use looks it up again. */
  forget(host: string, kept = this.#kept.get(host)): void {
    if (this.#kept.get(host) === kept) this.#kept.delete(host);
  }
}
