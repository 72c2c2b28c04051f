/** Line endings of a text. Pure. */

export type LineEnding = "\n" | "\r\n" | "\r";

/** The most frequent one; a text without lines has "\n". */
export function dominantEnding(units: string): LineEnding {
  const pairs = occurrences(units, "\r\n");
  const feeds = occurrences(units, "\n") - pairs;
  const returns = occurrences(units, "\r") - pairs;
  if (pairs > feeds && pairs >= returns) return "\r\n";
  return returns > feeds ? "\r" : "\n";
}

/** The ending that all lines of a part have; `otherwise` where it has none, or several. */
export function endingOf(part: string, otherwise: LineEnding): LineEnding {
  const found = new Set(part.match(/\r\n|\n|\r/g));
  const [only] = found;
  return found.size === 1 && only !== undefined ? only as LineEnding : otherwise; // what the pattern matches
}

/** The text with these endings. A "\r" alone stays what it is, unless it is the ending. */
export function withEnding(text: string, ending: LineEnding): string {
  const plain = text.replaceAll("\r\n", "\n");
  return ending === "\n" ? plain : plain.replaceAll("\n", ending);
}

/** The number of the line at a place, from 1. Lines end with "\n", or with "\r" where the text has no other. */
export function lineAt(units: string, place: number): number {
  const ending = units.includes("\n") ? "\n" : "\r";
  let line = 1;
  for (let at = units.indexOf(ending); at >= 0 && at < place; at = units.indexOf(ending, at + 1)) line++;
  return line;
}

/** Lines without their endings. */
export function linesOf(units: string): string[] {
  return units.split(/\r\n|\n|\r/);
}

function occurrences(units: string, what: string): number {
  let count = 0;
  for (let at = units.indexOf(what); at >= 0; at = units.indexOf(what, at + what.length)) count++;
  return count;
}
