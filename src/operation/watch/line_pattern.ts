/** What a wait for output looks for in each line (X20, S22). */
import { failure, type Outcome, success } from "../../base/outcome.ts";

/** A text, or a pattern whose time grows with the length of what it is tried on, however it was written. */
export interface LinePattern {
  /** As it was given. */
  readonly source: string;
  /** How much work it is: the steps of its program; 0 for a text. */
  readonly steps: number;
  /** Of a text it is tried on, UTF-16 units: more would take too long at once. */
  readonly longest: number;
  /** Whether it occurs in `text`, which may have several lines: a hit may then also lie across two of them. */
  occursIn(text: string): boolean;
}

/** Longer ones are refused, UTF-16 units. */
const LONGEST = 1_000;
/** Most steps of a compiled pattern: they take at most some 100 ms for the longest text. */
const MOST_STEPS = 500;
const LONGEST_TEXT = 4_096;
/** Alternatives without a sign of their own are texts, which are found much faster. */
const TEXTS = /^[\w ,:;=<>@#%&"'`~!-]+(?:\|[\w ,:;=<>@#%&"'`~!-]+)*$/;
const PATTERN = /^\/(.+)\/(i?)$/s;

/** Reads `text`, or `/pattern/` in RE2's syntax (no look-around or back-references), `/pattern/i` without case. */
export async function readLinePattern(source: string): Promise<Outcome<LinePattern>> {
  if (source.length > LONGEST) return failure(`A text to wait for has at most ${LONGEST} characters`);
  if (source.trim() === "") return failure("A text to wait for needs a character that is not a blank");
  const [, pattern, flag] = PATTERN.exec(source) ?? [];
  if (pattern === undefined) {
    return success({
      source,
      steps: 0,
      longest: Infinity,
      occursIn: (text) => text.includes(source),
    });
  }
  if (TEXTS.test(pattern) && flag === "") {
    const texts = pattern.split("|");
    return success({
      source,
      steps: 0,
      longest: Infinity,
      occursIn: (text) => texts.some((one) => text.includes(one)),
    });
  }
  const { RE2JS } = await import("re2js");
  try {
    const regexp = RE2JS.compile(pattern, RE2JS.MULTILINE | (flag === "i" ? RE2JS.CASE_INSENSITIVE : 0));
    const steps = regexp.programSize();
    if (steps > MOST_STEPS) {
      return failure(`The pattern ${source} is too large: it has ${steps} steps, at most ${MOST_STEPS} are allowed`);
    }
    return success({ source, steps, longest: LONGEST_TEXT, occursIn: (text) => regexp.test(text) });
  } catch (thrown) {
    // Its own flags come first.
    const why = (thrown instanceof Error ? thrown.message : String(thrown)).replace(/\(\?[mi]+\)/, "");
    return failure(`Cannot read the pattern ${source}: ${why}. It has the syntax of RE2; without slashes it is a text`);
  }
}

/** Patterns that are looked for together. */
const MOST_PATTERNS = 8;

/** Reads several patterns as one that occurs where one of them does. The problem is a sentence. */
export async function readLinePatterns(sources: readonly string[]): Promise<Outcome<LinePattern>> {
  if (sources.length > MOST_PATTERNS) {
    return failure(`${sources.length} texts are given, at most ${MOST_PATTERNS} are allowed`);
  }
  const patterns: LinePattern[] = [];
  for (const source of sources) {
    const read = await readLinePattern(source);
    if (!read.ok) return read;
    patterns.push(read.value);
  }
  const steps = patterns.reduce((sum, one) => sum + one.steps, 0);
  if (steps > MOST_STEPS) {
    return failure(`The patterns are too large together: they have ${steps} steps, at most ${MOST_STEPS} are allowed`);
  }
  return success({
    source: sources.join(", "),
    steps,
    longest: Math.min(...patterns.map(({ longest }) => longest)),
    occursIn: (text) => patterns.some((one) => one.occursIn(text)),
  });
}
