/** Diagnostics for a file that does not have the format, written for its author (T4). */
import { shownValue } from "../../base/text.ts";
import type { z } from "zod";
import { closest, didYouMean } from "../../base/suggest.ts";
import { errorAt, MOST_DIAGNOSTICS, type UnplacedDiagnostic } from "../format/diagnostic.ts";
import { shown } from "../model/value.ts";
import { knownFields, toolSchema } from "../format/mtdf.ts";

type Issue = z.core.$ZodIssue;
type Path = readonly (string | number)[];

/** Type names of other languages, too far from ours for a spelling guess. */
const TYPE_SYNONYMS: Readonly<Record<string, string>> = {
  bool: "boolean",
  flag: "boolean",
  int: "integer",
  str: "string",
  text: "string",
  float: "number",
  list: "array",
};

/** Fields of other formats and programs, and what takes their place here. */
const FOREIGN_FIELDS: Readonly<Record<string, string>> = {
  args_template: 'nothing is put together as shell text here: fixed words go into "argv", values into "options"',
  short: 'the short flag is "alias"',
  long: 'the long flag is "name"',
  choices: 'the allowed values are "enum"',
  min: 'the smallest value is "minimum"',
  max: 'the largest value is "maximum"',
  args: 'flags are "options", other arguments "positional_args"',
  parameters: 'flags are "options", other arguments "positional_args"',
  timeout: 'the limit is "timeout_seconds"',
  async: 'a leaf that is not "synchronous" runs in the background',
};

/** One diagnostic for each fault of a parsed file, within the limit of a file; empty: it has the format. */
export function formatDiagnostics(parsed: unknown): readonly UnplacedDiagnostic[] {
  const issues = (toolSchema().safeParse(parsed).error?.issues ?? []).slice(0, MOST_DIAGNOSTICS + 1)
    .map((issue) =>
      issue.code === "unrecognized_keys" ? { ...issue, keys: issue.keys.slice(0, MOST_DIAGNOSTICS + 1) } : issue
    );
  return issues.filter((issue) => !isSaidBetter(issue, issues)).flatMap((issue) => {
    // JSON has no symbols, so a path through a parsed file holds none.
    const path = issue.path.filter((part) => typeof part !== "symbol");
    if (issue.code === "unrecognized_keys") return issue.keys.map((key) => unknownField(path, key));
    return [errorAt(path, messageOf(issue, path, valueAt(parsed, path)))];
  });
}

/** A whole number beyond exact integers is also beyond the limit of its field, whose message says more. */
function isSaidBetter(issue: Issue, issues: readonly Issue[]): boolean {
  if (issue.code !== "too_big" || issue.maximum !== Number.MAX_SAFE_INTEGER) return false;
  return issues.some((other) => other !== issue && other.path.join("/") === issue.path.join("/"));
}

function unknownField(path: Path, key: string): UnplacedDiagnostic {
  const known = knownFields()[sectionOf(path)] ?? [];
  const foreign = Object.hasOwn(FOREIGN_FIELDS, key) ? FOREIGN_FIELDS[key] : undefined;
  const guess = closest(key, known);
  const advice = foreign !== undefined
    ? `: ${foreign}`
    : guess === undefined
    ? `; known fields: ${known.join(", ")}`
    : `; did you mean "${guess}"?`;
  return { severity: "error", path: [...path, key], at: "key", message: `Field ${quote(key)} is unknown${advice}` };
}

function sectionOf(path: Path): string {
  return String(path.findLast((part) => typeof part === "string") ?? "");
}

