/** Patterns of rules: regular expressions of JavaScript. Pure. */
import { messageOf } from "../../../base/errors.ts";

/** Why a text is not a pattern; undefined: it is one. */
export function patternProblem(pattern: string, multiline: boolean): string | undefined {
  try {
    compilePattern(pattern, multiline);
    return undefined;
  } catch (thrown) {
    if (!(thrown instanceof SyntaxError)) throw thrown;
    return messageOf(thrown).replace(/^.*\/[a-z]*: /s, "");
  }
}

/** With the flag `u`, and a leading `(?i)` as other engines have it. @throws {SyntaxError} When it is not a pattern. */
export function compilePattern(pattern: string, multiline: boolean): RegExp {
  const [leading = "", flags = ""] = /^\(\?([ims]+)\)/.exec(pattern) ?? [];
  const all = new Set([..."gu", ...multiline ? "m" : "", ...flags]);
  return new RegExp(pattern.slice(leading.length), [...all].join(""));
}
