/**
 * Matches a tool file's `pattern` in bounded time (no catastrophic backtracking): commands can write tool files. A
 * pattern helps the caller and protects nothing: a match beyond the bound counts as passed, and the program decides.
 */

/** A longer pattern, or one with a longer repetition, is not tried. */
const LONGEST_PATTERN = 1_000;
/** The engine expands repetitions: a pattern that becomes longer than this many parts is not tried. */
const MOST_PARTS = 20_000;

/** Steps for the patterns of one file or one call, spent one match after the other. */
export class MatchBudget {
  #steps: number;

  /** `steps`: of the engine, about a nanosecond each. */
  constructor(steps: number) {
    this.#steps = steps;
  }

  /** Whether `value` matches `pattern` somewhere; true if that would take more steps than are left. */
  matches(pattern: string, value: string): boolean {
    const steps = mostSteps(pattern, value.length);
    if (steps > this.#steps) return true;
    this.#steps -= steps;
    return new RegExp(pattern, "u").test(value);
  }
}

/** Escapes, classes, opening and closing of groups, alternatives, quantifiers; anything else is one character. */
const TOKENS = /\\.|\[(?:\\.|[^\]\\])*\]|\((?:\?(?:[:=!]|<[=!]|<[^>]*>))?|\)|\||[*+?]\??|\{\d+(?:,\d*)?\}\??|[^]/gu;

/**
 * The most steps for a text of `length` UTF-16 units: the product of all choices (where to begin, how often each part
 * repeats, which alternative), times the parts that each way goes through. Infinity for repeated groups, lookaround and
 * backreferences, which can multiply without limit.
 *
 * @example mostSteps("^v[0-9]+$", 10) // 84
 */
export function mostSteps(pattern: string, length: number): number {
  if (pattern.length > LONGEST_PATTERN) return Infinity;
  let ways = 1;
  /** The size of the compiled pattern, and the longest way through it. */
  let parts = 1;
  let longest = 1;
  /** Alternatives of each group that is open; the first is the whole. */
  const alternatives = [1];
  let previous = "";
  for (const [token] of pattern.matchAll(TOKENS)) {
    if (/^(?:[*+?]|\{\d)/.test(token)) {
      const { from, to } = timesOf(token);
      if (previous === ")" || Math.max(from, Number.isFinite(to) ? to : 0) > LONGEST_PATTERN) return Infinity;
      ways *= Math.min(to - from, length) + 1;
      parts += Number.isFinite(to) ? to : from;
      longest += Math.min(from, length); // each further repetition is a choice, and counted as one
    } else if (token === "|") alternatives.push((alternatives.pop() ?? 1) + 1);
    else if (isGroup(token)) alternatives.push(1);
    else if (token.startsWith("(") || /^\\[1-9k]/.test(token)) return Infinity;
    else if (token === ")") ways *= alternatives.pop() ?? 1;
    parts++;
    longest++;
    previous = token;
  }
  const [outermost = 1] = alternatives;
  const anchored = pattern.startsWith("^") && outermost === 1;
  return parts > MOST_PARTS ? Infinity : parts + ways * outermost * (anchored ? 1 : length + 1) * longest;
}

/** How often a quantifier allows the part before it. */
function timesOf(quantifier: string): { readonly from: number; readonly to: number } {
  const counts = /^\{(\d+)(,?)(\d*)\}/.exec(quantifier);
  if (counts === null) {
    return { from: quantifier.startsWith("+") ? 1 : 0, to: quantifier.startsWith("?") ? 1 : Infinity };
  }
  const [, from, comma, to] = counts;
  return { from: Number(from), to: comma === "" ? Number(from) : to === "" ? Infinity : Number(to) };
}

function isGroup(token: string): boolean {
  return token === "(" || token === "(?:" || token.startsWith("(?<") && !/^\(\?<[=!]/.test(token);
}
