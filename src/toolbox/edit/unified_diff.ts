/** The unified diff of a change; only its known regions are compared. Pure. */
import type { Encoding } from "../definition/files_writing.ts";
import { shownUnits } from "./file_text.ts";
import { difference, type Region } from "./regions.ts";

/** A package, loaded when it is needed. */
export type DiffPackage = typeof import("diff");

export interface ChangedText {
  readonly old: string;
  readonly next: string;
  /** In order. */
  readonly regions: readonly Region[];
  /** Of the units of both. */
  readonly encoding: Encoding;
}

export interface TextDiff {
  /** Hunks with three lines of context, at most 8 KiB; empty: nothing changed. */
  readonly text: string;
  readonly added: number;
  readonly removed: number;
}

const CONTEXT_LINES = 3;
const MOST_CHARACTERS = 8192;
/** A longer part (units of both texts) is not compared; all its lines count as changed. */
const MOST_COMPARED = 2_000_000;
/** If a part has more changed lines, all its lines count as changed. */
const MOST_EDITS = 1000;

/** The diff. `package_` is "diff". */
export function unifiedDiff(changed: ChangedText, { structuredPatch }: DiffPackage): TextDiff {
  const lines: string[] = [];
  let [length, left, added, removed] = [0, 0, 0, 0];
  let [oldLine, newLine, oldSeen, newSeen] = [1, 1, 0, 0];
  for (const { oldStart, oldEnd, newStart, newEnd } of windowsOf(changed)) {
    oldLine += lineEnds(changed.old, oldSeen, oldStart);
    newLine += lineEnds(changed.next, newSeen, newStart);
    [oldSeen, newSeen] = [oldStart, newStart];
    const [old, next] = [changed.old.slice(oldStart, oldEnd), changed.next.slice(newStart, newEnd)];
    const hunks = old.length + next.length > MOST_COMPARED
      ? undefined
      : structuredPatch("", "", old, next, "", "", { context: CONTEXT_LINES, maxEditLength: MOST_EDITS })?.hunks;
    if (hunks === undefined) {
      const [minus, plus] = [lineCount(old), lineCount(next)];
      lines.push(hunkHead([oldLine, minus], [newLine, plus]));
      [removed, added, left] = [removed + minus, added + plus, left + minus + plus];
      continue;
    }
    for (const hunk of hunks) {
      const head = hunkHead([hunk.oldStart + oldLine - 1, hunk.oldLines], [hunk.newStart + newLine - 1, hunk.newLines]);
      for (const line of [head, ...hunk.lines]) {
        if (line.startsWith("+")) added++;
        if (line.startsWith("-")) removed++;
        if (left === 0 && length + line.length < MOST_CHARACTERS) {
          const shown = shownUnits(line, changed.encoding);
          length += shown.length + 1;
          lines.push(shown);
        } else left++;
      }
    }
  }
  if (left > 0) lines.push(`… [${left} more lines of the diff]`);
  return { text: lines.join("\n"), added, removed };
}

/** The diff of two texts of an encoding, whatever is between them. */
export function diffOf(old: string, next: string, encoding: Encoding, package_: DiffPackage): TextDiff {
  return unifiedDiff({ old, next, regions: difference(old, next), encoding }, package_);
}

/** The parts of both texts, in whole lines, that contain the regions and their context. */
function windowsOf({ old, next, regions }: ChangedText): readonly Region[] {
  const windows: Region[] = [];
  for (const { oldStart, oldEnd, newStart, newEnd } of regions) {
    const start = lineStart(old, oldStart, CONTEXT_LINES);
    const end = lineEnd(old, oldEnd, CONTEXT_LINES);
    const window = {
      oldStart: start,
      oldEnd: end,
      newStart: newStart - (oldStart - start),
      newEnd: Math.min(next.length, newEnd + (end - oldEnd)),
    };
    const last = windows.at(-1);
    if (last === undefined || last.oldEnd < start) windows.push(window);
    else windows[windows.length - 1] = { ...last, oldEnd: window.oldEnd, newEnd: window.newEnd };
  }
  return windows;
}

/** The start of the line this many lines above a place. */
function lineStart(units: string, place: number, above: number): number {
  let at = place;
  for (let line = 0; line <= above; line++) {
    const last = at - (line === 0 ? 1 : 2);
    at = last < 0 ? 0 : units.lastIndexOf("\n", last) + 1;
  }
  return at;
}

/** The end of the line this many lines below a place, including its line ending. */
function lineEnd(units: string, place: number, below: number): number {
  let at = place;
  for (let line = 0; line <= below && at < units.length; line++) {
    const end = units.indexOf("\n", at);
    at = end < 0 ? units.length : end + 1;
  }
  return at;
}

function lineEnds(units: string, from: number, to: number): number {
  let count = 0;
  for (let at = units.indexOf("\n", from); at >= 0 && at < to; at = units.indexOf("\n", at + 1)) count++;
  return count;
}

function hunkHead(old: readonly [start: number, count: number], next: readonly [start: number, count: number]): string {
  const range = ([start, count]: readonly [number, number]) =>
    `${count === 0 ? start - 1 : start}${count === 1 ? "" : `,${count}`}`;
  return `@@ -${range(old)} +${range(next)} @@`;
}

function lineCount(units: string): number {
  return lineEnds(units, 0, units.length) + (units === "" || units.endsWith("\n") ? 0 : 1);
}
