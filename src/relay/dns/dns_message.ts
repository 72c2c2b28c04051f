/** What a DNS message holds, as far as this resolver uses it (RFC 1035; OPT: RFC 6891). Pure. */

/** Codes of answers. The upper bits of `BADVERS` go into the OPT record. */
export const CODES = {
  NOERROR: 0,
  FORMERR: 1,
  SERVFAIL: 2,
  NXDOMAIN: 3,
  NOTIMP: 4,
  REFUSED: 5,
  BADVERS: 16,
} as const;
export type DnsCode = keyof typeof CODES;

export const TYPES = { A: 1, AAAA: 28, OPT: 41 } as const;
/** The class of the internet; another one is refused. */
export const INTERNET = 1;
export const HEADER_SIZE = 12;
/** Set in answers. */
export const IS_RESPONSE = 0x8000;

export interface DnsQuery {
  readonly id: number;
  /** The flags that an answer repeats: what is asked for, recursion desired, checking disabled. */
  readonly repeated: number;
  /** Whether recursion is desired, as every client that wants an address asks. */
  readonly isRecursive: boolean;
  /** The question byte for byte, the case of its letters included, which resolvers choose at random; may be empty. */
  readonly question: Uint8Array<ArrayBuffer>;
  /** In lower case, without a trailing dot, "" for the root. Undefined: it has bytes that no host name has. */
  readonly name: string | undefined;
  /** The name for a person, each unusual byte as `\ddd`. */
  readonly shownName: string;
  readonly type: number;
  readonly class: number;
  /** What the OPT record says; undefined: there is none, and the answer may have none. */
  readonly extension: { readonly wantsSignatures: boolean } | undefined;
  /** The code of the only possible answer; undefined: the query is well-formed. */
  readonly fault: DnsCode | undefined;
}
