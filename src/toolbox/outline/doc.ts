/** Extracts the comment of a definition. Pure. */
import { shorten } from "../../base/visible_text.ts";

export interface CommentForm {
  /** The start of a line comment. */
  readonly comment: "//" | "#" | ";";
  /** Whether a string at the start of a body is a comment, as in Python. */
  readonly inBody: boolean;
}

interface DocQuestion {
  readonly text: string;
  readonly lines: readonly string[];
  /** Where the definition begins, from 0. */
  readonly row: number;
  readonly body: number | undefined;
  readonly form: CommentForm;
}

const LONGEST = 300;
/** Lines that are not comments of a definition: a shebang, an attribute, a comment about the whole file. */
const NO_COMMENT = /^(?:#!|#\[|\/\/!)/;
/** Comments are followed up to this many lines. */
const MOST_LINES = 60;

/** The first paragraph of a comment, on one line; empty: there is none. */
export function docOf({ text, lines, row, body, form }: DocQuestion): string {
  const inside = form.inBody && body !== undefined ? bodyString(text, body) : undefined;
  return paragraph(inside ?? commentAbove(lines, row, form.comment));
}

/** The lines of the comment directly above; attributes in between are skipped. */
function commentAbove(lines: readonly string[], row: number, mark: string): readonly string[] {
  let last = row - 1;
  while (last >= 0 && row - last < MOST_LINES && isAttribute(lines[last] ?? "")) last--;
  const isBlock = mark !== "#" && (lines[last] ?? "").trimEnd().endsWith("*/");
  const found: string[] = [];
  for (let at = last; at >= 0 && found.length < MOST_LINES; at--) {
    const line = (lines[at] ?? "").trim();
    if (isBlock) {
      found.unshift(line);
      if (line.startsWith("/*")) return found;
    } else if (line.startsWith(mark) && !NO_COMMENT.test(line)) found.unshift(line);
    else break;
  }
  // A block comment that does not start on a line of its own follows code.
  return isBlock ? [] : found;
}

function isAttribute(line: string): boolean {
  return /^\s*(?:@\w|#\[|\[\w)/.test(line);
}

function bodyString(text: string, body: number): readonly string[] | undefined {
  const start = text.slice(body, body + LONGEST * 2).trimStart();
  const quote = /^[rRuU]?("""|'''|"|')/.exec(start);
  if (quote === null) return undefined;
  const from = quote[0].length;
  const end = start.indexOf(quote[1] ?? "", from);
  return start.slice(from, end < 0 ? undefined : end).split("\n");
}

function paragraph(lines: readonly string[]): string {
  const words: string[] = [];
  for (const line of lines) {
    const text = withoutMarks(line);
    if (text.startsWith("@") || text === "" && words.length > 0) break;
    if (text !== "") words.push(text);
  }
  return shorten(words.join(" "), LONGEST);
}

/** The words of a line of a comment. */
function withoutMarks(line: string): string {
  const text = line.trim().replace(/^(?:\/\*+!?|\*+\/?|\/\/[/!]?|#+|;+)/, "");
  return (text.endsWith("*/") ? text.slice(0, -2) : text).replace(/<\/?(?:summary|remarks|para)>/g, "").trim();
}

/** Its first sentence, of at most `most` characters. */
export function firstSentence(doc: string, most: number): string {
  const end = /[.!?](?=\s)/.exec(doc)?.index;
  return shorten(end === undefined ? doc : doc.slice(0, end + 1), most);
}
