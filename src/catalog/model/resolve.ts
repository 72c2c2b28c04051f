/** Finds the leaf of a call (T5). Names are looked up, never split: subcommand names may hold the separator. */
import { lazy } from "../../base/lazy.ts";
import { didYouMean } from "../../base/suggest.ts";
import { failure, type Outcome, success } from "../../base/outcome.ts";
import type { Catalog, Leaf, LeafStep } from "./leaf.ts";
import { DEFAULT_LEAF } from "../format/names.ts";
import { shown } from "./value.ts";
import { SHELL_TOOL_NAME } from "../format/builtin_traits.ts";

/** A call whose leaf is known. */
export interface ResolvedCall {
  readonly leaf: Leaf;
  /** Without `subcommand`, unless the leaf declares an argument of that name. */
  readonly args: Readonly<Record<string, unknown>>;
}

/** `unknown_tool` is a protocol error (-32602), `unknown_subcommand` a tool result with `isError`. */
export interface ResolveProblem {
  readonly kind: "unknown_tool" | "unknown_subcommand";
  /** Built when first needed: looking for a similar name takes longer than finding out that one does not exist. */
  readonly message: string;
}

/** More names than this are not listed in a message. */
const MOST_LISTED = 40;

/** The leaf of a call by flat name, by `{"name":"cargo","arguments":{"subcommand":…}}`, or by program name. */
export function resolveCall(
  catalog: Catalog,
  name: string,
  args: Readonly<Record<string, unknown>>,
): Outcome<ResolvedCall, ResolveProblem> {
  const exact = catalog.byName.get(name);
  const given = Object.hasOwn(args, "subcommand") ? args.subcommand : undefined;
  if (exact !== undefined && (given === undefined || catalog.withSubcommand.has(exact))) {
    return success({ leaf: exact, args });
  }
  if (given !== undefined && typeof given !== "string") {
    return unknown("subcommand", () => `Cannot call "${name}": "subcommand" is ${shown(given)}, expected a text`);
  }
  const { subcommand: _, ...rest } = args;
  const path = normalized(given ?? "");
  const tool = toolOf(catalog, name);
  const leaf = (tool === undefined ? undefined : catalog.byTool.get(tool)?.get(path)) ??
    joinedLeaf(catalog, name, path, exact);
  if (leaf !== undefined) return success({ leaf, args: rest });
  if (tool !== undefined) return unknown("subcommand", () => subcommandMessage(catalog, name, tool, given));
  if (exact !== undefined) {
    const advice = `leave "subcommand" out, or call "${exact.tool}" with it`;
    return unknown(
      "subcommand",
      () => `Cannot call "${name}": there is no subcommand ${shown(given)} below it: ${advice}`,
    );
  }
  return unknown("tool", () => {
    const guess = didYouMean(name, [...catalog.tools.map((tool) => tool.name), ...catalog.byName.keys()]);
    return `Cannot call "${name}": there is no such tool${guess}`;
  });
}

function unknown(what: "tool" | "subcommand", message: () => string): Outcome<never, ResolveProblem> {
  const made = lazy(message);
  return failure({
    kind: `unknown_${what}`,
    get message() {
      return made();
    },
  });
}

/** `nextest run`, `nextest_run` and `nextest_run_default` are the same; the empty text is the tool itself. */
function normalized(subcommand: string): string {
  const joined = subcommand.trim().replaceAll(/\s+/g, "_");
  if (joined === DEFAULT_LEAF) return "";
  return joined.endsWith(`_${DEFAULT_LEAF}`) ? joined.slice(0, -DEFAULT_LEAF.length - 1) : joined;
}

/** The tool of that name, else the first whose program has that name. */
function toolOf(catalog: Catalog, name: string): string | undefined {
  return catalog.byTool.has(name) ? name : catalog.byProgram.get(name);
}

/** A group with the rest in `subcommand`, a repeated subcommand, or the program's name before the tool's. */
function joinedLeaf(catalog: Catalog, name: string, path: string, exact: Leaf | undefined): Leaf | undefined {
  if (path !== "") {
    const below = catalog.byName.get(`${name}_${path}`);
    if (below !== undefined) return below;
  }
  if (exact !== undefined) {
    const own = exact.path.join("_");
    return path === "" || own === path || own.endsWith(`_${path}`) ? exact : undefined;
  }
  return catalog.byProgramName.get(path === "" ? name : `${name}_${path}`);
}

function subcommandMessage(catalog: Catalog, name: string, tool: string, given: string | undefined): string {
  const known = [...catalog.byTool.get(tool)?.keys() ?? []].map((path) => path === "" ? DEFAULT_LEAF : path);
  const listed = known.slice(0, MOST_LISTED).join(", ") + (known.length > MOST_LISTED ? ", …" : "");
  if (given === undefined) return `Cannot call "${name}": "subcommand" is missing, expected one of ${listed}`;
  const below = known.filter((path) => path.startsWith(`${normalized(given)}_`)).join(", ");
  if (below !== "") {
    return `Cannot call "${name}": subcommand "${given}" has several below it: expected one of ${below}`;
  }
  const guess = didYouMean(given, known);
  return `Cannot call "${name}": subcommand "${given}" does not exist${guess || ":"} expected one of ${listed}`;
}

/** Whether a step is a shell command line of `sandboxed_shell`, the built-in tool that may be a step. */
export function isShellStep(step: LeafStep): boolean {
  return step.tool === SHELL_TOOL_NAME && step.subcommand === DEFAULT_LEAF;
}

/** The leaf that a step calls; undefined for a shell line and for what does not exist. */
export function stepTarget(catalog: Catalog, step: LeafStep): Leaf | undefined {
  if (isShellStep(step)) return undefined;
  const target = resolveCall(catalog, step.tool, { subcommand: step.subcommand });
  return target.ok ? target.value.leaf : undefined;
}
