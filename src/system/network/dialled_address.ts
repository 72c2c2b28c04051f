/** Which resolved addresses a connection for a command may go to. */
import { type AddressClass, addressClass, CLASS_IN_WORDS, reachedAddress } from "./address_class.ts";

export interface DialRules {
  /** Whether a person allowed the host although it is not on the internet. */
  readonly allowsPrivateHosts: boolean;
  /** All addresses of this machine, in any spelling. */
  readonly own: readonly string[];
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
  const kind = own.some((one) => isSame(one, address)) ? "loopback" : found;
  const canBeAllowed = !NEVER.includes(kind);
  return kind === "public" || canBeAllowed && allowsPrivateHosts
    ? undefined
    : { what: CLASS_IN_WORDS[kind], canBeAllowed };
}

function isSame(one: string, other: string): boolean {
  const [first, second] = [reachedAddress(one), reachedAddress(other)];
  return first?.version === second?.version && first?.value === second?.value;
}

/**
 * The addresses of all interfaces of this machine, read now: they change with networks, VPNs and containers, and reading
 * takes a tenth of a millisecond. @throws {Deno.errors.NotCapable} without `--allow-sys`
 */
export function ownAddresses(): readonly string[] {
  return Deno.networkInterfaces().map(({ address }) => address);
}
