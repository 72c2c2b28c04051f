/**
 * Texts as a person sees them. Invisible characters (tags, bidirectional controls, escapes) can carry words to a model
 * or reorder others, and a reader of the file does not see it.
 */

import { truncate } from "./text.ts";

/**
 * C0 and C1 controls except tab and line feed; soft hyphen; Arabic letter mark; Mongolian and Hangul fillers;
 * zero-width space and direction marks (the joiners stay: scripts and emoji need them); line and paragraph separators;
 * bidirectional embeddings and isolates; word joiner and invisible operators; byte order mark; interlinear annotations; tags; the supplement of
 * variation selectors.
 */
const HIDDEN =
  // deno-lint-ignore no-control-regex -- what must not be shown
  /[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\u{e0000}-\u{e01ef}]/gu;
/**
 * A terminal's escape sequences with the strings they begin: without the first character the rest would be shown.
 * The end of a string is optional: a required end would be searched for again from every beginning.
 */
const ESCAPES =
  // deno-lint-ignore no-control-regex -- what must not be shown
  /(?:\x1b\[|\x9b)[\x30-\x3f]*[\x20-\x2f]*[\x40-\x7e]|(?:\x1b[\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)?|\x1b[\x20-\x2f]*[\x30-\x7e]/g;

/** `text` without invisible characters; line and paragraph separators become line feeds. */
export function visibleText(text: string): string {
  if (PLAIN.test(text)) return text;
  return text.replaceAll(/\r\n?|[\u2028\u2029\u0085]/g, "\n").replaceAll(ESCAPES, "").replaceAll(HIDDEN, "");
}

/** A line of output as one line for every reader. Some break it at U+2028, so that the rest seems to be ours. */
export function visibleLine(line: string): string {
  return visibleText(line).replaceAll("\n", " ");
}

/** A file's name on one line; a JSON text, which names it exactly, where it has line breaks or hidden characters. */
export function visibleName(name: string): string {
  return visibleLine(name) === name ? name : writtenOut(JSON.stringify(name.toWellFormed()));
}

/** The first `longest` characters of `text` without hidden ones, and "…" where it has more. */
export function visibleStart(text: string, longest: number): string {
  return truncate(visibleText(text.slice(0, LOOKED_AT)), longest);
}

/** A text on one line of at most `longest` characters, without hidden ones. */
export function shorten(text: string, longest = 200): string {
  const line = visibleText(text.slice(0, LOOKED_AT)).replaceAll(/\s+/g, " ").trim();
  return line.length <= longest ? line : `${line.slice(0, longest - 1).toWellFormed()}…`;
}

/**
 * The first invisible character of `text`, such as `U+200B`; undefined if there is none. Line breaks count as visible.
 */
export function hiddenCharacter(text: string): string | undefined {
  const [found] = text.replaceAll(/\r\n?/g, "\n").match(HIDDEN) ?? [];
  return found && `U+${found.codePointAt(0)?.toString(16).toUpperCase().padStart(4, "0")}`;
}

/**
 * `text` with invisible characters escaped as in JSON (`\u202e`), so that a reader sees what is there and where.
 * JSON keeps its meaning. Line feeds and tabs stay.
 */
export function writtenOut(text: string): string {
  return PLAIN.test(text) ? text : text.replaceAll(HIDDEN, escapeOf);
}

/** The JSON escape of a character; above U+FFFF, of its two surrogates. */
function escapeOf(character: string): string {
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("");
}

/** At most this many characters of a long text are examined to make a short one. */
const LOOKED_AT = 64 * 1024;
/** Matches most texts, from which nothing must be removed. */
const PLAIN = /^[\t\n\x20-\x7e]*$/;
