/** Size limits of one `execve`, checked in advance because the kernel's own error names no argument. */
import type { LeafArgument } from "../catalog/model/leaf.ts";
import type { ArgumentProblem } from "./prepared_command.ts";
import type { Word } from "./words.ts";

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
