/** Finds the text to replace, exactly or by named looser matches, never by similarity: a wrong place is worst. Pure. */
import type { Encoding } from "../definition/files_writing.ts";
import { dominantEnding, withEnding } from "./line_endings.ts";
import {
  anyIndentation,
  anyLineEnds,
  anyTrailingBlanks,
  anyTypography,
  reindented,
  withoutLineNumbers,
} from "./loose_patterns.ts";
import { textUnits } from "./file_text.ts";

/** The kind of match that was used; answers name it. */
export type Rung = "exact" | "line endings" | "trailing whitespace" | "indentation" | "line numbers" | "typography";

export interface Found {
  readonly rung: Rung;
  /** At least one place, in order, without overlaps. */
  readonly places: readonly Place[];
}

export interface Place {
  readonly start: number;
  readonly end: number;
  /** Adapts the new text to this place. */
  readonly adapt: (text: string) => string;
}

export interface Searched {
  readonly units: string;
  readonly encoding: Encoding;
  /** Where the search begins, units. */
  readonly from: number;
}

/** A longer text is matched only with its own or the file's line endings, units. */
const LONGEST_LOOSE = 100_000;

/** Where `text` (any Unicode, not empty) occurs; undefined: nowhere. */
export function findText(searched: Searched, text: string): Found | undefined {
  const plain = findWithNumbers(searched, text);
  if (plain !== undefined || text.length > LONGEST_LOOSE) return plain;
  const bare = withoutLineNumbers(text);
  const numbered = bare === undefined || bare.trim() === "" ? undefined : findWithNumbers(searched, bare);
  if (numbered !== undefined) {
    const places = numbered.places.map((place) => ({
      ...place,
      adapt: (next: string) => place.adapt(withoutLineNumbers(next) ?? next),
    }));
    return { rung: "line numbers", places };
  }
  if (text.trim() === "") return undefined;
  return matched(searched, "typography", anyTypography(text, searched.encoding));
}

function findWithNumbers(searched: Searched, text: string): Found | undefined {
  const units = textUnits(text, searched.encoding);
  if (!units.ok) return undefined;
  const exact = placesOf(searched, units.value);
  if (exact.length > 0) return { rung: "exact", places: exact };
  const ended = placesOf(searched, withEnding(units.value, dominantEnding(searched.units)));
  if (ended.length > 0) return { rung: "line endings", places: ended };
  if (units.value.length > LONGEST_LOOSE) return undefined;
  const loose = matched(searched, "line endings", anyLineEnds(units.value));
  if (loose !== undefined || text.trim() === "") return loose;
  const trailing = matched(searched, "trailing whitespace", anyTrailingBlanks(units.value));
  if (trailing !== undefined) return trailing;
  const moved = anyIndentation(units.value);
  return moved && matched(searched, "indentation", moved.pattern, moved.indent);
}

function placesOf({ units, from }: Searched, needle: string): readonly Place[] {
  const places: Place[] = [];
  for (let at = units.indexOf(needle, from); at >= 0; at = units.indexOf(needle, at + needle.length)) {
    places.push({ start: at, end: at + needle.length, adapt: asGiven });
  }
  return places;
}

function matched({ units, from }: Searched, rung: Rung, pattern: string, indent?: string): Found | undefined {
  const places: Place[] = [];
  const expression = new RegExp(pattern, "gm");
  expression.lastIndex = from;
  for (let match = expression.exec(units); match !== null; match = expression.exec(units)) {
    const [all, found = ""] = match;
    const adapt = indent === undefined ? asGiven : (text: string) => reindented(text, indent, found);
    places.push({ start: match.index, end: match.index + all.length, adapt });
  }
  return places.length === 0 ? undefined : { rung, places };
}

function asGiven(text: string): string {
  return text;
}
