/** Texts of items: what a caller may give, and how much of them an answer shows. */
import { UserError } from "../../../base/errors.ts";
import { shorten, visibleText } from "../../../base/visible_text.ts";
import { hasConflict } from "./conflict.ts";

/** Characters of one item's text that a call may give. */
const LONGEST_CONTENT = 256 * 1024;
/** Characters of one item's text in an answer. */
const LONGEST_SHOWN = 40_000;

/** @throws {UserError} When a file cannot hold it. */
export function contentOf(content: string): string {
  if (content.length > LONGEST_CONTENT) {
    throw new UserError(`The content has ${content.length} characters; at most ${LONGEST_CONTENT} can be kept`);
  }
  if (hasConflict(content)) {
    throw new UserError(
      "The content has the lines that git marks a conflict with: indent them, so that they mean none",
    );
  }
  return content;
}

/** Undefined for an empty text. */
export function optionalLine(text: string | undefined): string | undefined {
  const line = text === undefined ? "" : shorten(text);
  return line === "" ? undefined : line;
}

/** A text without hidden characters and empty lines around it, cut where it is too long. */
export function boundedText(text: string, path: string): string {
  return cutText(visibleText(text).replace(/^\n+/, "").trimEnd(), path);
}

/** A text, cut if it is too long. */
export function cutText(text: string, path: string): string {
  if (text.length <= LONGEST_SHOWN) return text;
  return `${text.slice(0, LONGEST_SHOWN).toWellFormed()}\n[${text.length - LONGEST_SHOWN} characters more in ${path}]`;
}

/** The time of now, to the second. */
export function timestamp(): string {
  return `${new Date().toISOString().slice(0, 19)}Z`;
}
