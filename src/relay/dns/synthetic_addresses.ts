/**
 * The addresses that stand for names inside a sandbox: those of 198.18.0.0/15, which no network routes (RFC 2544), and
 * the same in the last 32 bits of 2001:2::/48 (RFC 5180). An address of IPv4 is a number here, that of IPv6 too.
 */

/** 198.18.0.0 */
const NETWORK = 0xc612_0000;
const BITS_OF_HOST = 17;
/** 198.18.0.10; earlier ones are reserved for the relay itself. */
const FIRST = NETWORK + 10;
/** More than programs connect to. With the longest names, a table takes about 3 MB, and a server has many tables. */
const MOST_NAMES = 8192;
const IPV6_PREFIX = Uint8Array.of(0x20, 0x01, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0);
const MAPPED_PREFIX = Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff);

/**
 * Names and their addresses, one for each as long as the table lives, because programs keep addresses (the JVM does). A
 * full table gives none to new names; a command fills it with listed names only. Each sandbox should have its own, so
 * that a scan shows a command no other's names.
 */
export class SyntheticAddresses {
  readonly #most: number;
  readonly #byName = new Map<string, number>();
  readonly #names: string[] = [];

  /** At most `most` names. */
  constructor(most = MOST_NAMES) {
    this.#most = most;
  }

  /** The address of a name, the same each time; undefined: the table is full. */
  addressOf(name: string): number | undefined {
    const known = this.#byName.get(name);
    if (known !== undefined || this.#names.length >= this.#most) return known;
    const address = FIRST + this.#names.length;
    this.#names.push(name);
    this.#byName.set(name, address);
    return address;
  }

  /** The name that an address stands for; undefined: it stands for none. */
  nameOf(address: number): string | undefined {
    return this.#names[address - FIRST];
  }
}

/** The 4 or 16 bytes of an address. */
export function addressBytes(address: number, version: 4 | 6): Uint8Array<ArrayBuffer> {
  const ipv4 = [address >>> 24, (address >>> 16) & 0xff, (address >>> 8) & 0xff, address & 0xff];
  return Uint8Array.from(version === 4 ? ipv4 : [...IPV6_PREFIX, ...ipv4]);
}

/** The number of a synthetic address of 4 or 16 bytes, also of IPv4 within IPv6; undefined: it is another network's. */
export function syntheticAddress(bytes: Uint8Array): number | undefined {
  if (bytes.length !== 4 && bytes.length !== 16) return undefined;
  const prefix = bytes.subarray(0, -4);
  const begins = (wanted: Uint8Array) => prefix.every((byte, at) => byte === wanted[at]);
  if (!begins(IPV6_PREFIX) && !begins(MAPPED_PREFIX)) return undefined;
  const value = bytes.subarray(-4).reduce((number, byte) => number * 256 + byte, 0);
  return value >>> BITS_OF_HOST === NETWORK >>> BITS_OF_HOST ? value : undefined;
}
