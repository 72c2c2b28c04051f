/** Line endings of a text. Pure. */

export type LineEnding = "\n" | "\r\n" | "\r";

/** The most frequent line ending; "\n" for a text without one. */
export function dominantEnding(units: string): LineEnding {
  const pairs = occurrences(units, "\r\n");
  const feeds = occurrences(units, "\n") - pairs;
  const returns = occurrences(units, "\r") - pairs;
  if (pairs > feeds && pairs >= returns) return "\r\n";
  return returns > feeds ? "\r" : "\n";
}

/** The line ending of a part; `otherwise` if it has none or a mixture. */
export function endingOf(part: string, otherwise: LineEnding): LineEnding {
  const found = new Set(part.match(/\r\n|\n|\r/g));
  const [only] = found;
  return found.size === 1 && only !== undefined ? only as LineEnding : otherwise; // what the pattern matches
}

/** The text with these endings. A lone "\r" is kept, unless it is the ending. */
export function withEnding(text: string, ending: LineEnding): string {
  const plain = text.replaceAll("\r\n", "\n");
  return ending === "\n" ? plain : plain.replaceAll("\n", ending);
}

/** The number of the line at a place, from 1. Lines end with "\n", or with "\r" if the text has no "\n". */
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
