/** The lines of a piece that have most of a question. Pure. */

const MOST_LINES = 5;
const LONGEST_LINE = 160;

/** A few lines with their numbers; `from` and `to` are its first and last line, from 1. */
export function excerptOf(
  text: string,
  { from, to }: { readonly from: number; readonly to: number },
  terms: readonly string[],
): readonly string[] {
  const lines = text.split("\n").slice(from - 1, to);
  const found = lines.map((line) => {
    const lower = line.toLowerCase();
    return new Set(terms.filter((term) => lower.includes(term)));
  });
  let best = 0;
  let most = -1;
  for (let start = 0; start <= Math.max(0, lines.length - MOST_LINES); start++) {
    const window = found.slice(start, start + MOST_LINES);
    const count = new Set(window.flatMap((terms) => [...terms])).size;
    if (count > most) [best, most] = [start, count];
  }
  return lines.slice(best, best + MOST_LINES).map((line, at) => `  ${from + best + at}\t${cut(line.trimEnd())}`);
}

function cut(line: string): string {
  return line.length <= LONGEST_LINE ? line : `${line.slice(0, LONGEST_LINE - 1)}…`;
}
