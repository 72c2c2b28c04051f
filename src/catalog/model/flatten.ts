/** A tool file becomes leaves: one MCP tool per enabled subcommand without children (T5), fully resolved. */
import { visibleText } from "../../base/visible_text.ts";
import { describedWith, hintFor } from "./guidance.ts";
import type { Leaf, LeafArgument, LeafStep } from "./leaf.ts";
import { answersOf, exclusiveOf, networkOf, probeOf, retryOf } from "./run_rules.ts";
import { isAlwaysMeta } from "./meta_parameters.ts";
import type { SubcommandDefinition, ToolDefinition } from "../format/mtdf.ts";
import type { ArgumentDefinition } from "../format/mtdf_argument.ts";
import type { StepDefinition } from "../format/mtdf_parts.ts";
import { baseName, commandWords, DEFAULT_LEAF } from "../format/names.ts";

export interface PlacedLeaf {
  readonly leaf: Leaf;
  readonly at: readonly (string | number)[];
}

type Node = ToolDefinition | SubcommandDefinition;

/** What flows from a parent to its children. */
interface Inherited {
  readonly tool: ToolDefinition;
  readonly toolName: string;
  readonly path: readonly string[];
  readonly words: readonly string[];
  readonly at: readonly (string | number)[];
  readonly description: string;
  readonly synchronous: boolean | undefined;
  readonly timeoutSeconds: number | undefined;
  readonly network: Leaf["network"] | undefined;
  /** From the tool down to this node: later ones win. */
  readonly nodes: readonly Node[];
}

/** Programs that run other programs: with a subcommand that is a program name, that program is run itself (T8). */
const SHELLS: readonly string[] = ["sh", "bash", "dash", "zsh", "ksh"];
const DEFAULT_STEP_DELAY_MS = 100;

/** Makes the leaves of a tool file; `flatten`, or one that remembers. */
export type Flatten = typeof flatten;

/** A `flatten` that returns the same leaf objects for a definition it has seen: most files do not change. */
export function rememberingFlatten(): Flatten {
  const known = new WeakMap<ToolDefinition, { readonly toolName: string; readonly leaves: readonly PlacedLeaf[] }>();
  return (tool, toolName) => {
    const before = known.get(tool);
    if (before?.toolName === toolName) return before.leaves;
    const leaves = flatten(tool, toolName);
    known.set(tool, { toolName, leaves });
    return leaves;
  };
}

/** The leaves of an accepted tool file in file order; none when it is switched off. */
export function flatten(tool: ToolDefinition, toolName: string): readonly PlacedLeaf[] {
  if (tool.enabled === false) return [];
  const top: Inherited = {
    tool,
    toolName,
    path: [],
    words: [],
    at: [],
    description: tool.description ?? "",
    synchronous: synchronousOf(tool),
    timeoutSeconds: tool.timeout_seconds,
    network: networkOf(tool),
    nodes: [tool],
  };
  const below = childrenOf(tool, top);
  const whole = tool.subcommand === undefined || tool.subcommand.length === 0 || tool.sequence !== undefined;
  const taken = below.some(({ leaf }) => leaf.name === toolName);
  return whole && !taken ? [place(tool, top), ...below] : below;
}

function childrenOf(node: Node, inherited: Inherited): readonly PlacedLeaf[] {
  return (node.subcommand ?? []).flatMap((child, index) => {
    if (child.enabled === false) return [];
    const own = inherit(child, inherited, index);
    return child.subcommand?.length ? childrenOf(child, own) : [place(child, own)];
  });
}

function inherit(child: SubcommandDefinition, parent: Inherited, index: number): Inherited {
  const isDefault = child.name === DEFAULT_LEAF && !child.subcommand?.length;
  return {
    ...parent,
    path: isDefault ? parent.path : [...parent.path, child.name],
    words: child.argv ?? (isDefault ? parent.words : [...parent.words, child.name]),
    at: [...parent.at, "subcommand", index],
    description: child.description ?? (isDefault ? parent.description : ""),
    synchronous: synchronousOf(child) ?? parent.synchronous,
    timeoutSeconds: child.timeout_seconds ?? parent.timeoutSeconds,
    network: networkOf(child) ?? parent.network,
    nodes: [...parent.nodes, child],
  };
}

function place(node: Node, inherited: Inherited): PlacedLeaf {
  const { tool, toolName, path, at } = inherited;
  const sequence = node.sequence ?? (tool.command === "sequence" ? tool.sequence : undefined) ?? [];
  const options = declared(node.options);
  const hint = hintFor(node.hints, path.join("_")) ?? hintFor(tool.hints, path.join("_"));
  const argv = sequence.length > 0 ? [] : argvOf(tool.command, inherited.words);
  const install = inherited.nodes.findLast((one) => one.install_instructions !== undefined)?.install_instructions;
  const retry = retryOf(inherited.nodes);
  const probe = probeOf({ nodes: inherited.nodes, command: tool.command, words: inherited.words, argv });
  const leaf: Leaf = {
    name: [toolName, ...path].join("_"),
    tool: toolName,
    path,
    description: describedWith(inherited.description, hint),
    argv,
    options: options.map(argumentOf),
    positionals: declared(node.positional_args).map(argumentOf),
    positionalsFirst: node.positional_args_first ?? false,
    allowArgs: sequence.length === 0 && (node.allow_args ?? options.length === 0),
    endOfOptions: node.end_of_options ?? false,
    allowStdin: node.allow_stdin ?? false,
    synchronous: inherited.synchronous,
    timeoutSeconds: inherited.timeoutSeconds,
    sequence: sequence.map(stepOf),
    stepDelayMs: node.step_delay_ms ?? tool.step_delay_ms ?? DEFAULT_STEP_DELAY_MS,
    ...exclusiveOf(inherited.nodes) && { exclusive: true },
    ...answersOf(node),
    ...retry !== undefined && { retry },
    ...inherited.network !== undefined && { network: inherited.network },
    ...probe !== undefined && { probe },
    ...install !== undefined && { installInstructions: visibleText(install) },
  };
  return { leaf, at };
}

/** Arguments named like a meta-parameter are that meta-parameter: many files declare `working_directory`. */
function declared(definitions: readonly ArgumentDefinition[] | undefined): readonly ArgumentDefinition[] {
  return (definitions ?? []).filter((definition) => !isAlwaysMeta(definition.name));
}

/** The first words of argv (T7, T8). */
export function argvOf(command: string, words: readonly string[]): readonly string[] {
  const program = commandWords(command);
  const first = words[0];
  const shell = program.length === 1 && SHELLS.includes(baseName(program[0] ?? ""));
  return shell && first !== undefined && !first.startsWith("-") ? words : [...program, ...words];
}

/** What a node itself says; undefined when it says nothing (rule X2). */
export function synchronousOf(node: Node): boolean | undefined {
  return node.synchronous ?? node.force_synchronous;
}

function stepOf(step: StepDefinition): LeafStep {
  const { subcommand = DEFAULT_LEAF, args = {}, description = "" } = step;
  return { ...step, subcommand, args, description: visibleText(description) };
}

/** An argument of a tool file with its defaults applied (T2). */
export function argumentOf({ items, ...definition }: ArgumentDefinition): LeafArgument {
  return {
    ...definition,
    type: definition.type ?? "string",
    description: visibleText(definition.description ?? ""),
    // An argument with a default is never missing.
    required: definition.required === true && definition.default === undefined,
    ...items && {
      items: { ...items, ...items.description !== undefined && { description: visibleText(items.description) } },
    },
  };
}
