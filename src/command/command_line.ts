import { failure, type Outcome, success } from "../base/outcome.ts";
import type { Leaf, LeafArgument } from "../catalog/model/leaf.ts";
import type { CheckedArguments } from "./arguments.ts";
import type { ArgumentProblem, PreparedCommand } from "./prepared_command.ts";
import { sizeProblems } from "./size_limits.ts";
import { variablesOf, wordsOf } from "./words.ts";

/**
 * The command of a checked call (T7, T8), or the arguments that are too long to be passed.
 *
 * @throws RangeError for a sequence, which has no command of its own.
 */
export function prepareCommand(
  leaf: Leaf,
  checked: CheckedArguments,
): Outcome<PreparedCommand, readonly ArgumentProblem[]> {
  if (leaf.argv.length === 0) throw new RangeError(`Cannot build a command for "${leaf.name}": it is a sequence`);
  const words = wordsOf(leaf, checked);
  const variables = variablesOf(leaf, checked.values);
  const tooLong = sizeProblems(words, variables);
  if (tooLong.length > 0) return failure(tooLong);
  const files: string[] = [];
  const argv = words.map(({ content }) => "text" in content ? content.text : { file: files.push(content.inFile) - 1 });
  return success({
    argv,
    environment: Object.fromEntries(
      [...variables].flatMap(([{ env }, text]) => env === undefined ? [] : [[env, text]]),
    ),
    files,
    paths: [...leaf.options, ...leaf.positionals].flatMap((argument) => pathsOf(argument, checked)),
    stdin: checked.stdin,
  });
}

/** Every element of a path argument, as the call wrote it (T9). */
function pathsOf(argument: LeafArgument, checked: CheckedArguments): PreparedCommand["paths"] {
  if (argument.format !== "path" && argument.items?.format !== "path") return [];
  if (argument.file_arg) return [];
  return [checked.values.get(argument.name)].flat()
    .filter((value) => typeof value === "string")
    .map((value) => ({ argument: argument.name, value }));
}
