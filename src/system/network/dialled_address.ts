/** Which resolved addresses a connection for a command may go to. */
import { addressClass, CLASS_IN_WORDS, reachedAddress } from "./address_class.ts";

export interface DialRules {
  /** Whether a person allowed private networks, those of providers and of IPv6 among them. Never this machine. */
  readonly allowsPrivateHosts: boolean;
  /** All addresses of this machine, in any spelling. */
  readonly own: readonly string[];
}

/**
 * Why no connection may go to an address, as what it is: "an address of a private network". Undefined: one may go. An own
 * address is refused whatever its network: the services of this machine trust it.
 */
export function dialProblem(address: string, { allowsPrivateHosts, own }: DialRules): string | undefined {
  const found = addressClass(address);
  if (found === undefined) return "not an address";
  if (own.some((one) => isSame(one, address))) return CLASS_IN_WORDS.loopback;
  return found === "public" || (allowsPrivateHosts && found === "private") ? undefined : CLASS_IN_WORDS[found];
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
