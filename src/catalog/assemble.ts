/** Accepted tool files become one set of tools: what only shows when the files are seen together is decided here (T4). */
import { errorAt, type Finding, warningAt } from "./finding.ts";
import { type Flatten, flatten, type PlacedLeaf } from "./flatten.ts";
import type { CatalogTool } from "./leaf.ts";
import type { ToolDefinition } from "./mtdf.ts";
import { LONG_NAME, LONGEST_NAME, RESERVED_NAMES, toolNameOf } from "./names.ts";
import { checkSteps, stepWarnings } from "./sequences.ts";
import { catalogOf } from "./snapshot.ts";

/** A file that is right on its own. */
export interface AcceptedFile {
  readonly file: string;
  readonly definition: ToolDefinition;
}

/** What is in service, and what was found by file. */
export interface Assembly {
  readonly tools: readonly CatalogTool[];
  readonly leaves: readonly PlacedLeaf["leaf"][];
  readonly findings: ReadonlyMap<string, readonly Finding[]>;
}

/** A list of them that is longer is more than any client or model takes, and stops the server while it is made. */
const MOST_LEAVES = 5_000;

interface Candidate {
  readonly tool: CatalogTool;
  readonly leaves: readonly PlacedLeaf[];
}

/** The files in the order that decides between two of one name. */
export function assemble(files: readonly AcceptedFile[], leavesOfFile: Flatten = flatten): Assembly {
  const findings = new Map<string, Finding[]>();
  const report = (file: string, ...found: readonly Finding[]) => {
    if (found.length > 0) findings.set(file, [...findings.get(file) ?? [], ...found]);
  };
  let candidates = acceptNames(files, leavesOfFile, report);
  for (let removed = true; removed;) {
    const catalog = catalogOf(leavesOf(candidates), { tools: candidates.map(({ tool }) => tool) });
    const kept = candidates.filter(({ tool, leaves }) => {
      const errors = leaves.flatMap((placed) => checkSteps(catalog, placed));
      report(tool.file, ...errors);
      return errors.length === 0;
    });
    // A file that went may have been the target of another's step: look again until nothing more goes.
    removed = kept.length < candidates.length;
    candidates = kept;
  }
  const catalog = catalogOf(leavesOf(candidates), { tools: candidates.map(({ tool }) => tool) });
  for (const { tool, leaves } of candidates) report(tool.file, ...leaves.flatMap((one) => stepWarnings(catalog, one)));
  return { tools: candidates.map(({ tool }) => tool), leaves: leavesOf(candidates), findings };
}

function leavesOf(candidates: readonly Candidate[]): readonly PlacedLeaf["leaf"][] {
  return candidates.flatMap(({ leaves }) => leaves.map(({ leaf }) => leaf));
}

function acceptNames(
  files: readonly AcceptedFile[],
  leavesOfFile: Flatten,
  report: (file: string, ...found: readonly Finding[]) => void,
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
    const ofTool = toolNameFindings(name, definition, tools);
    const found = ofTool.length > 0 ? ofTool : leafNameFindings(leaves, leafFiles);
    report(file, ...found);
    if (definition.enabled === false || found.some((finding) => finding.severity === "error")) continue;
    tools.set(name, file);
    for (const { leaf } of leaves) leafFiles.set(leaf.name, file);
    candidates.push({ tool: { name, command: definition.command, file, definition }, leaves });
  }
  return candidates;
}

function toolNameFindings(
  name: string,
  definition: ToolDefinition,
  taken: ReadonlyMap<string, string>,
): readonly Finding[] {
  const at = definition.name === undefined ? ["command"] : ["name"];
  if (RESERVED_NAMES.includes(name)) {
    return [errorAt(at, `Tool name "${name}" is reserved for Ahma's own tool: rename it`)];
  }
  if (definition.enabled === false) return [];
  const first = taken.get(name);
  if (first === undefined) return [];
  return [errorAt(at, `Tool name "${name}" is taken by "${first}", which comes first: rename one of them`)];
}

function leafNameFindings(leaves: readonly PlacedLeaf[], taken: ReadonlyMap<string, string>): readonly Finding[] {
  const own = new Set<string>();
  return leaves.flatMap(({ leaf: { name }, at }) => {
    const repeated = own.has(name);
    own.add(name);
    const elsewhere = taken.get(name);
    const length = `has ${name.length} characters, and clients cut or drop names over ${LONGEST_NAME}`;
    if (RESERVED_NAMES.includes(name)) return [errorAt(at, `MCP tool name "${name}" is reserved for Ahma's own tool`)];
    if (repeated) return [errorAt(at, `MCP tool name "${name}" arises twice in this file: rename a subcommand`)];
    if (elsewhere !== undefined) return [errorAt(at, `MCP tool name "${name}" is taken by "${elsewhere}": rename one`)];
    if (name.length > LONGEST_NAME) return [errorAt(at, `MCP tool name "${name}" ${length}: shorten it`)];
    if (name.length <= LONG_NAME) return [];
    const advice = `some clients put a prefix before it and cut at ${LONGEST_NAME}: shorten it`;
    return [warningAt(at, `MCP tool name "${name}" has over ${LONG_NAME} characters, ${advice}`)];
  });
}
