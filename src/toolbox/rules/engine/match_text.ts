/** Matches a rule's pattern against a text. Pure; it runs in a helper, because it may take any time. */
import { compilePattern } from "../format/pattern.ts";
import type { MatchEngine } from "../format/rule.ts";

/** A match; line and column are from 1, the column in characters. */
export interface FoundPlace {
  readonly line: number;
  readonly column: number;
  /** The proposed replacement; undefined: there is none. */
  readonly fix: string | undefined;
  /** The message of the finding; absent: the rule's message. */
  readonly message?: string;
}

/** Maximum findings reported of one rule in one file. */
export const MOST_PLACES = 100;
const LONGEST_FIX = 200;

/** The matches in order, at most `MOST_PLACES` + 1. */
export function findPlaces(text: string, { pattern, not, multiline, fix }: MatchEngine): readonly FoundPlace[] {
  const wanted = compilePattern(pattern, multiline);
  const unwanted = not === undefined ? undefined : compilePattern(not, multiline);
  const lines = text.split("\n").map((line) => line.endsWith("\r") ? line.slice(0, -1) : line);
  const places: FoundPlace[] = [];
  for (const { line, start, match } of multiline ? matchesInText(text, wanted) : matchesInLines(lines, wanted)) {
    const whole = lines[line] ?? "";
    if (unwanted !== undefined) {
      unwanted.lastIndex = 0;
      if (unwanted.test(multiline ? match[0] : whole)) continue;
    }
    const column = [...whole.slice(0, start)].length + 1;
    places.push({ line: line + 1, column, fix: fix === undefined ? undefined : replacement(fix, match) });
    if (places.length > MOST_PLACES) break;
  }
  return places;
}

interface Match {
  /** From 0. */
  readonly line: number;
  /** Place in the line, in code units. */
  readonly start: number;
  readonly match: RegExpExecArray;
}

function* matchesInLines(lines: readonly string[], wanted: RegExp): Generator<Match> {
  for (const [line, text] of lines.entries()) {
    for (const match of text.matchAll(wanted)) yield { line, start: match.index, match };
  }
}

function* matchesInText(text: string, wanted: RegExp): Generator<Match> {
  let [line, begin] = [0, 0];
  for (const match of text.matchAll(wanted)) {
    for (let end = text.indexOf("\n", begin); end >= 0 && end < match.index; end = text.indexOf("\n", begin)) {
      [line, begin] = [line + 1, end + 1];
    }
    yield { line, start: match.index - begin, match };
  }
}

function replacement(fix: string, match: RegExpExecArray): string {
  const text = fix.replace(/\$(?:(\$)|(&)|(\d{1,2})|<([^>]*)>)/g, (_, dollar, whole, number, name) => {
    if (dollar !== undefined) return "$";
    if (whole !== undefined) return match[0];
    return (number === undefined ? match.groups?.[name] : match[Number(number)]) ?? "";
  });
  return text.slice(0, LONGEST_FIX);
}
