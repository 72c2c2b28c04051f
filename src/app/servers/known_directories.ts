/** The directories that a stdio server gets as roots: some servers serve no others, whatever their arguments name. */
import { isDirectory } from "../../system/paths.ts";
import type { StdioSpec } from "../../upstream/config/server_spec.ts";

/** The scopes it may read, then what its arguments, `write` and `read` name; only directories that exist. */
export function knownDirectories(
  { args, write, read, readScope }: Pick<StdioSpec, "args" | "write" | "read" | "readScope">,
  scopes: readonly string[],
): readonly string[] {
  const named = [...args.map(({ text }) => text), ...write, ...read].filter((path) => path.startsWith("/"));
  return [...new Set([...readScope ? scopes : [], ...named.filter(isDirectory)])];
}
