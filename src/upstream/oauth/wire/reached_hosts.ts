/** Where the name of a host leads: the owner of a public name can give it an address of this machine or its networks. */
import { UserError } from "../../../base/errors.ts";
import { isPrivateHost, isPublicAddress } from "../../../system/network/public_address.ts";
import { member } from "../../../wire/json_value.ts";
import { addressesOf, type HostAddress } from "../../../system/network/request_to_address.ts";

/** The addresses of a host; none: it has none that is known here. */
export type Lookup = (host: string) => Promise<readonly HostAddress[]>;

/**
 * Refuses an address that a server names for OAuth and that leads to a private network, where the server is not on one.
 * The addresses that were checked, to which the request is to be sent; none: its host has none that is known here. `what`
 * begins the message.
 * @throws {UserError} when it may not be asked
 */
export async function reachedAddresses(
  url: URL,
  server: URL,
  { what, lookup = systemLookup }: { readonly what: string; readonly lookup?: Lookup },
): Promise<readonly HostAddress[]> {
  const found = await addressesAt(url, lookup);
  if (!isInside(url, found) || isInside(server, await addressesAt(server, lookup))) return found;
  throw new UserError(`${what} is refused: "${url.host}" leads to a private network, and "${server.host}" does not`);
}

async function addressesAt({ hostname }: URL, lookup: Lookup): Promise<readonly HostAddress[]> {
  return await lookup(hostname.replaceAll(/^\[|\]$/g, ""));
}

function isInside({ hostname }: URL, found: readonly HostAddress[]): boolean {
  return isPrivateHost(hostname) || found.some(({ address }) => !isPublicAddress(address));
}

/**
 * As connections find them, the system's file of hosts included; an address is its own.
 * @throws {Deno.errors.NotCapable} when the runtime has no network
 */
export async function systemLookup(host: string): Promise<readonly HostAddress[]> {
  const [found] = await Promise.allSettled([addressesOf(host)]);
  if (found.status === "fulfilled") return found.value;
  if (member(found.reason, "code") === "EPERM") throw new Deno.errors.NotCapable("The runtime has no network");
  return [];
}
