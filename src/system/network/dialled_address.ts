/** Which resolved addresses a connection for a command may go to. */
import { type AddressClass, addressClass, CLASS_IN_WORDS, reachedAddress } from "./address_class.ts";
import type { IpAddress } from "./ip_address.ts";

export interface DialRules {
  /** Whether a person allowed the host although it is not on the internet. */
  readonly allowsPrivateHosts: boolean;
  /** All addresses of this machine. */
  readonly own: readonly IpAddress[];
}

/** Why no connection may go to an address. */
export interface DialProblem {
  /** What it is: "an address of a private network". */
  readonly what: string;
  /** Whether a person can allow its host. */
  readonly canBeAllowed: boolean;
}

/** Places that no person can mean by the name of a host. */
const NEVER: readonly AddressClass[] = ["metadata", "link-local", "multicast"];

/**
 * Undefined: a connection may go there. An own address is this machine's, whatever its network: its services trust it.
 * Some networks and proxies serve names of the internet at addresses for special use, so that a person can allow those.
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
