/** Limits of one message, of a client or a server: reading more would keep the only thread from all others (C2, O6). */

/** Bytes. */
export const LONGEST_MESSAGE: number = 16 * 1024 * 1024;
/** Keys of objects and items of lists together, on all levels: most of the SDK's passes visit each. */
export const MOST_MEMBERS = 20_000;
/** The same for `_meta` in parameters, which the SDK checks and copies most often. */
export const MOST_META = 1_000;
/** Escapes in strings; one of the form `\u65e5` counts as two. Each takes as long as some twenty other characters. */
export const MOST_ESCAPES = 3_000_000;
/** Nesting of objects and lists. Above some thousand levels writing them overflows the stack. */
export const DEEPEST = 500;

/** The limit that a message exceeds. */
export type Excess = "length" | "members" | "depth" | "escapes";

/** The first limit that a message with these counts exceeds; undefined: none. */
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

/** The exceeded limit in words, as in "more than 16 MiB". */
export function moreThan(excess: Excess): string {
  return `more than ${MORE_THAN[excess]}`;
}

/** The error of a call whose answer exceeds a limit. */
export function excessiveAnswer(excess: Excess): string {
  return `The server answered with ${moreThan(excess)}, which is not read: ask it for less`;
}
