/** A definition without its body, on one line. Pure. */
import { shorten } from "../../base/visible_text.ts";
import type { CommentForm } from "./doc.ts";

/** Where it is in the text, and what it is. */
interface Extent {
  readonly kind: string;
  readonly start: number;
  readonly end: number;
  readonly body: number | undefined;
}

const LONGEST = 160;
/** Of the text before a body, so much is looked at. */
const LONGEST_HEAD = 2000;
/** Words before a definition that belong to it, as `export` and `type`. */
const LONGEST_PREFIX = 40;
/** Kinds that begin as attributes of other languages do. */
const LIKE_ATTRIBUTES: ReadonlySet<string> = new Set(["section", "keyframes", "annotation"]);
/** What holds others opens with a brace where the grammar does not tell its body. */
const HOLDERS: ReadonlySet<string> = new Set(["class", "struct", "interface", "enum", "union", "macro", "record"]);

/** The text of the definition up to its body, attributes and comments left out. */
export function signatureOf(text: string, extent: Extent, mark: CommentForm["comment"]): string {
  const { kind, start } = extent;
  const head = text.slice(start, headEnd(text, extent));
  const own = LIKE_ATTRIBUTES.has(kind) ? head : withoutAttributes(head);
  const prefix = /(?:[a-z]+[ \t]+)*$/.exec(text.slice(Math.max(0, start - LONGEST_PREFIX), start))?.[0] ?? "";
  const lines = own.split("\n").filter((line, index) => index === 0 || !line.trimStart().startsWith(mark));
  const line = ((own === head ? prefix : "") + lines.join(" ")).replace(/\s+/g, " ").trim();
  return shorten(withoutEnd(line), LONGEST);
}

/** Where the body begins, or what stands for it; a value over several lines is not shown. */
function headEnd(text: string, { kind, start, end, body }: Extent): number {
  const most = Math.min(body ?? end, start + LONGEST_HEAD);
  if (body !== undefined) return most;
  const opening = kind === "section" ? "\n" : HOLDERS.has(kind) ? "{" : undefined;
  const opened = opening === undefined ? -1 : text.slice(start, most).indexOf(opening);
  if (opened >= 0) return start + opened;
  const line = most - start <= LONGEST ? -1 : text.slice(start, most).indexOf("\n");
  return line < 0 ? most : start + line;
}

/** Lines that say something about the definition, as `@Override` or `#[test]`. */
function withoutAttributes(head: string): string {
  let rest = head;
  for (;;) {
    const attribute = /^(?:@[\w.]+|#?\[)/.exec(rest)?.[0];
    const end = attribute === undefined ? undefined : attributeEnd(rest, attribute.length);
    if (end === undefined) return rest;
    rest = rest.slice(end).trimStart();
  }
}

/** Where the attribute that begins a text ends; undefined: it does not. */
function attributeEnd(text: string, from: number): number | undefined {
  const isBracketed = text[from - 1] === "[";
  if (!isBracketed && text[from] !== "(") return from;
  let depth = isBracketed ? 1 : 0;
  for (let at = from; at < text.length; at++) {
    if (text[at] === "(" || text[at] === "[") depth++;
    if ((text[at] === ")" || text[at] === "]") && --depth === 0) return at + 1;
  }
  return undefined;
}

/** What only opens the body. */
function withoutEnd(line: string): string {
  let end = line.length;
  while (end > 0 && " {:=;(,".includes(line[end - 1] ?? "")) end--;
  const bare = line.slice(0, end);
  return bare.endsWith(" =>") ? bare.slice(0, -" =>".length).trimEnd() : bare;
}
