/** Where the name of a host leads: the owner of a public name can give it an address of this machine or its networks. */
import { UserError } from "../../../base/errors.ts";
import { isPrivateHost } from "./addresses.ts";

/** The addresses of a name; none: it has none that is known here. */
export type Lookup = (name: string) => Promise<readonly string[]>;

/**
 * Refuses an address that a server names for OAuth and that leads to a private network, where the server is not on one.
 * `what` begins the message.
 * @throws {UserError} when it may not be asked
 */
export async function checkReached(
  url: URL,
  server: URL,
  { what, lookup = systemLookup }: { readonly what: string; readonly lookup?: Lookup },
): Promise<void> {
  if (!await leadsInside(url.hostname, lookup) || await leadsInside(server.hostname, lookup)) return;
  throw new UserError(`${what} is refused: "${url.host}" leads to a private network, and "${server.host}" does not`);
}

async function leadsInside(hostname: string, lookup: Lookup): Promise<boolean> {
  if (isPrivateHost(hostname)) return true;
  if (hostname.startsWith("[") || /^[\d.]+$/.test(hostname)) return false;
  return (await lookup(hostname)).some(isPrivateAddress);
}

/** The same question of an address as the system writes it. */
function isPrivateAddress(address: string): boolean {
  const plain = address.replace(/%.*$/, "");
  return isPrivateHost(plain.includes(":") ? new URL(`http://[${plain}]`).hostname : plain);
}

/** As connections find them, the system's file of hosts included. */
export async function systemLookup(name: string): Promise<readonly string[]> {
  const { lookup } = await import("node:dns/promises");
  const [found] = await Promise.allSettled([lookup(name, { all: true })]);
  // What has no address here cannot be asked either, and that is told better there.
  return found.status === "fulfilled" ? found.value.map(({ address }) => address) : [];
}
