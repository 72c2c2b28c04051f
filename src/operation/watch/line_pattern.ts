/** What a wait for output looks for in each line (X20, S22). */
import { failure, type Outcome, success } from "../../base/outcome.ts";

/** A text, or a pattern whose time grows with the length of what it is tried on, however it was written. */
export interface LinePattern {
  /** As it was given. */
  readonly source: string;
  /** Of a text it is tried on, UTF-16 units: more would take too long at once. */
  readonly longest: number;
  /** Whether it occurs in `text`, which may have several lines: a hit may then also lie across two of them. */
  occursIn(text: string): boolean;
}

/** Longer ones are refused, UTF-16 units. */
const LONGEST = 1_000;
/** Steps of a compiled pattern: so many take at most some 100 ms for the longest text. */
const MOST_STEPS = 500;
const LONGEST_TEXT = 4_096;
const PATTERN = /^\/(.+)\/(i?)$/s;

/**
 * Reads `text`, or `/pattern/` in the syntax of RE2, which has no look-around and no back-references; `/pattern/i`
 * ignores case. The problem is a sentence.
 */
export async function readLinePattern(source: string): Promise<Outcome<LinePattern>> {
  if (source.length > LONGEST) return failure(`A text to wait for has at most ${LONGEST} characters`);
  if (source.trim() === "") return failure("A text to wait for needs a character that is not a blank");
  const [, pattern, flag] = PATTERN.exec(source) ?? [];
  if (pattern === undefined) return success({ source, longest: Infinity, occursIn: (text) => text.includes(source) });
  const { RE2JS } = await import("re2js");
  try {
    const regexp = RE2JS.compile(pattern, RE2JS.MULTILINE | (flag === "i" ? RE2JS.CASE_INSENSITIVE : 0));
    if (regexp.programSize() > MOST_STEPS) {
      return failure(
        `The pattern ${source} is too large: it has ${regexp.programSize()} steps, at most ${MOST_STEPS} are taken`,
      );
    }
    return success({ source, longest: LONGEST_TEXT, occursIn: (text) => regexp.test(text) });
  } catch (thrown) {
    // Its own flags come first.
    const why = (thrown instanceof Error ? thrown.message : String(thrown)).replace(/\(\?[mi]+\)/, "");
    return failure(`Cannot read the pattern ${source}: ${why}. It has the syntax of RE2; without slashes it is a text`);
  }
}
