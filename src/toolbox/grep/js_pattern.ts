/** Translates a regular expression of ripgrep (Rust) into JavaScript, for machines without `rg`. Pure. */
import { messageOf } from "../../base/errors.ts";
import { failure, type Outcome, success } from "../../base/outcome.ts";
import type { GrepQuery } from "./grep_query.ts";

/** Rust's `\w` as the content of a bracket expression. */
const WORD = "\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}\\p{Join_Control}";
const [AFTER, BEFORE] = [`(?<=[${WORD}])`, `(?=[${WORD}])`];
const [NOT_AFTER, NOT_BEFORE] = [`(?<![${WORD}])`, `(?![${WORD}])`];

/** Escapes that JavaScript limits to ASCII. */
const ESCAPES: ReadonlyMap<string, string> = new Map([
  ["\\w", `[${WORD}]`],
  ["\\W", `[^${WORD}]`],
  ["\\d", "\\p{Nd}"],
  ["\\D", "\\P{Nd}"],
  ["\\s", "\\p{White_Space}"],
  ["\\S", "\\P{White_Space}"],
  ["\\b", `(?:${AFTER}${NOT_BEFORE}|${NOT_AFTER}${BEFORE})`],
  ["\\B", `(?:${AFTER}${BEFORE}|${NOT_AFTER}${NOT_BEFORE})`],
  ["\\a", "\\x07"],
]);
/** The same escapes within brackets. */
const CLASS_ESCAPES: ReadonlyMap<string, string> = new Map([...ESCAPES, ["\\w", WORD], ["\\-", "\\-"]]);

/** Syntax that only Rust has, with the remedy. */
const RUST_ONLY: readonly (readonly [what: RegExp, remedy: string])[] = [
  [/^\\[Az]$/, "write ^ and $"],
  [/^\\[<>]$/, "write \\b"],
  [/^(?:\\[WbB]|\[|&&|--|~~)$/, "write the characters themselves"],
  [/^\(\?[a-zA-Z]*[xUR]/, "leave the flags out"],
];
const [ANCHOR, WORD_EDGE, IN_CLASS, FLAGS] = RUST_ONLY;
const TOKENS =
  /\\[pPxu]\{[^}]*\}|\\[\s\S]|\(\?P<|\(\?[a-zA-Z]*[xUR][a-zA-Z]*[:)]|\{\d+(?:,\d*)?\}|\[\^?\]?|&&|--|~~|[\s\S]/gu;

/** The pattern with the flags of a query, for single lines or, with `multiline`, for whole texts. */
export function jsPattern(
  { pattern, fixed, word, insensitive, multiline }: Omit<GrepQuery, "globs" | "type">,
): Outcome<RegExp> {
  const [flagged = "", leading = ""] = fixed ? [] : /^\(\?([imsu]+)\)/.exec(pattern) ?? [];
  const own = fixed ? success(RegExp.escape(pattern)) : translated(pattern.slice(flagged.length));
  if (!own.ok) return own;
  if (!fixed && !multiline && /(?:^|[^\\])(?:\\\\)*\\n|\n/.test(pattern)) {
    return failure("a single line has no line feed; multiline searches over lines");
  }
  const whole = word ? `${NOT_AFTER}(?:${own.value})${NOT_BEFORE}` : own.value;
  try {
    return success(new RegExp(whole, `us${insensitive || leading.includes("i") ? "i" : ""}${multiline ? "m" : ""}`));
  } catch (thrown) {
    if (!(thrown instanceof SyntaxError)) throw thrown;
    return failure(messageOf(thrown).replace(/^.*\/[a-z]+: /s, ""));
  }
}

function translated(pattern: string): Outcome<string> {
  let text = "";
  let inClass = false;
  for (const [token] of pattern.matchAll(TOKENS)) {
    const [, remedy] = rustOnly(token, inClass) ?? [];
    if (remedy !== undefined) return failure(`"${token}" needs "rg", which is not on the PATH: ${remedy}`);
    const escape = (inClass ? CLASS_ESCAPES : ESCAPES).get(token);
    if (escape !== undefined) text += escape;
    else if (/^\\[^\w\s]$/.test(token)) text += /[\^$\\.*+?()[\]{}|/]/.test(token.slice(1)) ? token : token.slice(1);
    else if (token === "(?P<") text += "(?<";
    else if (!inClass && token.startsWith("[")) {
      inClass = true;
      text += token.replace("]", "\\]");
    } else if (inClass && token === "]") {
      inClass = false;
      text += token;
    } else text += !inClass && (token === "]" || token === "}") ? `\\${token}` : token;
  }
  return success(text);
}

function rustOnly(token: string, inClass: boolean): (typeof RUST_ONLY)[number] | undefined {
  const possible = inClass ? [IN_CLASS] : [ANCHOR, WORD_EDGE, FLAGS];
  return possible.find((one) => one?.[0].test(token.startsWith("[") ? "[" : token));
}
