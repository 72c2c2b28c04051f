/** Recognizes a command line that begins with a tool's name, and suggests `call`. */
import { findToolsDirectory } from "../../catalog/load/find_tools.ts";
import { loadCatalog } from "../../catalog/load/load.ts";
import { builtinTraits } from "../../catalog/format/builtin_traits.ts";
import { resolveCall } from "../../catalog/model/resolve.ts";
import { BUNDLE_NAMES, embeddedTools } from "../../settings/bundles.ts";
import { SUBCOMMANDS } from "../../settings/flags/subcommands.ts";

/** Words that mean the same to every shell. */
const PLAIN = /^[\w@%+=:,./-]+$/;

/**
 * A problem for stderr when `words` would be a call of a tool of this directory or of a shipped tool; undefined: they
 * are no such call.
 */
export async function meantCall(words: readonly string[], directory: string): Promise<string | undefined> {
  const [name = "", ...rest] = words;
  if (!/^\w[\w-]*$/.test(name) || SUBCOMMANDS.some((one) => one === name)) return undefined;
  const bundled = await embeddedTools(BUNDLE_NAMES.filter((one) => name === one || name.startsWith(`${one}_`)));
  const catalog = await loadCatalog(findToolsDirectory(undefined, directory), { bundled });
  const isTool = builtinTraits(name) !== undefined || catalog.tools.some((tool) => tool.name === name) ||
    resolveCall(catalog, name, {}).ok;
  if (!isTool) return undefined;
  const line = ["ahma_mcp", "call", name, ...rest.every((word) => PLAIN.test(word)) ? rest : ["..."]].join(" ");
  return `Unexpected argument "${name}": did you mean "${line}"?`;
}
