/** Which resolved addresses a connection for a command may go to. */
import { type AddressClass, addressClass, CLASS_IN_WORDS, reachedAddress } from "./address_class.ts";
import type { IpAddress } from "./ip_address.ts";

export interface DialRules {
  /** Whether a person allowed the host even with a private address. */
  readonly allowsPrivateHosts: boolean;
  /** All addresses of this machine. */
  readonly own: readonly IpAddress[];
}

/** Why no connection may go to an address. */
export interface DialProblem {
  /** The kind of address in words, such as "an address of a private network". */
  readonly what: string;
  /** Whether a person can allow its host. */
  readonly canBeAllowed: boolean;
}

/** Classes that a person cannot allow. */
const NEVER: readonly AddressClass[] = ["metadata", "link-local", "multicast"];

/**
 * Why a connection may not go to an address; undefined: it may. An address of this machine counts as loopback, whatever
 * its network, because local services trust it. A person can allow addresses for special use, because some networks and
 * proxies use them for internet names.
 */
export function dialProblem(address: string, { allowsPrivateHosts, own }: DialRules): DialProblem | undefined {
  const found = addressClass(address);
  if (found === undefined) return { what: "not an address", canBeAllowed: false };
  const reached = reachedAddress(address);
  const isOwn = own.some(({ version, value }) => version === reached?.version && value === reached.value);
  const kind = isOwn ? "loopback" : found;
  const canBeAllowed = !NEVER.includes(kind);
  return kind === "public" || canBeAllowed && allowsPrivateHosts
    ? undefined
    : { what: CLASS_IN_WORDS[kind], canBeAllowed };
}
