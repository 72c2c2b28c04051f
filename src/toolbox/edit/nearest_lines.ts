/** Numbered lines for error messages, and the lines most similar to a text that was not found. Pure. */
import { truncate } from "../../base/text.ts";

/** At most this many lines are compared. */
const MOST_LINES = 200_000;
/** At most this many windows are compared line by line. */
const MOST_WINDOWS = 16;
/** At most this many lines of a block are shown. */
const MOST_SHOWN = 12;
const LONGEST_LINE = 200;
/** A single line is near if it shares at least this part of its words. */
const LEAST_SHARED = 0.5;

/** Lines `[first, last]` (from 1) with their numbers, as files_read shows them. */
export function numbered(lines: readonly string[], first: number, last: number): string {
  return lines.slice(Math.max(0, first - 1), last)
    .map((line, at) => `${Math.max(1, first) + at}\t${truncate(line, LONGEST_LINE)}`).join("\n");
}

/** The numbered lines most similar to the wanted ones; undefined: none are similar. */
export function nearestLines(lines: readonly string[], wanted: readonly string[]): string | undefined {
  const trimmed = wanted.map((line) => line.trim());
  const first = nearestWindow(lines.slice(0, MOST_LINES), trimmed) ?? nearestLine(lines.slice(0, MOST_LINES), trimmed);
  if (first === undefined) return undefined;
  return numbered(lines, first + 1, first + Math.min(wanted.length, MOST_SHOWN));
}

/** The window with the longest common subsequence of lines; undefined: no line is equal. */
function nearestWindow(lines: readonly string[], wanted: readonly string[]): number | undefined {
  const known = new Set(wanted.filter((line) => line !== ""));
  const isKnown = lines.map((line) => known.has(line.trim()) ? 1 : 0);
  const size = wanted.length;
  const counts: { start: number; count: number }[] = [];
  let count = 0;
  for (let end = 0; end < lines.length; end++) {
    count += (isKnown[end] ?? 0) - (isKnown[end - size] ?? 0);
    if (count > 0) counts.push({ start: Math.max(0, end - size + 1), count });
  }
  const best = counts.sort((one, other) => other.count - one.count || one.start - other.start).slice(0, MOST_WINDOWS);
  const shared = best.map(({ start }) => ({
    start,
    length: commonLines(lines.slice(start, start + size).map((line) => line.trim()), wanted),
  }));
  return shared.sort((one, other) => other.length - one.length || one.start - other.start)[0]?.start;
}

/** The length of the longest common subsequence. */
function commonLines(one: readonly string[], other: readonly string[]): number {
  let row: readonly number[] = new Array(other.length + 1).fill(0);
  for (const line of one) {
    const next = [0];
    for (const [at, its] of other.entries()) {
      next.push(line === its ? (row[at] ?? 0) + 1 : Math.max(row[at + 1] ?? 0, next[at] ?? 0));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}

/** The line that shares the most words with the longest wanted line. */
function nearestLine(lines: readonly string[], wanted: readonly string[]): number | undefined {
  const longest = wanted.reduce((one, other) => one.length >= other.length ? one : other, "");
  const words = new Set(longest.match(/[\w$]+/g));
  let best: { start: number; shared: number } | undefined;
  for (const [start, line] of lines.entries()) {
    const shared = new Set(line.slice(0, LONGEST_LINE).match(/[\w$]+/g)?.filter((word) => words.has(word))).size;
    if (shared > (best?.shared ?? 0) && shared >= words.size * LEAST_SHARED) best = { start, shared };
  }
  return best?.start;
}
