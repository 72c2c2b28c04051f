/** What the schema cannot say about the options and positional arguments of a leaf (T4). */
import { attempt } from "../../base/errors.ts";
import { didYouMean } from "../../base/suggest.ts";
import { argumentOf } from "../model/flatten.ts";
import { errorAt, findings, type UnplacedDiagnostic, warningAt } from "../format/diagnostic.ts";
import { hiddenCharacters } from "./check_text.ts";
import { isAlwaysMeta } from "../model/meta_parameters.ts";
import type { SubcommandDefinition } from "../format/mtdf.ts";
import type { ArgumentDefinition } from "../format/mtdf_argument.ts";
import { mostSteps } from "../model/pattern.ts";
import type { ValueCheck } from "../model/value.ts";

type Path = readonly (string | number)[];
type Kind = "options" | "positional_args";

/** Names that nearly always mean a path; those not listed here are often patterns. */
const PATH_NAME =
  /^(?!-*(exclude|include|ignore|no|skip)).*(^|[_-])(path|paths|file|files|filename|dir|directory|directories|folder)$/i;
/** Property names outside this are refused by some model providers. */
const PORTABLE_NAME = /^[A-Za-z0-9_.-]{1,64}$/;

/** Diagnostics about the arguments of the node at `at`. */
export function checkArgumentDefinitions(
  { options = [], positional_args: positionals = [] }: Pick<SubcommandDefinition, "options" | "positional_args">,
  at: Path,
  values: ValueCheck,
): readonly UnplacedDiagnostic[] {
  const checkList = (kind: Kind, list: readonly ArgumentDefinition[]) =>
    list.flatMap((argument, index) => checkOne(kind, { argument, at: [...at, kind, index] }, values));
  return [
    ...checkList("options", options),
    ...checkList("positional_args", positionals),
    ...checkNames(options, positionals, at),
    ...checkOrder(positionals, at),
  ];
}

interface Placed {
  readonly argument: ArgumentDefinition;
  readonly at: Path;
}

function checkOne(kind: Kind, { argument, at }: Placed, values: ValueCheck): readonly UnplacedDiagnostic[] {
  // A meta-parameter keeps its type and meaning, even if the file declares it differently.
  if (isAlwaysMeta(argument.name)) return [];
  const hidden = hiddenCharacters(argument, at);
  if (hidden.length > 0) return hidden; // messages about the rest would quote them
  if (argument.name === "__proto__") {
    return [errorAt([...at, "name"], 'Argument name "__proto__" is reserved: rename it')];
  }
  return [
    ...findings(
      kind === "positional_args" && argument.type === "boolean" &&
        errorAt(
          [...at, "type"],
          `Positional argument "${argument.name}" is a boolean: move it to "options", it is a flag`,
        ),
      kind === "options" && argument.end_of_options === true &&
        errorAt(
          [...at, "end_of_options"],
          `Option "${argument.name}" has "end_of_options", which belongs to positional arguments: leave it out`,
        ),
    ),
    ...checkLimits({ argument, at }, values),
    ...checkPassing(argument, at),
    ...checkWording(kind, argument, at),
  ];
}

function checkLimits({ argument, at }: Placed, values: ValueCheck): readonly UnplacedDiagnostic[] {
  const { pattern, minimum, maximum } = argument;
  const named = `of argument "${argument.name}"`;
  const type = argument.type === "array" ? argument.items?.type ?? "string" : argument.type ?? "string";
  if (pattern !== undefined && attempt(SyntaxError, () => new RegExp(pattern, "u")) === undefined) {
    return [errorAt([...at, "pattern"], `Pattern ${named} is not a valid regular expression: correct it`)];
  }
  const wrong = argument.enum?.find((value) =>
    type === "boolean" || (typeof value === "string") !== (type === "string")
  );
  const without = type === "string" || type === "boolean" ? ["minimum", "maximum"] as const : ["pattern"] as const;
  const unused = without.find((key) => argument[key] !== undefined);
  return [
    ...findings(
      wrong !== undefined &&
        errorAt([...at, "enum"], `Value ${JSON.stringify(wrong)} in "enum" ${named} is not of type ${type}`),
      minimum !== undefined && maximum !== undefined && minimum > maximum &&
        errorAt([...at, "minimum"], `"minimum" ${named} is above its "maximum": no value fits`),
      pattern !== undefined && mostSteps(pattern, 1) === Infinity &&
        warningAt(
          [...at, "pattern"],
          `Pattern ${named} is never used: write it without repeated groups and lookaround`,
        ),
      unused !== undefined &&
        warningAt([...at, unused], `"${unused}" ${named} has no effect: its type is ${type}`),
    ),
    ...checkDefault({ argument, at }, values),
  ];
}

