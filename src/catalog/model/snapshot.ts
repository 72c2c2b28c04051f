import type { Catalog, CatalogTool, Leaf } from "./leaf.ts";
import { baseName, commandWords } from "../format/names.ts";
import { type Diagnostic, sortDiagnostics } from "../../base/diagnostic.ts";

/** Contents of a catalog other than its leaves. */
export interface CatalogRest {
  readonly tools?: readonly CatalogTool[];
  readonly diagnostics?: readonly Diagnostic[];
}

/** A catalog of `leaves`; the first of two leaves with one name stays. */
export function catalogOf(leaves: readonly Leaf[], rest: CatalogRest = {}): Catalog {
  const byName = new Map<string, Leaf>();
  for (const leaf of leaves) {
    if (!byName.has(leaf.name)) byName.set(leaf.name, leaf);
  }
  const tools = rest.tools ?? [];
  return {
    leaves: [...byName.values()],
    byName,
    ...indexOf([...byName.values()], tools),
    tools,
    diagnostics: sortDiagnostics(rest.diagnostics ?? []),
  };
}

/** Indexes for calls that do not use the flat name. */
function indexOf(
  leaves: readonly Leaf[],
  tools: readonly CatalogTool[],
): Pick<Catalog, "byTool" | "byProgram" | "byProgramName" | "withSubcommand"> {
  const byTool = new Map<string, Map<string, Leaf>>();
  for (const leaf of leaves) {
    const ofTool = byTool.get(leaf.tool) ?? new Map<string, Leaf>();
    const path = leaf.path.join("_");
    if (!ofTool.has(path)) ofTool.set(path, leaf);
    byTool.set(leaf.tool, ofTool);
  }
  const byProgram = new Map<string, string>();
  const byProgramName = new Map<string, Leaf>();
  for (const { name, command } of tools) {
    const program = baseName(commandWords(command)[0] ?? "");
    if (!byProgram.has(program)) byProgram.set(program, name);
    for (const [path, leaf] of byTool.get(name) ?? []) {
      const whole = path === "" ? program : `${program}_${path}`;
      if (!byProgramName.has(whole)) byProgramName.set(whole, leaf);
    }
  }
  const withSubcommand = new Set(leaves.filter(declaresSubcommand));
  return { byTool, byProgram, byProgramName, withSubcommand };
}

function declaresSubcommand({ options, positionals }: Leaf): boolean {
  return [...options, ...positionals].some(({ name }) => name === "subcommand");
}

export const EMPTY_CATALOG: Catalog = catalogOf([]);
