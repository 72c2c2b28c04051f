/** Addresses for OAuth. Servers' names are not trusted: a public one may lead to private networks. */
import { UserError } from "../../../base/errors.ts";
import { shorten } from "../../../base/visible_text.ts";
import { isLoopbackHost, isPrivateHost, isPublicAddress } from "../../../system/network/public_address.ts";
import { member } from "../../../wire/json_value.ts";
import { addressesOf, type HostAddress } from "../../../system/network/request_to_address.ts";

/** Longest address that is used, in characters. */
const LONGEST = 8_192;

/**
 * An address that `server` names for OAuth: https, or http on this machine, without a password; a private one only if
 * the server itself is on a private network. `what` begins the message.
 * @throws {UserError} when it may not be used
 */
export function checkedAddress(address: string | URL, server: URL, what: string): URL {
  const text = String(address);
  // deno-lint-ignore no-control-regex -- what must not be in an address
  const url = text.length > LONGEST || /[\x00-\x20\x7f]/.test(text) || !URL.canParse(text) ? undefined : new URL(text);
  const refused = (why: string) => new UserError(`${what} is refused: "${shorten(text)}" ${why}`);
  if (url === undefined) throw refused("is not an address");
  if (url.protocol !== "https:" && !(url.protocol === "http:" && isLoopbackHost(url.hostname))) {
    throw refused("is neither https nor on this machine");
  }
  if (url.username !== "" || url.password !== "") throw refused("holds a user name");
  if (isPrivateHost(url.hostname) && !isPrivateHost(server.hostname)) {
    throw refused(`is on a private network, and "${server.host}" is not`);
  }
  return url;
}

/** The addresses of a host; none: it is unknown here. */
type Lookup = (host: string) => Promise<readonly HostAddress[]>;

/**
 * Refuses an address that a server names for OAuth if it leads to a private network and the server is not on one.
 * Returns the checked addresses, to which the request must be sent; none: its host is unknown here. `what` begins the
 * message.
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

/** As connections find them, with the file of hosts. @throws {Deno.errors.NotCapable} without network */
export async function systemLookup(host: string): Promise<readonly HostAddress[]> {
  const [found] = await Promise.allSettled([addressesOf(host)]);
  if (found.status === "fulfilled") return found.value;
  if (member(found.reason, "code") === "EPERM") throw new Deno.errors.NotCapable("The runtime has no network");
  return [];
}