function messageOf(issue: Issue, path: Path, found: unknown): string {
  const name = path.length === 0 ? "The file" : nameOf(path);
  switch (issue.code) {
    case "invalid_type":
      if (found === Infinity || found === -Infinity) return `${name} is too large a number: give a smaller one`;
      if (found === undefined) return `${name} is missing: add it (${article(issue.expected)})`;
      return `${name} is ${shown(found)}, expected ${article(issue.expected)}`;
    case "invalid_value":
      return `${name} is ${shownValue(found)}, expected one of ${issue.values.map(shownValue).join(", ")}${
        suggestion(found, issue.values)
      }`;
    case "invalid_union":
      return memberMessage(issue, path, found) ?? `${name} is ${shown(found)}, expected ${unionOf(issue)}`;
    case "too_small":
      return `${name} is ${sizeOf(found)}, expected ${issue.inclusive === false ? "more than" : "at least"} ${
        String(issue.minimum)
      }`;
    case "too_big":
      return `${name} is ${sizeOf(found)}, expected at most ${String(issue.maximum)}`;
    case "invalid_format":
      return `${name} is ${shownValue(found)}: ${formatAdvice(path)}`;
    case "invalid_key":
    case "invalid_element":
    case "not_multiple_of":
    case "unrecognized_keys":
    case "custom":
      return `${name} is ${shownValue(found)}: ${issue.message}`;
  }
}

function suggestion(found: unknown, values: readonly unknown[]): string {
  if (typeof found !== "string") return "";
  const synonym = TYPE_SYNONYMS[found.toLowerCase()];
  if (synonym !== undefined && values.includes(synonym)) return `; did you mean "${synonym}"?`;
  return didYouMean(found, values.filter((value) => typeof value === "string"));
}

function formatAdvice(path: Path): string {
  const section = sectionOf(path.slice(0, -1));
  const ofArgument = section === "options" || section === "positional_args";
  if (ofArgument && path.at(-1) === "name") return "an argument name holds no space, no = and no NUL";
  return FORMATS[String(path.at(-1))] ?? "it must not be empty and must not hold NUL";
}

const FORMATS: Readonly<Record<string, string>> = {
  name: 'a name holds letters, digits, "_" and "-" only; words that differ from it go into "argv"',
  alias: "an alias is the short flag without its dash, and holds no space and no =",
  env: "a variable name holds letters, digits and _ and does not begin with a digit",
  command: "a command names a program and holds no NUL",
};

/** `type of options 0` style names: the key, and for an element of a list its list and index. */
function nameOf(path: Path): string {
  const last = path.at(-1);
  return typeof last === "number" ? `Element ${last} of ${quote(String(path.at(-2) ?? ""))}` : quote(String(last));
}

interface UnionIssue {
  readonly errors: readonly (readonly Issue[])[];
}

/** If the value has one of the types, what is wrong with it; undefined: it has none of them. */
function memberMessage({ errors }: UnionIssue, path: Path, found: unknown): string | undefined {
  const inner = errors.flat().find((one) => one.path.length > 0 || one.code === "too_small");
  if (inner === undefined) return undefined;
  const below = inner.path.filter((part) => typeof part !== "symbol");
  return messageOf(inner, [...path, ...below], valueAt(found, below));
}

function unionOf({ errors }: UnionIssue): string {
  const kinds = errors.flatMap(([first]) => {
    if (first?.code === "invalid_value") return first.values.map(shownValue);
    return first?.code === "invalid_type" ? [article(first.expected)] : [];
  });
  return [...new Set(kinds)].join(" or ");
}

function valueAt(parsed: unknown, path: Path): unknown {
  let value = parsed;
  for (const part of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, part)) return undefined;
    // An own property counts, whatever its type.
    value = (value as Record<string | number, unknown>)[part];
  }
  return value;
}

function sizeOf(found: unknown): string {
  if (typeof found === "string" || Array.isArray(found)) return `of length ${found.length}`;
  return shownValue(found);
}

/** Types of the validator in words; any other is its own word. */
const TYPE_WORDS: Readonly<Record<string, string>> = {
  array: "a list",
  object: "an object",
  record: "an object",
  int: "a whole number",
  boolean: "true or false",
  string: "a text",
};

function article(expected: string): string {
  return TYPE_WORDS[expected] ?? `a ${expected}`;
}

function quote(text: string): string {
  return JSON.stringify(text);
}
