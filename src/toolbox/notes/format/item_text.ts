/** Texts of items: reading them, checking them, and truncating them for answers. */
import { UserError } from "../../../base/errors.ts";
import { counted } from "../../../base/text.ts";
import { shorten, visibleText } from "../../../base/visible_text.ts";
import { type FrontValues, readFront, splitText } from "./front_matter.ts";

/** Maximum length of an item's text in a call, characters. */
const LONGEST_CONTENT = 256 * 1024;
/** Maximum length of an item's text in an answer, characters. */
const LONGEST_SHOWN = 40_000;

/** The content of an item's file. */
export interface ItemText {
  readonly values: FrontValues;
  readonly body: string;
  /** Why it is never rewritten; undefined: it may be. */
  readonly fault: string | undefined;
}

/** The fault of a file in which git left a conflict. */
export const CONFLICT = "git left a conflict in it";

interface RawItem {
  readonly text: string | undefined;
  /** Why it has no text. */
  readonly problem: string | undefined;
}

/** Splits a file into its parts; unreadable parts are empty. */
export function readItem({ text = "", problem }: RawItem): ItemText {
  const { front, body } = splitText(text);
  const read = readFront(front);
  const fault = problem ?? (hasConflict(text) ? CONFLICT : read.ok ? undefined : read.problem);
  return { values: read.ok ? read.value : {}, body, fault };
}

const MARKERS = ["<<<<<<<", "=======", ">>>>>>>"] as const;

/** Whether a text contains git's conflict markers. */
export function hasConflict(text: string): boolean {
  let expected = 0;
  for (const { 0: marker, index } of text.matchAll(/(?:<{7}|={7}|>{7})(?=[ \r\n]|$)/g)) {
    const beginsLine = index === 0 || text[index - 1] === "\n";
    if (beginsLine && marker === MARKERS[expected]) expected++;
  }
  return expected >= MARKERS.length;
}

/** @throws {UserError} When a file cannot hold it. */
export function contentOf(content: string): string {
  if (content.length > LONGEST_CONTENT) {
    throw new UserError(`The content has ${content.length} characters; at most ${LONGEST_CONTENT} can be kept`);
  }
  if (hasConflict(content)) {
    throw new UserError(
      "The content has git's conflict markers: indent them",
    );
  }
  return content;
}

/** Undefined for an empty text. */
export function optionalLine(text: string | undefined): string | undefined {
  const line = text === undefined ? "" : shorten(text);
  return line === "" ? undefined : line;
}

/** The text without hidden characters and surrounding empty lines, truncated if it is too long. */
export function boundedText(text: string, path: string): string {
  return cutText(visibleText(text).replace(/^\n+/, "").trimEnd(), path);
}

/** The text, truncated if it is too long. */
export function cutText(text: string, path: string): string {
  if (text.length <= LONGEST_SHOWN) return text;
  return `${text.slice(0, LONGEST_SHOWN).toWellFormed()}\n[${text.length - LONGEST_SHOWN} characters more in ${path}]`;
}

/** The time in whole seconds; by default now. */
export function timestamp(time: Date = new Date()): string {
  return `${time.toISOString().slice(0, 19)}Z`;
}

/** The words of a query, in lower case. */
export function wordsOf(query = ""): readonly string[] {
  return query.toLowerCase().split(/\s+/).filter((word) => word !== "");
}

/** Undefined for an empty list: its key is removed from the front matter. */
export function filled(list: readonly string[] | undefined): readonly string[] | undefined {
  return list === undefined || list.length === 0 ? undefined : list;
}

/** The line that says which part of a list is shown; empty: all of it. */
export function partLine(shown: number, total: number, offset: number, what: string): string {
  if (shown >= total) return "";
  const rest = offset + shown < total ? `; offset ${offset + shown} shows more` : "";
  return `\n[${shown} of ${counted(total, what)}${rest}]`;
}
