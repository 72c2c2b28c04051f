/** Our addresses for resources of servers (O2): name, then their address unchanged, templates too. Pure. */
import { percentDecoded } from "../../base/text.ts";
import { isObject } from "../../wire/json_value.ts";

const PREFIX = "ahma://servers/";

/** Our address for an address, or a template of addresses, of a server. */
export function ourUri(server: string, uri: string): string {
  return `${PREFIX}${encodeURIComponent(server)}/${uri}`;
}

/** The server's name and its own address; undefined: it is not an address of a server. */
export function theirUri(uri: string): { readonly server: string; readonly uri: string } | undefined {
  if (!uri.startsWith(PREFIX)) return undefined;
  const end = uri.indexOf("/", PREFIX.length);
  if (end < 0) return undefined;
  return { server: percentDecoded(uri.slice(PREFIX.length, end)), uri: uri.slice(end + 1) };
}

/** Makes links our addresses, so that no server opens a client's files or ours; web links stay, icons go. */
export function withOurUris(server: string, part: unknown): unknown {
  if (!isObject(part)) return part;
  const { type, uri, resource } = part;
  if (type === "resource_link") {
    const { icons: _, ...link } = part;
    return { ...link, uri: linked(server, uri) };
  }
  if (type !== "resource" || !isObject(resource)) return part;
  return { ...part, resource: { ...resource, uri: linked(server, resource["uri"]) } };
}

function linked(server: string, uri: unknown): unknown {
  return typeof uri !== "string" || /^https?:/i.test(uri) ? uri : ourUri(server, uri);
}
