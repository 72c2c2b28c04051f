/** A definition without its body, on one line. Pure. */
import { shorten } from "../../base/visible_text.ts";
import type { CommentForm } from "./doc.ts";

/** The place and kind of a definition. */
interface Extent {
  readonly kind: string;
  readonly start: number;
  readonly end: number;
  readonly body: number | undefined;
}

const LONGEST = 160;
/** At most this many characters before a body are examined. */
const LONGEST_HEAD = 2000;
/** Maximum length of words that belong before a definition, such as `export`, characters. */
const LONGEST_PREFIX = 40;
/** Kinds whose text begins like an attribute of another language. */
const LIKE_ATTRIBUTES: ReadonlySet<string> = new Set(["section", "keyframes", "annotation"]);
/** Kinds whose body begins at a brace if the grammar does not say where. */
const HOLDERS: ReadonlySet<string> = new Set(["class", "struct", "interface", "enum", "union", "macro", "record"]);

/** The text of the definition up to its body, without attributes and comments. */
export function signatureOf(text: string, extent: Extent, mark: CommentForm["comment"]): string {
  const { kind, start } = extent;
  const head = text.slice(start, headEnd(text, extent));
  const own = LIKE_ATTRIBUTES.has(kind) ? head : withoutAttributes(head);
  const prefix = /(?:[a-z]+[ \t]+)*$/.exec(text.slice(Math.max(0, start - LONGEST_PREFIX), start))?.[0] ?? "";
  const lines = own.split("\n").filter((line, index) => index === 0 || !line.trimStart().startsWith(mark));
  const line = ((own === head ? prefix : "") + lines.join(" ")).replace(/\s+/g, " ").trim();
  return shorten(withoutEnd(line), LONGEST);
}

/** Where the signature ends: at the body, or at a value of several lines. */
function headEnd(text: string, { kind, start, end, body }: Extent): number {
  const most = Math.min(body ?? end, start + LONGEST_HEAD);
  if (body !== undefined) return most;
  const opening = kind === "section" ? "\n" : HOLDERS.has(kind) ? "{" : undefined;
  const opened = opening === undefined ? -1 : text.slice(start, most).indexOf(opening);
  if (opened >= 0) return start + opened;
  const line = most - start <= LONGEST ? -1 : text.slice(start, most).indexOf("\n");
  return line < 0 ? most : start + line;
}

/** Removes attribute lines such as `@Override` or `#[test]`. */
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

/** Removes the token that only opens the body. */
function withoutEnd(line: string): string {
  let end = line.length;
  while (end > 0 && " {:=;(,".includes(line[end - 1] ?? "")) end--;
  const bare = line.slice(0, end);
  return bare.endsWith(" =>") ? bare.slice(0, -" =>".length).trimEnd() : bare;
}
