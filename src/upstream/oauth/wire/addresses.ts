/** Which addresses OAuth may lead to: what a server names is not trusted. Pure. */
import { UserError } from "../../../base/errors.ts";
import { shorten } from "../../../base/visible_text.ts";
import { isLoopbackHost, isPrivateHost } from "../../../system/network/public_address.ts";

/** Longest address that is used, in characters. */
const LONGEST = 8_192;

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
