/**
 * Shell lines that may not have values, since a shell or another interpreter would read a value once more, as code
 * (K7). For refused places the error says how to pass values: the line itself reads a variable of `env`. Pure.
 */
import type { Template } from "./flow.ts";

/** Where a command begins: after an operator, a keyword, a program that starts others, or assignments. */
const START =
  String.raw`(?:^|[;&|(){}!\n]|\b(?:then|do|else|elif|if|while|until|time|command|builtin|exec|env|nohup|xargs)\b)` +
  String.raw`\s*(?:\w+=\S*\s+|-\S+\s+)*(?:\S*/)?`;

/** What reads its words as code, by name: commands of shells first, then interpreters. */
const READERS = "eval|let|declare|typeset|local|readonly|read|readarray|mapfile|unset|trap|alias|source|" +
  "[gmn]?awk|sed|ssh|su|script|watch|parallel";
const INTERPRETERS = String.raw`python[\d.]*|perl|ruby|node|deno|bun|php|lua|osascript`;

/** Each finds what a line may not have next to values; the words are those of the problem. */
const CODE: readonly RegExp[] = [
  // Lines inside of lines, and numbers: an index in them may hold a command.
  /`|\$\(|<<|\(\(|\$\[/,
  // Expansions that read the value of a variable again: an index, an offset, a name, a prompt.
  /\$\{!|\$\{\w+\[(?![@*\d])|\$\{\w+:(?![-+?=])|\$\{[^}]*@P\}|\b\w+\[[^\]@*\d][^\]]*\]\+?=/,
  /\[\[(?:[^\]]|\][^\]])*\s-(?:eq|ne|lt|le|gt|ge)\s|(?:\[|\btest)\s(?:.*\s)?-v\s|\bprintf\s+-v\b/s,
  /\b(?:PS0|PS4|ENV|BASH_ENV|PROMPT_COMMAND|SHELLOPTS)\+?=/,
  /\$\{?(?:SHELL|BASH|0)\b/,
  // A shell that gets its line as words or on its input; a shell that runs a script file does not count.
  /(?:^|[\s\/;&|(!])(?:ba|da|z|k|a|fi)?sh(?=\s*(?:$|[;&|)<\n]|[-+]))/,
  new RegExp(`${START}(?:${READERS})(?=[\\s_]|$)`),
  new RegExp(`${START}(?:${INTERPRETERS})\\s(?:[^;|&\\n]*\\s)?(?:-\\w*[cer]\\b|--eval|eval\\b)`),
];

/** Why a shell line may not have values; undefined: it may, or has none. */
export function shellProblem(template: Template): string | undefined {
  if (template.every((part) => typeof part === "string")) return undefined;
  const line = template.map((part) => typeof part === "string" ? part : "_").join("");
  // A shell takes quotation marks out of the names of commands.
  const plain = line.replaceAll(/\\(?=\w)|["']/g, "");
  const found = CODE.map((code) => (code.exec(line) ?? code.exec(plain))?.[0].trim()).find((one) => one !== undefined);
  if (found === undefined) return undefined;
  return `A line with ${found} takes no values, because they would be read as commands; ` +
    "pass them with env={...}, or use a script of the project";
}
