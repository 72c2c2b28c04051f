/**
 * Refuses values in shell lines where a shell or interpreter would evaluate them as code (K7). The error names the
 * alternative: the line reads a variable of `env`. Pure.
 */
import type { Template } from "./flow.ts";

/** The start of a command: after an operator, a keyword, a program that starts others, or assignments. */
const START =
  String.raw`(?:^|[;&|(){}!\n]|\b(?:then|do|else|elif|if|while|until|time|command|builtin|exec|env|nohup|xargs)\b)` +
  String.raw`\s*(?:\w+=\S*\s+|-\S+\s+)*(?:\S*/)?`;

/** Names of programs that evaluate their arguments as code: shell builtins first, then interpreters. */
const READERS = "eval|let|declare|typeset|local|readonly|read|readarray|mapfile|unset|trap|alias|source|" +
  "[gmn]?awk|sed|ssh|su|script|watch|parallel";
const INTERPRETERS = String.raw`python[\d.]*|perl|ruby|node|deno|bun|php|lua|osascript`;

/** What a line with values must not contain, with the words of the problem. */
const CODE: readonly RegExp[] = [
  // Nested command lines, and arithmetic, in which an index may contain a command.
  /`|\$\(|<<|\(\(|\$\[/,
  // Expansions that evaluate the value of a variable: an index, an offset, a name, a prompt.
  /\$\{!|\$\{\w+\[(?![@*\d])|\$\{\w+:(?![-+?=])|\$\{[^}]*@P\}|\b\w+\[[^\]@*\d][^\]]*\]\+?=/,
  /\[\[(?:[^\]]|\][^\]])*\s-(?:eq|ne|lt|le|gt|ge)\s|(?:\[|\btest)\s(?:.*\s)?-v\s|\bprintf\s+-v\b/s,
  /\b(?:PS0|PS4|ENV|BASH_ENV|PROMPT_COMMAND|SHELLOPTS)\+?=/,
  /\$\{?(?:SHELL|BASH|0)\b/,
  // A shell that gets its line as arguments or on its input; a shell that runs a script file is allowed.
  /(?:^|[\s\/;&|(!])(?:ba|da|z|k|a|fi)?sh(?=\s*(?:$|[;&|)<\n]|[-+]))/,
  new RegExp(`${START}(?:${READERS})(?=[\\s_]|$)`),
  new RegExp(`${START}(?:${INTERPRETERS})\\s(?:[^;|&\\n]*\\s)?(?:-\\w*[cer]\\b|--eval|eval\\b)`),
];

/** Why a shell line must not have values; undefined: it may, or has none. */
export function shellProblem(template: Template): string | undefined {
  if (template.every((part) => typeof part === "string")) return undefined;
  const line = template.map((part) => typeof part === "string" ? part : "_").join("");
  // A shell removes quotation marks from command names.
  const plain = line.replaceAll(/\\(?=\w)|["']/g, "");
  const found = CODE.map((code) => (code.exec(line) ?? code.exec(plain))?.[0].trim()).find((one) => one !== undefined);
  if (found === undefined) return undefined;
  return `A line with ${found} takes no values, because they would be read as commands; ` +
    "pass them with env={...}, or use a script of the project";
}
