/** Which addresses OAuth may lead to: what a server names is not trusted. Pure. */
import { UserError } from "../../../base/errors.ts";
import { shorten } from "../../../base/visible_text.ts";

/** Longest address that is used, in characters. */
const LONGEST = 8_192;

/** IPv4 networks that are no public addresses: this network, private, carrier, loopback, link-local. */
const PRIVATE_IPV4 =
  /^(?:0|10|127)\.|^192\.168\.|^172\.(?:1[6-9]|2\d|3[01])\.|^100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7])\.|^169\.254\./;
/** The same of IPv6, as the URL parser writes them; an IPv4 address inside counts as private. */
const PRIVATE_IPV6 = /^\[(?:::|f[cd]|fe[89ab]|64:ff9b:)/;

/** Whether a request to this host stays on this machine. */
export function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname.endsWith(".localhost") || hostname === "[::1]" ||
    /^127\.\d+\.\d+\.\d+$/.test(hostname);
}

/** Whether the host is named as one of this machine or a private network. */
export function isPrivateHost(hostname: string): boolean {
  return isLoopback(hostname) || PRIVATE_IPV6.test(hostname) ||
    /^[\d.]+$/.test(hostname) && PRIVATE_IPV4.test(hostname) ||
    /\.(?:local|internal|home\.arpa)$/.test(hostname) || !/[.:]/.test(hostname);
}

/**
 * An address that `server` names for OAuth: https, or http on this machine, without a password; a private one only where
 * the server itself is on a private network. `what` begins the message.
 * @throws {UserError} when it may not be used
 */
export function checkedAddress(address: string | URL, server: URL, what: string): URL {
  const text = String(address);
  // deno-lint-ignore no-control-regex -- what must not be in an address
  const url = text.length > LONGEST || /[\x00-\x20\x7f]/.test(text) || !URL.canParse(text) ? undefined : new URL(text);
  const refused = (why: string) => new UserError(`${what} is refused: "${shorten(text)}" ${why}`);
  if (url === undefined) throw refused("is no address");
  if (url.protocol !== "https:" && !(url.protocol === "http:" && isLoopback(url.hostname))) {
    throw refused("is neither https nor on this machine");
  }
  if (url.username !== "" || url.password !== "") throw refused("holds a user name");
  if (isPrivateHost(url.hostname) && !isPrivateHost(server.hostname)) {
    throw refused(`is on a private network, and "${server.host}" is not`);
  }
  return url;
}
