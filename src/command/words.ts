/**
 * Builds argv (T7): the words of the command, options in the file's order, then positional arguments. No shell reads it,
 * so every value arrives byte for byte.
 */
import type { Leaf, LeafArgument } from "../catalog/model/leaf.ts";

/** One element of argv and the argument that it comes from; undefined: it comes from the tool file. */
export interface Word {
  readonly argument: string | undefined;
  /** The text itself, or the text of a private file whose path takes this place. */
  readonly content: { readonly text: string } | { readonly inFile: string };
}

/** The parts of a call from which argv is built. */
export interface ArgvParts {
  readonly values: ReadonlyMap<string, unknown>;
  readonly extra: readonly string[];
}

/** The whole argv of a call; empty for a sequence. */
export function wordsOf(leaf: Leaf, { values, extra }: ArgvParts): readonly Word[] {
  if (leaf.argv.length === 0) return [];
  const program = leaf.argv.map((text) => word(undefined, text));
  const options = inArgv(leaf.options).flatMap((option) => optionWords(option, values.get(option.name)));
  const positionals = inArgv(leaf.positionals).flatMap((one) => positionalWords(one, values.get(one.name)));
  const further = extra.map((text) => word("args", text));
  if (leaf.positionalsFirst) return [...program, ...positionals, ...options, ...further];
  const endsLater = leaf.positionals.some((one) => one.end_of_options === true);
  if (!leaf.endOfOptions && !endsLater) return [...program, ...options, ...positionals, ...further];
  // Further arguments may be options, so they come before the `--` that ends options.
  const guard = leaf.endOfOptions && positionals.length > 0 ? [word(undefined, "--")] : [];
  return [...program, ...options, ...further, ...guard, ...positionals];
}

/** The variables that a call sets: its arguments with `env`. A true flag is `1`; a false one is not set. */
export function variablesOf(leaf: Leaf, values: ReadonlyMap<string, unknown>): ReadonlyMap<LeafArgument, string> {
  const variables = new Map<LeafArgument, string>();
  for (const argument of [...leaf.options, ...leaf.positionals]) {
    const value = argument.env === undefined ? undefined : values.get(argument.name);
    if (value === undefined || value === false) continue;
    variables.set(argument, value === true ? "1" : textOf(value));
  }
  return variables;
}

function inArgv(list: readonly LeafArgument[]): readonly LeafArgument[] {
  return list.filter((argument) => argument.env === undefined);
}

function optionWords(option: LeafArgument, value: unknown): readonly Word[] {
  if (value === undefined || value === false) return [];
  const flag = flagOf(option);
  if (value === true) return [word(option.name, flag)];
  if (option.file_arg) return fileWords(option, value, flag);
  return [value].flat().flatMap((element) => {
    const text = textOf(element);
    if (!option.joined) return [word(option.name, flag), word(option.name, text)];
    return [word(option.name, option.alias === undefined ? `${flag}=${text}` : flag + text)];
  });
}

function positionalWords(argument: LeafArgument, value: unknown): readonly Word[] {
  if (value === undefined) return [];
  if (argument.file_arg) return fileWords(argument, value, undefined);
  const words = [value].flat().map((element) => word(argument.name, textOf(element)));
  return argument.end_of_options === true && words.length > 0 ? [word(undefined, "--"), ...words] : words;
}

function fileWords(argument: LeafArgument, value: unknown, ownFlag: string | undefined): readonly Word[] {
  const flag = argument.file_flag ?? ownFlag;
  const file: Word = { argument: argument.name, content: { inFile: textOf(value) } };
  return flag === undefined ? [file] : [word(argument.name, flag), file];
}

/** The short flag if there is one; a name that begins with `-` is used unchanged. */
function flagOf({ name, alias }: LeafArgument): string {
  if (alias !== undefined) return `-${alias}`;
  return name.startsWith("-") ? name : `--${name}`;
}

function word(argument: string | undefined, text: string): Word {
  return { argument, content: { text } };
}

/** The text of a checked value, a text or a number. Large whole numbers are written without an exponent. */
function textOf(value: unknown): string {
  return typeof value === "number" && Number.isInteger(value) ? BigInt(value).toString() : String(value);
}
