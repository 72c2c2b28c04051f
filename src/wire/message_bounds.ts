/** What one message may have, of a client or a server: to read more would keep the one thread from all others (C2, O6). */

/** Bytes. */
export const LONGEST_MESSAGE: number = 16 * 1024 * 1024;
/** Keys of objects and items of lists together, of all levels: most of the SDK's passes look at each. */
export const MOST_MEMBERS = 20_000;
/** Those of `_meta` in parameters, which the SDK checks and copies more often than anything else. */
export const MOST_META = 1_000;
/** Of characters in texts; one of the form `\u65e5` counts as two. Each takes longer to read and to write than some twenty other characters. */
export const MOST_ESCAPES = 3_000_000;
/** Objects and lists inside each other. Beyond some thousand levels writing them down again overflows the stack. */
export const DEEPEST = 500;

/** The bound that a message is beyond. */
export type Excess = "length" | "members" | "depth" | "escapes";

/** The first bound that a message is beyond which has so much; undefined: it is within all. */
export function excessOf(
  { length, members, deepest, escapes }: Readonly<Record<"length" | "members" | "deepest" | "escapes", number>>,
):
  | Excess
  | undefined {
  if (length > LONGEST_MESSAGE) return "length";
  if (deepest > DEEPEST) return "depth";
  if (members > MOST_MEMBERS) return "members";
  return escapes > MOST_ESCAPES ? "escapes" : undefined;
}

const MORE_THAN: Readonly<Record<Excess, string>> = {
  length: `${LONGEST_MESSAGE / 1024 / 1024} MiB`,
  members: `${MOST_MEMBERS} keys and list items`,
  depth: `${DEEPEST} objects and lists inside each other`,
  escapes: `${MOST_ESCAPES} escaped characters`,
};

/** What a message has too much of, as in "more than 16 MiB". */
export function moreThan(excess: Excess): string {
  return `more than ${MORE_THAN[excess]}`;
}

/** What a call gets whose answer is beyond a bound. */
export function excessiveAnswer(excess: Excess): string {
  return `The server answered with ${moreThan(excess)}, which is not read: ask it for less`;
}
