/** Rules for one tool file that the schema cannot express (T4, T5); rules between files are in `assemble.ts`. */
import { words } from "../../base/text.ts";
import { checkArgumentDefinitions } from "./check_arguments.ts";
import { checkNetwork } from "./check_network.ts";
import { errorAt, findings, type UnplacedDiagnostic, warningAt } from "../format/diagnostic.ts";
import { synchronousOf } from "../model/flatten.ts";
import { MENTIONS_BACKGROUND, PROMISES_ASYNC } from "../model/guidance.ts";
import { knownProgramDiagnostics } from "./known_programs.ts";
import type { SubcommandDefinition, ToolDefinition } from "../format/mtdf.ts";
import { DEFAULT_LEAF, SEQUENCE_COMMAND } from "../format/names.ts";
import { ValueCheck } from "../model/value.ts";

type Node = ToolDefinition | SubcommandDefinition;
type Path = readonly (string | number)[];

/** What a node passes to the checks of its children. */
interface Above {
  readonly tool: ToolDefinition;
  readonly at: Path;
  readonly path: readonly string[];
  readonly synchronous: boolean | undefined;
  readonly description: string | undefined;
  /** Some node above replaced the subcommand words. */
  readonly labelled: boolean;
  readonly values: ValueCheck;
}

/** Fields of other programs' tool files: accepted without effect, with a warning. */
const IGNORED_FIELDS = ["tool_type", "livelog", "monitor_level", "monitor_stream"] as const;
/** Fields that only mean something on a leaf. */
const LEAF_FIELDS = words("options positional_args positional_args_first end_of_options allow_args allow_stdin");

/** Diagnostics about one file; `length`: of its text, in UTF-16 units. */
export function checkTool(tool: ToolDefinition, length: number): readonly UnplacedDiagnostic[] {
  const long = inheritedLengths(tool);
  if (long.length > 0) return long; // later checks would read them once for each subcommand
  const values = ValueCheck.ofFile(length);
  const above = { tool, at: [], path: [], synchronous: undefined, description: undefined, labelled: false, values };
  return [...ignoredFields(tool), ...checkNode(tool, above)];
}

function ignoredFields(tool: ToolDefinition): readonly UnplacedDiagnostic[] {
  return IGNORED_FIELDS.filter((field) => tool[field] !== undefined).map((field): UnplacedDiagnostic => {
    const message = `Field "${field}" has no effect here: remove it`;
    return { severity: "warning", path: [field], at: "key", message };
  });
}

function checkNode(node: Node, above: Above): readonly UnplacedDiagnostic[] {
  const synchronous = synchronousOf(node) ?? above.synchronous;
  const children = node.subcommand ?? [];
  const own = [
    ...checkArgumentDefinitions(node, above.at, above.values),
    ...checkAlias(node, above.at),
    ...checkNetwork(node, above.at),
  ];
  if (node.enabled === false) return own;
  if (children.length === 0) return [...own, ...checkLeaf(node, { ...above, synchronous })];
  const below = children.flatMap((child, index) =>
    checkNode(child, {
      tool: above.tool,
      at: [...above.at, "subcommand", index],
      path: [...above.path, child.name],
      synchronous,
      description: child.description ??
        (child.name === DEFAULT_LEAF ? node.description ?? above.description : undefined),
      labelled: above.labelled || child.argv !== undefined,
      values: above.values,
    })
  );
  const unused = node.sequence === undefined
    ? uselessFields(node, above.at, '"subcommand": move it into a subcommand "default"')
    : [];
  return [...own, ...unused, ...below];
}

function checkAlias(node: Node, at: Path): readonly UnplacedDiagnostic[] {
  return findings(
    node.force_synchronous !== undefined && node.synchronous !== undefined &&
      warningAt([...at, "force_synchronous"], '"force_synchronous" has no effect next to "synchronous": remove it'),
  );
}

