/** Applies the replacements of one call to a text, all or none of them. Pure. */
import { counted } from "../../base/text.ts";
import { failure, type Outcome, success } from "../../base/outcome.ts";
import { type FileText, newUnits, shownUnits } from "./file_text.ts";
import { dominantEnding, endingOf, lineAt, linesOf, withEnding } from "./line_endings.ts";
import { findText, type Found, type Place, type Rung } from "./match_ladder.ts";
import { nearestLines, numbered } from "./nearest_lines.ts";
import { composed, type Region, spliced } from "./regions.ts";

/** One replacement. */
export interface Edit {
  readonly oldText: string;
  readonly newText: string;
  /** Whether every occurrence is replaced; otherwise there must be only one, or `occurrence` selects it. */
  readonly all: boolean;
  /** From 1; undefined: not given. */
  readonly occurrence: number | undefined;
}

export interface EditedText {
  readonly units: string;
  readonly regions: readonly Region[];
  readonly replacements: number;
  /** How each edit was matched, without repeats. */
  readonly rungs: readonly Rung[];
}

/** At most this many places are listed. */
const MOST_LISTED = 20;
/** At most this many places are listed with the lines around them. */
const MOST_SURROUNDED = 4;
const LINES_AROUND = 2;
/** Matches that are exact but for line endings. */
const FAITHFUL: readonly Rung[] = ["exact", "line endings"];

/** Applies each edit to the result of the previous ones. The problem names the edit that does not fit. */
export function applyEdits(file: FileText, edits: readonly Edit[]): Outcome<EditedText> {
  let state: EditedText = { units: file.units, regions: [], replacements: 0, rungs: [] };
  for (const [index, edit] of edits.entries()) {
    const applied = applyEdit({ ...file, units: state.units }, edit);
    if (!applied.ok) {
      const which = edits.length === 1 ? "" : `edit ${index + 1} of ${edits.length}: `;
      return failure(`${which}${applied.problem}`);
    }
    const { units, regions, replacements, rungs } = applied.value;
    state = {
      units,
      regions: index === 0 ? regions : composed(state.regions, regions),
      replacements: state.replacements + replacements,
      rungs: [...new Set([...state.rungs, ...rungs])],
    };
  }
  return success(state);
}

function applyEdit(file: FileText, edit: Edit): Outcome<EditedText> {
  const { oldText, newText } = edit;
  if (oldText === newText) return failure("`old_string` and `new_string` are equal, so nothing would change");
  if (oldText === "") return failure("`old_string` is empty, which a missing or empty file allows only");
  const found = findText({ ...file, from: 0 }, oldText);
  if (found === undefined) return failure(missing(file, edit));
  const chosen = choose(file, found, edit);
  if (!chosen.ok) return chosen;
  const fallback = newText.includes("\n") ? dominantEnding(file.units) : "\n";
  const splices: { start: number; end: number; text: string }[] = [];
  for (const { start, end, adapt } of chosen.value) {
    const replaced = file.units.slice(start, end);
    const text = newUnits(withEnding(adapt(newText), endingOf(replaced, fallback)), file, replaced);
    if (!text.ok) return text;
    splices.push({ start, end, text: text.value });
  }
  const rungs = found.rung === "exact" ? [] : [found.rung];
  return success({ ...spliced(file.units, splices), replacements: splices.length, rungs });
}

/** The places to replace; if the choice is ambiguous, the problem lists all. */
function choose(file: FileText, { rung, places }: Found, { all, occurrence }: Edit): Outcome<readonly Place[]> {
  const isFaithful = FAITHFUL.includes(rung);
  if (places.length === 1 && (occurrence ?? 1) === 1 || isFaithful && all) return success(places);
  const chosen = isFaithful ? places[(occurrence ?? 0) - 1] : undefined;
  if (chosen !== undefined) return success([chosen]);
  const times = counted(places.length, "time");
  if (!isFaithful) {
    return failure(
      `\`old_string\` is found ${times}, and only with another ${rung}; give it exactly:\n${listed(file, places)}`,
    );
  }
  if (occurrence !== undefined) {
    return failure(`\`occurrence\` is ${occurrence}, and \`old_string\` is found ${times}:\n${listed(file, places)}`);
  }
  return failure(
    `\`old_string\` is found ${times}; give more lines around it, \`occurrence\`, or \`replace_all\`:\n${
      listed(file, places)
    }`,
  );
}

/** The numbered lines of the places; if there are few, also some lines around them. */
function listed({ units, encoding }: FileText, places: readonly Place[]): string {
  const lines = shownLines(units, encoding);
  const isFew = places.length <= MOST_SURROUNDED;
  const shown = places.slice(0, MOST_LISTED).map(({ start }) => {
    const line = lineAt(units, start);
    return isFew
      ? `line ${line}:\n${numbered(lines, line - LINES_AROUND, line + LINES_AROUND)}`
      : numbered(lines, line, line);
  });
  const left = places.length - shown.length;
  return [...shown, ...left > 0 ? [`and ${left} more`] : []].join("\n");
}

/** Says why nothing matches, and shows the nearest lines. */
function missing(file: FileText, { oldText, newText }: Edit): string {
  const { units, encoding, isOpen } = file;
  const done = newText.trim() === "" ? undefined : findText({ ...file, from: 0 }, newText);
  const [place] = done?.places.length === 1 && FAITHFUL.includes(done.rung) ? done.places : [];
  if (place !== undefined) {
    return `\`old_string\` is not there, and \`new_string\` stands at line ${lineAt(units, place.start)}: ` +
      "the edit is probably already applied";
  }
  if (isOpen && /[^\0-\x7f]/.test(oldText)) {
    return "`old_string` is not there, and the file is not UTF-8 throughout; `encoding` says what it is";
  }
  const near = nearestLines(shownLines(units, encoding), linesOf(oldText.replace(/\n$/, "")));
  return near === undefined
    ? "`old_string` is not there, nor any line like it"
    : `\`old_string\` is not there. The nearest lines are:\n${near}`;
}

function shownLines(units: string, encoding: FileText["encoding"]): readonly string[] {
  return linesOf(shownUnits(units, encoding).replace(/(?:\r\n|\n|\r)$/, ""));
}
