/** Which leaf a call means (T5). Names are looked up, never split: subcommand names may hold the separator. */
import { didYouMean } from "../base/suggest.ts";
import { failure, type Outcome, success } from "../base/outcome.ts";
import type { Catalog, Leaf } from "./leaf.ts";
import { baseName, commandWords, DEFAULT_LEAF } from "./names.ts";
import { shown } from "./value.ts";

/** A call whose leaf is known. */
export interface ResolvedCall {
  readonly leaf: Leaf;
  /** Without `subcommand`, unless the leaf declares an argument of that name. */
  readonly args: Readonly<Record<string, unknown>>;
}

/** `unknown_tool` is a protocol error (-32602), `unknown_subcommand` a tool result with `isError`. */
export interface ResolveProblem {
  readonly kind: "unknown_tool" | "unknown_subcommand";
  readonly message: string;
}

/** More names than this are not listed in a message. */
const MOST_LISTED = 40;

/**
 * The leaf of a call by its flat name, by the older form `{"name":"cargo","arguments":{"subcommand":"nextest run"}}`,
 * or by the program's name instead of the tool's.
 */
export function resolveCall(
  catalog: Catalog,
  name: string,
  args: Readonly<Record<string, unknown>>,
): Outcome<ResolvedCall, ResolveProblem> {
  const exact = catalog.byName.get(name);
  const given = Object.hasOwn(args, "subcommand") ? args.subcommand : undefined;
  if (exact !== undefined && (given === undefined || declaresSubcommand(exact))) return success({ leaf: exact, args });
  if (given !== undefined && typeof given !== "string") {
    return unknownSubcommand(`Cannot call "${name}": "subcommand" is ${shown(given)}, expected a text`);
  }
  const { subcommand: _, ...rest } = args;
  const path = normalized(given ?? "");
  const tool = toolOf(catalog, name);
  const leaf = (tool === undefined ? undefined : leafOf(catalog, tool, path)) ?? joinedLeaf(catalog, name, path, exact);
  if (leaf !== undefined) return success({ leaf, args: rest });
  if (tool !== undefined) return unknownSubcommand(subcommandMessage(catalog, name, tool, given));
  if (exact !== undefined) {
    const advice = `leave "subcommand" out, or call "${exact.tool}" with it`;
    return unknownSubcommand(`Cannot call "${name}": there is no subcommand ${shown(given)} below it: ${advice}`);
  }
  const guess = didYouMean(name, [...catalog.tools.map((tool) => tool.name), ...catalog.byName.keys()]);
  return failure({ kind: "unknown_tool", message: `Cannot call "${name}": there is no such tool${guess}` });
}

function unknownSubcommand(message: string): Outcome<never, ResolveProblem> {
  return failure({ kind: "unknown_subcommand", message });
}

function declaresSubcommand(leaf: Leaf): boolean {
  return [...leaf.options, ...leaf.positionals].some((argument) => argument.name === "subcommand");
}

/** `nextest run`, `nextest_run` and `nextest_run_default` are the same; the empty text is the tool itself. */
function normalized(subcommand: string): string {
  const joined = subcommand.trim().replaceAll(/\s+/g, "_");
  if (joined === DEFAULT_LEAF) return "";
  return joined.endsWith(`_${DEFAULT_LEAF}`) ? joined.slice(0, -DEFAULT_LEAF.length - 1) : joined;
}

/** The tool of that name, else the first whose program has it. */
function toolOf(catalog: Catalog, name: string): string | undefined {
  if (catalog.leaves.some((leaf) => leaf.tool === name)) return name;
  return catalog.tools.find((tool) => programOf(tool.command) === name)?.name;
}

function leafOf(catalog: Catalog, tool: string, path: string): Leaf | undefined {
  return catalog.leaves.find((leaf) => leaf.tool === tool && leaf.path.join("_") === path);
}

/**
 * What is left: the name of a group with the rest in `subcommand`, a flat name with its own subcommand said again,
 * or a flat name that begins with the program's name instead of the tool's.
 */
function joinedLeaf(catalog: Catalog, name: string, path: string, exact: Leaf | undefined): Leaf | undefined {
  if (path !== "") {
    const below = catalog.byName.get(`${name}_${path}`);
    if (below !== undefined) return below;
  }
  if (exact !== undefined) {
    const own = exact.path.join("_");
    return path === "" || own === path || own.endsWith(`_${path}`) ? exact : undefined;
  }
  const wanted = path === "" ? name : `${name}_${path}`;
  for (const tool of catalog.tools) {
    const leaf = catalog.leaves.find((leaf) =>
      leaf.tool === tool.name && [programOf(tool.command), ...leaf.path].join("_") === wanted
    );
    if (leaf !== undefined) return leaf;
  }
  return undefined;
}

function programOf(command: string): string {
  return baseName(commandWords(command)[0] ?? "");
}

function subcommandMessage(catalog: Catalog, name: string, tool: string, given: string | undefined): string {
  const known = catalog.leaves.filter((leaf) => leaf.tool === tool)
    .map((leaf) => leaf.path.length === 0 ? DEFAULT_LEAF : leaf.path.join("_"));
  const listed = known.slice(0, MOST_LISTED).join(", ") + (known.length > MOST_LISTED ? ", …" : "");
  if (given === undefined) return `Cannot call "${name}": "subcommand" is missing, expected one of ${listed}`;
  const guess = didYouMean(given, known);
  return `Cannot call "${name}": subcommand "${given}" does not exist${guess || ":"} expected one of ${listed}`;
}
