import { failure, type Outcome, success } from "../base/outcome.ts";
import type { Leaf, LeafArgument } from "../catalog/model/leaf.ts";
import type { CheckedArguments } from "./arguments.ts";
import type { ArgumentProblem, PreparedCommand } from "./prepared_command.ts";
import { variablesOf, type Word, wordsOf } from "./words.ts";

/**
 * The command of a checked call (T7, T8), or the arguments that are too long to be passed.
 *
 * @throws RangeError for a sequence, which has no command.
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

/** Bytes of one argv element or variable (Linux MAX_ARG_STRLEN, 32 pages, less the closing NUL). */
export const LONGEST_WORD_BYTES = 131_071;
/** Bytes of all elements together: under the kernel's limit (a quarter of the stack), with room for the environment. */
const ALL_WORDS_BYTES = 1_572_864;
/** Bytes that the kernel adds for each element: the closing NUL and a pointer. */
const WORD_OVERHEAD_BYTES = 9;

/** The arguments of a valid call that are too long to be passed. */
export function sizeProblems(
  words: readonly Word[],
  variables: ReadonlyMap<LeafArgument, string>,
): readonly ArgumentProblem[] {
  const encoder = new TextEncoder();
  const problems = new Map<string, ArgumentProblem>();
  let total = 0;
  const measure = (argument: string, text: string, advice: string) => {
    const bytes = encoder.encode(text).length;
    total += bytes + WORD_OVERHEAD_BYTES;
    if (bytes <= LONGEST_WORD_BYTES) return;
    const message = `Argument "${argument}" has ${bytes} bytes, at most ${LONGEST_WORD_BYTES} can be passed: ${advice}`;
    problems.set(argument, { argument, message });
  };
  for (const { argument, content } of words) {
    if ("text" in content) measure(argument ?? "", content.text, "put it into a file and pass the path");
  }
  for (const [argument, text] of variables) {
    measure(argument.name, `${argument.env}=${text}`, "shorten it");
  }
  if (problems.size === 0 && total > ALL_WORDS_BYTES) {
    const message = `The arguments have ${total} bytes together, at most ${ALL_WORDS_BYTES} can be passed: ` +
      "split the call into several";
    return [{ argument: "", message }];
  }
  return [...problems.values()];
}
