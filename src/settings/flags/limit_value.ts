/** Limits as people write them: `4096`, `16G`, or `none`. */

/** By letter; powers of 1024. */
const UNITS: Readonly<Record<string, number>> = { "": 1, K: 1024, M: 1024 ** 2, G: 1024 ** 3, T: 1024 ** 4 };

const PATTERN = /^(\d+)([KMGT]?)$/i;

/** The number; undefined: no limit. The text was checked by `limitProblem`. */
export function limitOf(text: string): number | undefined {
  const [, digits, unit = ""] = PATTERN.exec(text) ?? [];
  return digits === undefined ? undefined : Number(digits) * (UNITS[unit.toUpperCase()] ?? 1);
}

/** What is wrong with a limit, to follow a colon; undefined when nothing is. */
export function limitProblem(
  text: string,
  [smallest, largest]: readonly [number, number] = [1, Number.MAX_SAFE_INTEGER],
): string | undefined {
  if (text === "none") return undefined;
  const limit = limitOf(text);
  if (limit !== undefined && limit >= smallest && limit <= largest) return undefined;
  return `"${text}" is neither "none" nor a whole number from ${smallest} to ${largest} (K, M, G and T may follow it)`;
}
