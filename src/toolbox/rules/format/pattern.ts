/** Patterns of rules, which are JavaScript regular expressions. Pure. */
import { messageOf } from "../../../base/errors.ts";

/** Why a text is not a valid pattern; undefined: it is. */
export function patternProblem(pattern: string, multiline: boolean): string | undefined {
  try {
    compilePattern(pattern, multiline);
    return undefined;
  } catch (thrown) {
    if (!(thrown instanceof SyntaxError)) throw thrown;
    return messageOf(thrown).replace(/^.*\/[a-z]*: /s, "");
  }
}

/** Compiles a pattern with flag `u`; it may begin with `(?i)`. @throws {SyntaxError} When it is not a pattern. */
export function compilePattern(pattern: string, multiline: boolean): RegExp {
  const [leading = "", flags = ""] = /^\(\?([ims]+)\)/.exec(pattern) ?? [];
  const all = new Set([..."gu", ...multiline ? "m" : "", ...flags]);
  return new RegExp(pattern.slice(leading.length), [...all].join(""));
}
