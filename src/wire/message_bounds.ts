/** What one message may have, of a client or a server: to read more would keep the one thread from all others (C2, O6). */

/** Bytes. */
export const LONGEST_MESSAGE: number = 16 * 1024 * 1024;
/** Keys of objects and items of lists together, of all levels. To read and write so many takes some 100 ms. */
export const MOST_MEMBERS = 50_000;
/** Objects and lists inside each other. Beyond some thousand levels writing them down again overflows the stack. */
export const DEEPEST = 500;

/** The bound that a message is beyond. */
export type Excess = "length" | "members" | "depth";

/** The first bound that a message is beyond which has so much; undefined: it is within all. */
export function excessOf({ length, members, deepest }: Readonly<Record<"length" | "members" | "deepest", number>>):
  | Excess
  | undefined {
  if (length > LONGEST_MESSAGE) return "length";
  if (deepest > DEEPEST) return "depth";
  return members > MOST_MEMBERS ? "members" : undefined;
}

const MORE_THAN: Readonly<Record<Excess, string>> = {
  length: `${LONGEST_MESSAGE / 1024 / 1024} MiB`,
  members: `${MOST_MEMBERS} keys and list items`,
  depth: `${DEEPEST} objects and lists inside each other`,
};

/** What a message has too much of, as in "more than 16 MiB". */
export function moreThan(excess: Excess): string {
  return `more than ${MORE_THAN[excess]}`;
}

/** What a call gets whose answer is beyond a bound. */
export function excessiveAnswer(excess: Excess): string {
  return `The server answered with ${moreThan(excess)}, which is not read: ask it for less`;
}
