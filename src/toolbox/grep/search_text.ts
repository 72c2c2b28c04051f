/** Finds lines in a text as `rg` does. Pure. */
import { type FoundFile, type FoundLine, shownLine } from "./found_lines.ts";
import type { GrepQuery } from "./grep_query.ts";

export interface TextSearch {
  readonly query: GrepQuery;
  /** Made by `jsPattern`. */
  readonly pattern: RegExp;
  /** At most this many matching lines are kept. */
  readonly most: number;
}

/** The matching lines of a file, and those around them; undefined: there are none. */
export function searchText(path: string, text: string, { query, pattern, most }: TextSearch): FoundFile | undefined {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  const places = query.multiline ? placesInText(text, lines, pattern) : placesInLines(lines, pattern);
  const isMatch = (line: number) => places.has(line) !== query.invert;
  const found: FoundLine[] = [];
  let matches = 0;
  // Shown lines after the last match, and possible context lines before the next one.
  let until = -1;
  let shown = 0;
  for (let line = 0; line < lines.length; line++) {
    if (!isMatch(line)) {
      if (line <= until) found.push(lineAt(lines, line, undefined));
      if (line <= until) shown = line + 1;
      continue;
    }
    if (++matches > most + 1) continue;
    for (let at = Math.max(shown, line - query.before); at < line; at++) found.push(lineAt(lines, at, undefined));
    found.push(lineAt(lines, line, places.get(line) ?? 0));
    shown = line + 1;
    until = line + query.after;
  }
  return matches === 0 ? undefined : { path, matches, lines: found };
}

function lineAt(lines: readonly string[], line: number, at: number | undefined): FoundLine {
  return { number: line + 1, text: shownLine(lines[line] ?? "", at ?? 0), isMatch: at !== undefined };
}

/** Where the first match of each line begins. */
function placesInLines(lines: readonly string[], pattern: RegExp): ReadonlyMap<number, number> {
  const places = new Map<number, number>();
  for (const [number, line] of lines.entries()) {
    const match = pattern.exec(line.endsWith("\r") ? line.slice(0, -1) : line);
    if (match !== null) places.set(number, match.index);
  }
  return places;
}

/** The same for matches that span lines; each line of a match counts. */
function placesInText(text: string, lines: readonly string[], pattern: RegExp): ReadonlyMap<number, number> {
  const places = new Map<number, number>();
  let line = 0;
  let start = 0;
  for (const match of text.matchAll(new RegExp(pattern, `${pattern.flags}g`))) {
    const next = () => start + (lines[line]?.length ?? 0) + 1;
    while (line < lines.length && next() <= match.index) [start, line] = [next(), line + 1];
    const end = Math.max(match.index + 1, match.index + match[0].length);
    for (let [at, from] = [line, start]; at < lines.length && from < end; at++) {
      if (!places.has(at)) places.set(at, at === line ? match.index - start : 0);
      from += (lines[at]?.length ?? 0) + 1;
    }
  }
  return places;
}
