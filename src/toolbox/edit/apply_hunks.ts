/** Applies the hunks of a patch to a text, in their order, all or none of them. Pure. */
import { failure, type Outcome, success } from "../../base/outcome.ts";
import type { EditedText } from "./apply_edits.ts";
import { type FileText, newUnits, shownUnits } from "./file_text.ts";
import { dominantEnding, endingOf, lineAt, type LineEnding, linesOf, withEnding } from "./line_endings.ts";
import { findText, type Place, type Rung } from "./match_ladder.ts";
import { nearestLines } from "./nearest_lines.ts";
import type { Hunk } from "./patch_envelope.ts";
import { type Splice, spliced } from "./regions.ts";

/** Applies all hunks. The problem names the hunk that does not fit. */
export function applyHunks(file: FileText, hunks: readonly Hunk[]): Outcome<EditedText> {
  const ending = dominantEnding(file.units);
  const splices: Splice[] = [];
  const rungs = new Set<Rung>();
  let from = 0;
  for (const hunk of hunks) {
    const found = placeOf(file, hunk, from);
    if (!found.ok) return failure(`the hunk at line ${hunk.line} of the patch: ${found.problem}`);
    const { start, end, text, rung } = found.value;
    const replaced = file.units.slice(start, end);
    const units = newUnits(withEnding(text, endingOf(replaced, ending)), file, replaced);
    if (!units.ok) return units;
    splices.push({ start, end, text: units.value });
    if (rung !== "exact") rungs.add(rung);
    from = end;
  }
  return success({ ...spliced(file.units, splices), replacements: splices.length, rungs: [...rungs] });
}

/** The place of a hunk and its new text, adapted to that place. */
interface HunkPlace extends Splice {
  readonly rung: Rung;
}

function placeOf(file: FileText, hunk: Hunk, from: number): Outcome<HunkPlace> {
  const { units } = file;
  let after = from;
  for (const anchor of hunk.anchors) {
    const found = lineAfter(file, anchor, after);
    if (found === undefined) return failure(`no line after line ${lineAt(units, after)} is "${anchor}"`);
    after = found;
  }
  if (hunk.oldText === "") return success(insertion(units, hunk, hunk.anchors.length > 0 ? after : units.length));
  const found = wholeLines(file, hunk, after) ?? wholeLines(file, { ...hunk, ...withoutLastEnd(hunk) }, after);
  if (found === undefined) return failure(missing(file, hunk));
  const [first] = found.places;
  const chosen = hunk.atEnd
    ? found.places.find(({ end }) => end === units.length)
    : found.places.length === 1 || hunk.anchors.length > 0
    ? first
    : undefined;
  if (chosen === undefined) {
    const lines = found.places.map(({ start }) => lineAt(units, start)).join(", ");
    return failure(
      hunk.atEnd
        ? "its lines do not end the file"
        : `its lines stand at lines ${lines}; an @@ line before it says which`,
    );
  }
  return success({ start: chosen.start, end: chosen.end, text: chosen.adapt(found.newText), rung: found.rung });
}

/** The place and text of a hunk that only adds lines. */
function insertion(units: string, { newText }: Hunk, place: number): HunkPlace {
  const isOpen = place > 0 && !/[\r\n]/.test(units.charAt(place - 1));
  return { start: place, end: place, text: isOpen ? `\n${newText.replace(/\n$/, "")}` : newText, rung: "exact" };
}

interface FoundLines {
  readonly places: readonly Place[];
  readonly rung: Rung;
  readonly newText: string;
}

/** Where the lines of a hunk occur as whole lines; undefined: nowhere. */
function wholeLines(file: FileText, { oldText, newText }: Hunk, from: number): FoundLines | undefined {
  const found = findText({ ...file, from }, oldText);
  const isStart = (place: number) => place === 0 || /[\r\n]/.test(file.units.charAt(place - 1));
  const isEnd = (place: number) => oldText.endsWith("\n") || place === file.units.length;
  const places = (found?.places ?? []).filter(({ start, end }) => isStart(start) && isEnd(end));
  return found === undefined || places.length === 0 ? undefined : { places, rung: found.rung, newText };
}

/** The hunk for a file whose last line has no line ending. */
function withoutLastEnd({ oldText, newText }: Hunk): Pick<Hunk, "oldText" | "newText"> {
  return { oldText: oldText.replace(/\n$/, ""), newText: newText.replace(/\n$/, "") };
}

/** The start of the line after the first one that equals `anchor`, apart from spaces around; undefined: none. */
function lineAfter({ units, encoding }: FileText, anchor: string, from: number): number | undefined {
  const ending: LineEnding = units.includes("\n") ? "\n" : "\r";
  for (let at = from; at < units.length;) {
    const end = units.indexOf(ending, at);
    const next = end < 0 ? units.length : end + 1;
    if (shownUnits(units.slice(at, next), encoding).trim() === anchor) return next;
    at = next;
  }
  return undefined;
}

function missing({ units, encoding }: FileText, { oldText }: Hunk): string {
  const lines = linesOf(shownUnits(units, encoding).replace(/(?:\r\n|\n|\r)$/, ""));
  const near = nearestLines(lines, linesOf(oldText.replace(/\n$/, "")));
  const shown = near === undefined ? "" : `. The nearest lines are:\n${near}`;
  return `its lines are not there, or stand before those of another hunk${shown}`;
}
