/** Longer words are never compared: the time grows with the square of the length. */
const LONGEST_WORD = 64;
/** At most this many candidates are compared. */
const MOST_CANDIDATES = 1_000;

/**
 * The candidate a person most likely meant by `word`, or undefined when none is near enough.
 * Case and the difference between `_` and `-` do not count as mistakes; a third of the letters may be wrong, never all of them.
 *
 * @example closest("buld", ["build", "test"]) // "build"
 */
export function closest(word: string, candidates: Iterable<string>): string | undefined {
  if (word.length > LONGEST_WORD) return undefined;
  const wanted = fold(word);
  let best: string | undefined;
  let bestDistance = Math.min(Math.max(1, Math.floor(wanted.length / 3)) + 1, wanted.length);
  for (const candidate of Iterator.from(candidates).take(MOST_CANDIDATES)) {
    if (candidate.length > LONGEST_WORD) continue;
    const distance = editDistance(wanted, fold(candidate));
    if (distance >= bestDistance) continue;
    best = candidate;
    bestDistance = distance;
  }
  return best;
}

/** `; did you mean "x"?`, or an empty text when nothing is near: the tail of an error message. */
export function didYouMean(word: string, candidates: Iterable<string>): string {
  const guess = closest(word, candidates);
  return guess === undefined ? "" : `; did you mean "${guess}"?`;
}

function fold(word: string): string {
  return word.toLowerCase().replaceAll("_", "-");
}

/** Insertions, deletions, replacements and swaps of neighbours that turn `from` into `to`. */
function editDistance(from: string, to: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    for (let column = 1; column <= to.length; column++) {
      const same = from[row - 1] === to[column - 1];
      let cost = Math.min(
        at(last, column) + 1,
        at(current, column - 1) + 1,
        at(last, column - 1) + (same ? 0 : 1),
      );
      const swapped = row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      if (swapped) cost = Math.min(cost, at(beforeLast, column - 2) + 1);
      current.push(cost);
    }
    beforeLast = last;
    last = current;
  }
  return at(last, to.length);
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Infinity;
}
