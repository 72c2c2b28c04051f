/** Where the name of a host leads: the owner of a public name can give it an address of this machine or its networks. */
import { UserError } from "../../../base/errors.ts";
import { addressesOf, type HostAddress } from "../../../system/network/request_to_address.ts";
import { isPrivateHost } from "./addresses.ts";

/** The addresses of a name; none: it has none that is known here. */
export type Lookup = (name: string) => Promise<readonly HostAddress[]>;

/**
 * Refuses an address that a server names for OAuth and that leads to a private network, where the server is not on one.
 * The addresses that were checked, to which the request is to be sent; none: its host is an address itself, unknown here, or
 * may be anywhere. `what` begins the message.
 * @throws {UserError} when it may not be asked
 */
export async function reachedAddresses(
  url: URL,
  server: URL,
  { what, lookup = systemLookup }: { readonly what: string; readonly lookup?: Lookup },
): Promise<readonly HostAddress[]> {
  const found = await addressesAt(url.hostname, lookup);
  if (!isInside(url.hostname, found)) return found;
  if (isInside(server.hostname, await addressesAt(server.hostname, lookup))) return [];
  throw new UserError(`${what} is refused: "${url.host}" leads to a private network, and "${server.host}" does not`);
}

async function addressesAt(hostname: string, lookup: Lookup): Promise<readonly HostAddress[]> {
  const isKnown = isPrivateHost(hostname) || hostname.startsWith("[") || /^[\d.]+$/.test(hostname);
  return isKnown ? [] : await lookup(hostname);
}

function isInside(hostname: string, found: readonly HostAddress[]): boolean {
  return isPrivateHost(hostname) || found.some(isPrivateAddress);
}

/** The same question of an address as the system writes it. */
function isPrivateAddress({ address }: HostAddress): boolean {
  const plain = address.replace(/%.*$/, "");
  return isPrivateHost(plain.includes(":") ? new URL(`http://[${plain}]`).hostname : plain);
}

/** As connections find them, the system's file of hosts included. */
export async function systemLookup(name: string): Promise<readonly HostAddress[]> {
  const [found] = await Promise.allSettled([addressesOf(name)]);
  // What has no address here cannot be asked either, and that is told better there.
  return found.status === "fulfilled" ? found.value : [];
}
