/** A sandbox's resolver: listed names lead to the relay, and nothing is forwarded, which could carry data out. */
import { type DnsQuery, INTERNET, TYPES } from "./dns_message.ts";
import { readQuery } from "./read_query.ts";
import { addressBytes, type SyntheticAddresses } from "./synthetic_addresses.ts";
import { type DnsAnswer, writeAnswer } from "./write_answer.ts";

export interface ResolvedNames {
  /** Whether the list has the name, on any port. The name is in lower case, without a trailing dot. */
  readonly isListed: (name: string) => boolean;
  /** Whether the list has this very name: looking it up reveals nothing that a command chose. */
  readonly isNamed: (name: string) => boolean;
  readonly addresses: Pick<SyntheticAddresses, "addressOf">;
  /** Whether the sandbox has a route for the addresses of IPv6; without one they would only delay a client. */
  readonly hasIpv6: boolean;
}

export interface DnsReply {
  readonly message: Uint8Array<ArrayBuffer>;
  /** The name, for a person, that is not on the list; undefined: it is, or it is not a host's. */
  readonly refused: string | undefined;
  /** A name to check first: where no address is allowed, the reply is `denial`. Undefined: nothing to check. */
  readonly unchecked: { readonly name: string; readonly denial: Uint8Array<ArrayBuffer> } | undefined;
}

/** Names that programs look up by themselves, such as those of addresses in their logs. */
const REVERSE = /(?:^|\.)(?:in-addr|ip6)\.arpa$/;
const LOCAL = /(?:^|\.)localhost$/;
const LOOPBACK_IPV4 = Uint8Array.of(127, 0, 0, 1);
const LOOPBACK_IPV6 = Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1);

/** The reply to a message of a command; undefined: it gets none. */
export function answerQuery(message: Uint8Array, names: ResolvedNames): DnsReply | undefined {
  const query = readQuery(message);
  if (query === undefined) return undefined;
  const answer = answerTo(query, names);
  const isRefused = "code" in answer && answer.code === "NXDOMAIN" && !REVERSE.test(query.name ?? "");
  const { name = "", isRecursive } = query;
  const isUnchecked = "address" in answer && isRecursive && names.isNamed(name);
  return {
    message: writeAnswer(query, answer),
    refused: isRefused ? query.shownName : undefined,
    unchecked: isUnchecked ? { name, denial: writeAnswer(query, { code: "NXDOMAIN" }) } : undefined,
  };
}

/** An unlisted name does not exist, so clients give up; no SOA, so none caches it. `SERVFAIL`: no address is left. */
function answerTo(query: DnsQuery, { isListed, addresses, hasIpv6 }: ResolvedNames): DnsAnswer {
  const { name, type } = query;
  if (query.fault !== undefined) return { code: query.fault };
  if (query.class !== INTERNET || name === "") return { code: "REFUSED" };
  if (name === undefined) return { code: "NXDOMAIN" };
  const isLocal = LOCAL.test(name);
  if (!isLocal && !isListed(name)) return { code: "NXDOMAIN" };
  const version = type === TYPES.A ? 4 : type === TYPES.AAAA && hasIpv6 ? 6 : undefined;
  if (version === undefined) return { code: "NOERROR" };
  if (isLocal) return { address: version === 4 ? LOOPBACK_IPV4 : LOOPBACK_IPV6 };
  const address = addresses.addressOf(name);
  return address === undefined ? { code: "SERVFAIL" } : { address: addressBytes(address, version) };
}
