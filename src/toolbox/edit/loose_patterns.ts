/** Patterns that find a text that differs in only one way from the wanted one. Pure. */
import type { Encoding } from "../definition/files_writing.ts";
import { textUnits } from "./file_text.ts";
import { linesOf } from "./line_endings.ts";

const LINE_END = "(?:\\r\\n|\\n|\\r)";
const BLANKS = "[ \\t]*";

/** Characters that programs substitute for one another. */
const ALIKE: readonly string[] = ["'‘’‚‛′", '"“”„‟″', "-‐‑‒–—―−", " \u00a0\u2002\u2003\u2007\u2009\u202f"];

/** A line number and separator at the start of a line, as in listings. */
const LINE_NUMBER = /^[ \t]*\d+(?:\t|→|[:|] ?)/;

/** The unchanged text, with any line endings. */
export function anyLineEnds(units: string): string {
  return linesOf(units).map(escaped).join(LINE_END);
}

/** Ignores blanks at the ends of lines. */
export function anyTrailingBlanks(units: string): string {
  return joined(withoutTrailing(linesOf(units)).map(escaped)) + endOf(units);
}

/** Replaces the common indentation of all lines by any other, the first group; undefined: there is no text. */
export function anyIndentation(units: string): { readonly pattern: string; readonly indent: string } | undefined {
  const lines = withoutTrailing(linesOf(units));
  const indent = commonIndent(lines);
  const first = lines.findIndex((line) => line !== "");
  if (first < 0) return undefined;
  const moved = lines.map((line, at) => {
    if (line === "") return "";
    return (at === first ? `(${BLANKS})` : "\\1") + escaped(line.slice(indent.length));
  });
  return { pattern: `^${moved.join(BLANKS + LINE_END)}${endOf(units)}`, indent };
}

/** Allows any quotation marks, dashes, spaces and blanks at ends of lines. `text` is not encoded as units yet. */
export function anyTypography(text: string, encoding: Encoding): string {
  const units = (one: string) => {
    const found = textUnits(one, encoding);
    return escaped(found.ok ? found.value : one); // a character that it has not is not found
  };
  const characters = (line: string) =>
    Array.from(line, (one) => {
      const alike = ALIKE.find((group) => group.includes(one));
      return alike === undefined ? units(one) : `(?:${Array.from(alike, units).join("|")})`;
    }).join("");
  return joined(withoutTrailing(linesOf(text)).map(characters)) + endOf(text);
}

/** The lines without the numbers of a listing; undefined: not every line has one. */
export function withoutLineNumbers(text: string): string | undefined {
  const lines = text.split("\n");
  const isBare = (line: string, at: number) => !LINE_NUMBER.test(line) && !(line === "" && at === lines.length - 1);
  if (text === "" || lines.some(isBare)) return undefined;
  return lines.map((line) => line.replace(LINE_NUMBER, "")).join("\n");
}

/** Indents the lines of a text like the matched lines: replaces `indent` by `found`. */
export function reindented(text: string, indent: string, found: string): string {
  return text.split("\n").map((line) => {
    if (line.trim() === "") return line;
    if (line.startsWith(indent)) return found + line.slice(indent.length);
    return found.startsWith(indent) ? found.slice(indent.length) + line : line;
  }).join("\n");
}

function withoutTrailing(lines: readonly string[]): readonly string[] {
  return lines.map((line) => line.replace(/[ \t]+$/, ""));
}

/** Lines with any blanks at their ends, except an empty first one: there, they would take quadratic time. */
function joined([first = "", ...others]: readonly string[]): string {
  const separator = first === "" ? LINE_END : BLANKS + LINE_END;
  return others.length === 0 ? first : first + separator + others.join(BLANKS + LINE_END);
}

/** Where the pattern ends after a last line whose trailing blanks are ignored. */
function endOf(text: string): string {
  return /[ \t]$/.test(text) ? `${BLANKS}(?=[\\r\\n]|$(?![^]))` : "";
}

function commonIndent(lines: readonly string[]): string {
  const [first = "", ...others] = lines.filter((line) => line !== "").map((line) => /^[ \t]*/.exec(line)?.[0] ?? "");
  return others.reduce((common, one) => {
    let length = 0;
    while (length < common.length && common[length] === one[length]) length++;
    return common.slice(0, length);
  }, first);
}

function escaped(units: string): string {
  return units.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}
