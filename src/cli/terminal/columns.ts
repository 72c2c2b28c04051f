/** Texts in the columns of a terminal (S22): nothing in them moves the cursor, and none is wider than its place. Pure. */
import { writtenOut } from "../../base/visible_text.ts";

/** Most characters of a text that are examined. */
const LOOKED_AT = 4096;
const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;
const WITHOUT_WIDTH = /[\p{M}\u200c\u200d]/u;

/** A foreign text on one line: what has no shape is written out, as in `\u001b`. */
export function oneLine(text: string): string {
  return writtenOut(text.slice(0, LOOKED_AT).toWellFormed().replaceAll(/\s+/g, " ").trim());
}

/** The columns that a line takes. */
export function widthOf(line: string): number {
  let width = 0;
  for (const character of line) width += widthOfOne(character);
  return width;
}

/** The line, cut with "…" where it takes more columns. */
export function cut(line: string, columns: number): string {
  if (line.length <= columns / 2 || widthOf(line) <= columns) return line;
  let [kept, width] = ["", 0];
  for (const character of line) {
    width += widthOfOne(character);
    if (width >= columns) break;
    kept += character;
  }
  return columns <= 0 ? "" : `${kept}…`;
}

/** The line with spaces up to this width. */
export function padded(line: string, columns: number): string {
  return line + " ".repeat(Math.max(0, columns - widthOf(line)));
}

/** `12 KiB`, `1.5 MiB`. */
export function sizeText(bytes: number): string {
  return bytes < 1024 ** 2 ? `${Math.ceil(bytes / 1024)} KiB` : `${(bytes / 1024 ** 2).toFixed(1)} MiB`;
}

/** How long ago: `today`, `yesterday`, `3 days ago`. */
export function daysText(agoMs: number): string {
  const days = Math.max(0, Math.floor(agoMs / 86_400_000));
  return days === 0 ? "today" : days === 1 ? "yesterday" : `${days} days ago`;
}

function widthOfOne(character: string): number {
  return WITHOUT_WIDTH.test(character) ? 0 : WIDE.test(character) ? 2 : 1;
}
