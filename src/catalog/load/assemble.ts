/** Accepted tool files become one set of tools, with the checks that need all files together (T4). */
import { errorAt, MOST_DIAGNOSTICS, type UnplacedDiagnostic, warningAt } from "../format/diagnostic.ts";
import { type Flatten, flatten, type PlacedLeaf } from "../model/flatten.ts";
import type { CatalogTool, Leaf } from "../model/leaf.ts";
import type { ToolDefinition } from "../format/mtdf.ts";
import { LONG_NAME, LONGEST_NAME, reservedFor, toolNameOf } from "../format/names.ts";
import { SequenceCheck } from "./sequences.ts";
import { catalogOf } from "../model/snapshot.ts";

/** A file that is valid on its own. */
export type AcceptedFile = Pick<CatalogTool, "file" | "definition">;

/** What is in service, and what was found by file. */
export interface Assembly {
  readonly tools: readonly CatalogTool[];
  readonly leaves: readonly PlacedLeaf["leaf"][];
  readonly diagnostics: ReadonlyMap<string, readonly UnplacedDiagnostic[]>;
}

/** A longer list is more than any client or model accepts, and building it blocks the server. */
const MOST_LEAVES = 5_000;

interface Candidate {
  readonly tool: CatalogTool;
  readonly leaves: readonly PlacedLeaf[];
}

/** The files in the order that decides between two of one name. `longestName`: of an MCP tool, without its prefix. */
export function assemble(
  files: readonly AcceptedFile[],
  leavesOfFile: Flatten = flatten,
  longestName = LONGEST_NAME,
): Assembly {
  const diagnostics = new Map<string, UnplacedDiagnostic[]>();
  const report = (file: string, ...found: readonly UnplacedDiagnostic[]) => {
    if (found.length > 0) diagnostics.set(file, [...diagnostics.get(file) ?? [], ...found]);
  };
  const named = acceptNames(files, { leavesOfFile, longestName }, report);
  const check = new SequenceCheck(catalogOf(leavesOf(named), { tools: named.map(({ tool }) => tool) }));
  const refused = refusedSteps(named, check);
  for (const [{ tool }, errors] of refused) report(tool.file, ...errors);
  const candidates = named.filter((one) => !refused.has(one));
  for (const { tool, leaves } of candidates) {
    report(tool.file, ...enough(leaves.values().flatMap((one) => check.warnings(one))));
  }
  return { tools: candidates.map(({ tool }) => tool), leaves: leavesOf(candidates), diagnostics };
}

/** Files with a step that cannot run, with the reasons: the step itself is wrong, or the file that it calls is one of these. */
function refusedSteps(
  candidates: readonly Candidate[],
  check: SequenceCheck,
): ReadonlyMap<Candidate, readonly UnplacedDiagnostic[]> {
  const refused = new Map<Candidate, readonly UnplacedDiagnostic[]>();
  const fileOf = new Map(candidates.flatMap((one) => one.leaves.map(({ leaf }) => [leaf, one])));
  const callers = new Map<Candidate, Map<Candidate, () => UnplacedDiagnostic>>();
  for (const candidate of candidates) {
    const onTarget = (target: Leaf, error: () => UnplacedDiagnostic) => {
      const file = fileOf.get(target);
      if (file === undefined || file === candidate) return;
      const known = callers.get(file) ?? new Map<Candidate, () => UnplacedDiagnostic>();
      if (!known.has(candidate)) known.set(candidate, error);
      callers.set(file, known);
    };
    const errors = enough(candidate.leaves.values().flatMap((one) => check.errors(one, onTarget)));
    if (errors.length > 0) refused.set(candidate, errors);
  }
  // Entries added during the loop are visited too.
  for (const [candidate] of refused) {
    for (const [caller, error] of callers.get(candidate) ?? []) {
      if (!refused.has(caller)) refused.set(caller, [error()]);
    }
  }
  return refused;
}

/** The first ones, and one that says that there are more; later ones are never built. */
function enough(diagnostics: IteratorObject<UnplacedDiagnostic>): readonly UnplacedDiagnostic[] {
  return diagnostics.take(MOST_DIAGNOSTICS + 1).toArray();
}

function leavesOf(candidates: readonly Candidate[]): readonly PlacedLeaf["leaf"][] {
  return candidates.flatMap(({ leaves }) => leaves.map(({ leaf }) => leaf));
}

function acceptNames(
  files: readonly AcceptedFile[],
  { leavesOfFile, longestName }: { readonly leavesOfFile: Flatten; readonly longestName: number },
  report: (file: string, ...found: readonly UnplacedDiagnostic[]) => void,
): readonly Candidate[] {
  const tools = new Map<string, string>();
  const leafFiles = new Map<string, string>();
  const candidates: Candidate[] = [];
  for (const { file, definition } of files) {
    const name = toolNameOf(definition, file);
    if (leafFiles.size >= MOST_LEAVES) {
      report(file, errorAt([], `There are ${MOST_LEAVES} MCP tools before this file already: remove some`));
      continue;
    }
    const leaves = leavesOfFile(definition, name);
    const ofTool = toolNameDiagnostics(name, definition, tools);
    const found = ofTool.length > 0 ? ofTool : leafNameDiagnostics(leaves, leafFiles, longestName);
    report(file, ...found);
    if (definition.enabled === false || found.some((diagnostic) => diagnostic.severity === "error")) continue;
    tools.set(name, file);
    for (const { leaf } of leaves) leafFiles.set(leaf.name, file);
    candidates.push({ tool: { name, command: definition.command, file, definition }, leaves });
  }
  return candidates;
}

function toolNameDiagnostics(
  name: string,
  definition: ToolDefinition,
  taken: ReadonlyMap<string, string>,
): readonly UnplacedDiagnostic[] {
  const at = definition.name === undefined ? ["command"] : ["name"];
  const owner = reservedFor(name);
  if (owner !== undefined) {
    return [errorAt(at, `Tool name "${name}" is reserved for ${owner}: rename it`)];
  }
  if (definition.enabled === false) return [];
  const first = taken.get(name);
  if (first === undefined) return [];
  return [errorAt(at, `Tool name "${name}" is taken by "${first}", which comes first: rename one of them`)];
}

function leafNameDiagnostics(
  leaves: readonly PlacedLeaf[],
  taken: ReadonlyMap<string, string>,
  longest: number,
): readonly UnplacedDiagnostic[] {
  const own = new Set<string>();
  return leaves.flatMap(({ leaf: { name }, at }) => {
    const repeated = own.has(name);
    own.add(name);
    const elsewhere = taken.get(name);
    const prefix = longest === LONGEST_NAME ? "" : `, ${LONGEST_NAME - longest} of them the --tool-prefix`;
    const length = `has ${name.length} characters, and clients cut or drop names over ${LONGEST_NAME}${prefix}`;
    const owner = reservedFor(name);
    if (owner !== undefined) return [errorAt(at, `MCP tool name "${name}" is reserved for ${owner}`)];
    if (repeated) return [errorAt(at, `MCP tool name "${name}" occurs twice in this file: rename a subcommand`)];
    if (elsewhere !== undefined) return [errorAt(at, `MCP tool name "${name}" is taken by "${elsewhere}": rename one`)];
    if (name.length > longest) return [errorAt(at, `MCP tool name "${name}" ${length}: shorten it`)];
    if (name.length <= LONG_NAME) return [];
    const advice = `some clients put a prefix before it and cut at ${LONGEST_NAME}: shorten it`;
    return [warningAt(at, `MCP tool name "${name}" has over ${LONG_NAME} characters, ${advice}`)];
  });
}
