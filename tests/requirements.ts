/** How far each family of requirement ids goes: a test may name any of these, and no other. */
const FAMILIES: Readonly<Record<string, number>> = {
  M: 5,
  T: 15,
  X: 18,
  B: 6,
  P: 4,
  S: 26,
  C: 5,
  Q: 4,
  H: 11,
  O: 5,
  L: 8,
  D: 3,
  N: 6,
};

/** Every id there is. */
export const KNOWN_IDS: readonly string[] = Object.entries(FAMILIES)
  .flatMap(([letter, last]) => numbered(letter, Array.from({ length: last }, (_, index) => index + 1)));

/** The requirements that are finished, or being finished now: each is named by at least one test. */
export const PROVEN_IDS: readonly string[] = [
  ...numbered("S", [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 20, 21, 22, 26]),
  ...numbered("X", [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18]),
  ...numbered("P", [1, 2, 3, 4]),
  ...numbered("B", [1, 2, 3, 4, 6]),
  ...numbered("T", [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]),
  ...numbered("C", [1, 2, 3, 4, 5]),
  ...numbered("L", [1, 2, 3, 4, 5, 6, 7, 8]),
  ...numbered("N", [4, 5]),
  ...numbered("H", [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]),
];

function numbered(letter: string, numbers: readonly number[]): string[] {
  return numbers.map((number) => `${letter}${number}`);
}