function checkDefault({ argument, at }: Placed, values: ValueCheck): readonly UnplacedDiagnostic[] {
  if (argument.default === undefined) return [];
  const path = [...at, "default"];
  const problem = values.problemOf(argumentOf(argument), argument.default);
  if (problem !== undefined) return [errorAt(path, `Default of argument "${argument.name}" ${problem}`)];
  if ([argument.default].flat().some((value) => typeof value === "string" && value.includes("\0"))) {
    return [errorAt(path, `Default of argument "${argument.name}" holds a NUL character: no program can be given one`)];
  }
  if (argument.required !== true) return [];
  return [warningAt(path, `Argument "${argument.name}" is required and has a default: it is never missing`)];
}

/** How the value travels: argv, file or environment. */
function checkPassing(argument: ArgumentDefinition, at: Path): readonly UnplacedDiagnostic[] {
  const { type = "string", env, joined, file_flag: flag } = argument;
  const name = `Argument "${argument.name}"`;
  const isFile = argument.file_arg === true;
  return findings(
    isFile && type !== "string" &&
      errorAt([...at, "file_arg"], `${name} is passed in a file and is of type ${type}: make it a string`),
    isFile && env !== undefined &&
      errorAt([...at, "env"], `${name} is passed in a file and in a variable: choose one`),
    isFile && joined === true &&
      errorAt([...at, "joined"], `${name} is passed in a file and joined: leave "joined" out`),
    env !== undefined && type === "array" &&
      errorAt([...at, "env"], `${name} is a list and passed in a variable: make it a string`),
    flag !== undefined && !isFile &&
      warningAt([...at, "file_flag"], `"file_flag" of ${name} has no effect: add "file_arg": true`),
  );
}

function checkWording(kind: Kind, argument: ArgumentDefinition, at: Path): readonly UnplacedDiagnostic[] {
  const { name, type = "string" } = argument;
  const formats = [argument.format, argument.items?.format];
  const unknown = formats.flatMap((format, index) => {
    if (format === undefined || format === "path") return [];
    const place = index === 0 ? [...at, "format"] : [...at, "items", "format"];
    const advice = `treated as plain text${didYouMean(format, ["path"])}`;
    return [warningAt(place, `Format "${format}" of argument "${name}" is unknown: ${advice}`)];
  });
  const isPath = (type === "string" || type === "array") && PATH_NAME.test(name);
  const allowed = 'letters, digits, "_", "." and "-", at most 64';
  // A flag that is really called --args is known by its "joined".
  const isPlain = argument.alias === undefined && argument.env === undefined && argument.joined !== true;
  const advice = 'to accept raw arguments, remove the option and set "allow_args": true';
  return [
    ...unknown,
    ...findings(
      isPath && formats.every((format) => format === undefined) &&
        warningAt(at, `Argument "${name}" looks like a path: add "format": "path"`),
      !PORTABLE_NAME.test(name) &&
        warningAt([...at, "name"], `Some clients refuse the argument name "${name}": use ${allowed}`),
      kind === "options" && name === "args" && isPlain &&
        warningAt([...at, "name"], `Option "args" reaches the program as "--args": ${advice}`),
    ),
  ];
}

function checkNames(
  options: readonly ArgumentDefinition[],
  positionals: readonly ArgumentDefinition[],
  at: Path,
): readonly UnplacedDiagnostic[] {
  const diagnostics: UnplacedDiagnostic[] = [];
  const names = new Set<string>();
  const aliases = new Set<string>();
  for (const [kind, list] of [["options", options], ["positional_args", positionals]] as const) {
    for (const [index, { name, alias }] of list.entries()) {
      if (names.has(name)) {
        diagnostics.push(errorAt([...at, kind, index, "name"], `Argument "${name}" is declared twice: rename one`));
      }
      if (kind === "options" && alias !== undefined && aliases.has(alias)) {
        diagnostics.push(
          warningAt([...at, kind, index, "alias"], `Alias "${alias}" is used twice: correct one of them`),
        );
      }
      names.add(name);
      if (alias !== undefined) aliases.add(alias);
    }
  }
  return diagnostics;
}

function checkOrder(positionals: readonly ArgumentDefinition[], at: Path): readonly UnplacedDiagnostic[] {
  const optional = positionals.find((one) => one.required !== true && one.default === undefined);
  if (optional === undefined) return [];
  const index = positionals.findLastIndex((one) => one.required === true);
  if (index < positionals.indexOf(optional)) return [];
  const message = `Required positional argument "${
    positionals[index]?.name
  }" comes after the optional one "${optional.name}": put it first`;
  return [errorAt([...at, "positional_args", index], message)];
}
