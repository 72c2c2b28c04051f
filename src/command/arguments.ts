/**
 * Checks the arguments of a call against its leaf before anything runs (T6, T7). Each problem names the argument, the
 * given value and what is allowed. The check accepts what the JSON Schema of `inputSchemaOf` accepts, except what no
 * program can be given: NUL, invalid Unicode, and values that would be taken for options.
 */
import { failure, type Outcome, success } from "../base/outcome.ts";
import { closest } from "../base/suggest.ts";
import type { Leaf, LeafArgument } from "../catalog/model/leaf.ts";
import { metaParametersOf } from "../catalog/model/meta_parameters.ts";
import { expectedOf, shown, ValueCheck } from "../catalog/model/value.ts";
import { type MetaParts, readMeta } from "./meta_arguments.ts";
import type { ArgumentProblem } from "./prepared_command.ts";

/** The arguments of a call, valid and complete. */
export interface CheckedArguments extends MetaParts {
  /** Declared arguments by name, in the file's order, with defaults filled in; omitted arguments are absent. */
  readonly values: ReadonlyMap<string, unknown>;
}

/** The checked arguments of a call of `leaf`, or all their problems. */
export function checkArguments(leaf: Leaf, args: unknown): Outcome<CheckedArguments, readonly ArgumentProblem[]> {
  if (typeof args !== "object" || args === null || Array.isArray(args)) {
    return failure([{ argument: "", message: `The arguments are ${shown(args)}, expected an object` }]);
  }
  const given = new Map<string, unknown>(Object.entries(args));
  const meta = metaParametersOf(leaf);
  const declared = [...leaf.options, ...leaf.positionals];
  const problems = [...unknownProblems(given, declared, [...meta.keys()])];
  const values = new Map<string, unknown>();
  const check = ValueCheck.ofCall();
  for (const argument of declared) {
    const value = given.has(argument.name) ? given.get(argument.name) : argument.default;
    if (value !== undefined) values.set(argument.name, value);
    const message = messageFor({ leaf, argument, check }, given);
    if (message !== undefined) problems.push({ argument: argument.name, message });
  }
  const parts = readMeta(given, meta, problems);
  return problems.length > 0 ? failure(problems) : success({ values, ...parts });
}

/** The text of the tool result for refused arguments. */
export function describeArgumentProblems(leaf: Leaf, problems: readonly ArgumentProblem[]): string {
  const lines = problems.map((problem) => problem.message);
  if (lines.length === 1) return `Cannot run "${leaf.name}": ${lines[0]}`;
  return [`Cannot run "${leaf.name}": ${lines.length} arguments are wrong`, ...lines.map((line) => `- ${line}`)]
    .join("\n");
}

/** A refusal names at most this many unknown arguments: each is compared with every known one. */
const MOST_UNKNOWN = 20;

function unknownProblems(
  given: ReadonlyMap<string, unknown>,
  declared: readonly LeafArgument[],
  meta: readonly string[],
): readonly ArgumentProblem[] {
  const known = new Set([...declared.map((argument) => argument.name), ...meta]);
  const unknown = [...given.keys()].filter((name) => !known.has(name)).slice(0, MOST_UNKNOWN);
  return unknown.map((name) => {
    const guess = closest(name, known);
    const advice = guess === undefined
      ? `: known arguments are ${[...known].join(", ")}`
      : `; did you mean "${guess}"?`;
    return { argument: name, message: `Argument ${JSON.stringify(name)} is unknown${advice}` };
  });
}

interface ArgumentCheck {
  readonly leaf: Leaf;
  readonly argument: LeafArgument;
  readonly check: ValueCheck;
}

function messageFor({ leaf, argument, check }: ArgumentCheck, given: ReadonlyMap<string, unknown>): string | undefined {
  const name = `Argument "${argument.name}"`;
  if (!given.has(argument.name)) {
    return argument.required ? `${name} is missing, expected ${expectedOf(argument)}` : undefined;
  }
  const value = given.get(argument.name);
  const problem = check.problemOf(argument, value);
  if (problem !== undefined) return `${name} ${problem}`;
  for (const element of [value].flat()) {
    const unfit = unfitProblem(leaf, argument, element);
    if (unfit !== undefined) return `${name} ${unfit}`;
  }
  return undefined;
}

/** Why a value of the right type still cannot be passed; undefined: it can. */
function unfitProblem(leaf: Leaf, argument: LeafArgument, element: unknown): string | undefined {
  if (typeof element === "string") {
    if (!element.isWellFormed()) return "holds half a surrogate pair: no program can be given it, send valid Unicode";
    if (!argument.file_arg && element.includes("\0")) return "holds a NUL character: no program can be given one";
  }
  const inArgv = !argument.file_arg && argument.env === undefined && leaf.positionals.includes(argument);
  const isGuarded = leaf.endOfOptions || argument.end_of_options === true;
  if (!inArgv || isGuarded || !looksLikeOption(element)) return undefined;
  return `is ${shown(element)}, which the program would take for an option: ` +
    'use the declared options, or for a file put "./" before it';
}

/** Whether a program would read this value as an option; a lone `-` is not one. */
function looksLikeOption(element: unknown): boolean {
  const text = String(element);
  return text.startsWith("-") && text !== "-";
}