function uselessFields(node: Node, at: Path, other: string): readonly UnplacedDiagnostic[] {
  return LEAF_FIELDS.filter((field) => node[field] !== undefined && !isEmptyList(node[field]))
    .map((field) => warningAt([...at, field], `"${field}" has no effect next to ${other}`));
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

const RETRIED_SEQUENCE =
  '"retry" has no effect next to "sequence": each step has the retries of the tool that it calls';

const NOT_TWICE =
  '"end_of_options" of an argument cannot go with that of its leaf or of an argument before it, or with ' +
  '"positional_args_first": keep one of them';

function checkLeaf(node: Node, above: Above): readonly UnplacedDiagnostic[] {
  const { at, tool } = above;
  const sequence = node.sequence ?? (tool.command === SEQUENCE_COMMAND ? tool.sequence : undefined);
  const late = '"end_of_options" cannot go with "positional_args_first": options after -- would be arguments';
  return [
    ...findings(
      tool.command === SEQUENCE_COMMAND && sequence === undefined &&
        errorAt(at, '"sequence" is missing: a tool whose command is "sequence" needs its steps'),
      node.end_of_options === true && node.positional_args_first === true &&
        errorAt([...at, "end_of_options"], late),
      ...(node.positional_args ?? []).map((one, index, all) =>
        one.end_of_options === true &&
        (node.end_of_options === true || node.positional_args_first === true ||
          all.slice(0, index).some((before) => before.end_of_options === true)) &&
        errorAt([...at, "positional_args", index, "end_of_options"], NOT_TWICE)
      ),
      node.sequence !== undefined && node.retry !== undefined &&
        warningAt([...at, "retry"], RETRIED_SEQUENCE),
    ),
    ...(above.labelled || sequence !== undefined ? [] : checkUnderscore(above)),
    ...checkDescription(node, above),
    ...(sequence === undefined
      ? knownProgramDiagnostics(tool.command, above.labelled ? undefined : above.path, node.options ?? [], at)
      : uselessFields(node, at, '"sequence": a step takes what its own "args" say')),
  ];
}

function checkUnderscore(above: Above): readonly UnplacedDiagnostic[] {
  return above.path.flatMap((name, depth) => {
    if (!name.includes("_")) return [];
    const words = name.split("_").filter((word) => word !== "");
    const at = [...above.at.slice(0, 2 * (depth + 1)), "name"];
    const advice = `if several are meant, add "argv": ${JSON.stringify(words)}`;
    return [warningAt(at, `Subcommand name "${name}" holds "_" and reaches the program as one word: ${advice}`)];
  });
}

function checkDescription(node: Node, above: Above): readonly UnplacedDiagnostic[] {
  const description = node.description ?? above.description ?? "";
  const at = node.description === undefined ? above.at : [...above.at, "description"];
  if (description.trim() === "") {
    return [warningAt(at, '"description" is missing: a model chooses the tool by it, add one')];
  }
  if (above.synchronous === true) {
    if (!PROMISES_ASYNC.test(description)) return [];
    const message = '"description" promises asynchronous work and the leaf is synchronous: change one of them';
    return [errorAt(at, message)];
  }
  if (MENTIONS_BACKGROUND.test(description)) return [];
  const message =
    '"description" does not say that the command runs in the background: say so, or set "synchronous": true';
  return [warningAt(at, message)];
}

/** Fields that every subcommand below inherits. */
const INHERITED_FIELDS = ["command", "argv", "description", "install_instructions", "availability_check"] as const;
/** JSON characters of one of them. */
const LONGEST_INHERITED = 16 * 1024;

/** An error for each field that is too long, of the tool and of its subcommands. */
export function inheritedLengths(
  node: ToolDefinition | SubcommandDefinition,
  at: readonly (string | number)[] = [],
): readonly UnplacedDiagnostic[] {
  const fields: Readonly<Record<string, unknown>> = { ...node };
  const own = INHERITED_FIELDS.flatMap((field) => {
    const length = JSON.stringify(fields[field] ?? "").length;
    if (length <= LONGEST_INHERITED) return [];
    return [errorAt([...at, field], `"${field}" has ${length} characters, at most ${LONGEST_INHERITED}: shorten it`)];
  });
  const below = node.subcommand ?? [];
  return [...own, ...below.flatMap((child, index) => inheritedLengths(child, [...at, "subcommand", index]))];
}
