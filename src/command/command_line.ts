import type { Leaf, LeafArgument } from "../catalog/model/leaf.ts";
import type { CheckedArguments } from "./arguments.ts";
import type { PreparedCommand } from "./prepared_command.ts";
import { variablesOf, wordsOf } from "./words.ts";

/**
 * The command of a checked call (T7, T8).
 *
 * @throws RangeError for a sequence, which has no command of its own.
 */
export function prepareCommand(leaf: Leaf, checked: CheckedArguments): PreparedCommand {
  if (leaf.argv.length === 0) throw new RangeError(`Cannot build a command for "${leaf.name}": it is a sequence`);
  const files: string[] = [];
  const argv = wordsOf(leaf, checked).map(({ content }) =>
    "text" in content ? content.text : { file: files.push(content.inFile) - 1 }
  );
  const variables = [...variablesOf(leaf, checked.values)];
  return {
    argv,
    environment: Object.fromEntries(variables.flatMap(([{ env }, text]) => env === undefined ? [] : [[env, text]])),
    files,
    paths: [...leaf.options, ...leaf.positionals].flatMap((argument) => pathsOf(argument, checked)),
    stdin: checked.stdin,
  };
}

/** Every element of a path argument, as the caller wrote it (T9). */
function pathsOf(argument: LeafArgument, checked: CheckedArguments): PreparedCommand["paths"] {
  if (argument.format !== "path" && argument.items?.format !== "path") return [];
  if (argument.fileArg) return [];
  return [checked.values.get(argument.name)].flat()
    .filter((value) => typeof value === "string")
    .map((value) => ({ argument: argument.name, value }));
}
