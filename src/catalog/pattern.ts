/**
 * Matching a tool file's `pattern` without ever standing still: JavaScript's engine goes back and tries again, which
 * for some patterns takes longer than anybody waits, and commands can write tool files. A pattern is help for the
 * caller, not protection: what cannot be tried in a bounded number of steps is left to the program itself.
 */

/** Longest value, in UTF-16 units, by the number of choices that multiply: the steps stay below some millions. */
const LONGEST_BY_CHOICES = [100_000, 100_000, 2_000, 150] as const;
/** A longer pattern, or a longer fixed repetition in it, is left alone. */
const LONGEST_PATTERN = 1_000;

/** Whether `value` matches `pattern` somewhere; true for what is not tried. */
export function matchesPattern(pattern: string, value: string): boolean {
  return value.length > longestChecked(pattern) || new RegExp(pattern, "u").test(value);
}

/**
 * How long a value may be to be tried with this pattern; -1: no value is.
 *
 * @example longestChecked("^v[0-9]+$") // 100000
 * @example longestChecked("^(a+)+$") // -1
 */
export function longestChecked(pattern: string): number {
  const choices = pattern.length > LONGEST_PATTERN ? undefined : choicesOf(pattern);
  return choices === undefined ? -1 : LONGEST_BY_CHOICES[choices] ?? -1;
}

/** Escapes, classes, opening and closing of groups, alternatives, quantifiers; anything else is one character. */
const TOKENS = /\\.|\[(?:\\.|[^\]\\])*\]|\((?:\?(?:[:=!]|<[=!]|<[^>]*>))?|\)|\||[*+?]\??|\{\d+(?:,\d*)?\}\??|[^]/gu;

/**
 * How many choices of the engine multiply: where to begin, how often each part repeats, which alternative. Undefined
 * for a group that is repeated and for what looks around or back: those can multiply without limit.
 */
function choicesOf(pattern: string): number | undefined {
  let choices = 0;
  let depth = 0;
  let anchored = pattern.startsWith("^");
  let previous = "";
  for (const [token] of pattern.matchAll(TOKENS)) {
    const counts = /^\{(\d+)(,?)(\d*)\}/.exec(token);
    if (counts !== null || /^[*+?]/.test(token)) {
      if (previous === ")") return undefined;
      if (counts !== null && Math.max(Number(counts[1]), Number(counts[3])) > LONGEST_PATTERN) return undefined;
      if (counts === null || counts[2] === ",") choices++;
    } else if (token === "|") {
      choices++;
      if (depth === 0) anchored = false;
    } else if (token === "(" || token === "(?:" || token.startsWith("(?<") && !/^\(\?<[=!]/.test(token)) depth++;
    else if (token.startsWith("(") || /^\\[1-9k]/.test(token)) return undefined;
    else if (token === ")") depth--;
    previous = token;
  }
  return anchored ? choices : choices + 1;
}
