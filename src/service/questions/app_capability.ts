/** Which clients show pages of tools (V4, SEP-1865). Pure. */
import { isObject, member } from "../../wire/json_value.ts";

const EXTENSION = "io.modelcontextprotocol/ui";
export const APP_MIME_TYPE = "text/html;profile=mcp-app";

/** Whether a client's capabilities say that it shows such pages. */
export function showsApps(capabilities: unknown): boolean {
  const extension = member(member(capabilities, "extensions"), EXTENSION);
  const types = member(extension, "mimeTypes");
  return isObject(extension) && Array.isArray(types) && types.includes(APP_MIME_TYPE);
}
