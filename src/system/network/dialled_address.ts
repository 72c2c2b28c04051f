/** Which resolved addresses a connection for a command may go to. */
import { addressClass, CLASS_IN_WORDS, reachedAddress } from "./address_class.ts";

export interface DialRules {
  /** Whether a person allowed private networks and this machine. Never the local link, nor what is for special use. */
  readonly allowsPrivateHosts: boolean;
  /** All addresses of this machine, in any spelling. */
  readonly own: readonly string[];
}

/**
 * Why no connection may go to an address, as what it is: "an address of a private network". Undefined: one may go. An own
 * address is this machine's, whatever its network: its services trust it.
 */
export function dialProblem(address: string, { allowsPrivateHosts, own }: DialRules): string | undefined {
  const found = addressClass(address);
  if (found === undefined) return "not an address";
  const kind = own.some((one) => isSame(one, address)) ? "loopback" : found;
  const isPrivate = kind === "private" || kind === "loopback";
  return kind === "public" || isPrivate && allowsPrivateHosts ? undefined : CLASS_IN_WORDS[kind];
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
