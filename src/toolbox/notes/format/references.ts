/** References to an item: its name, its id, the end of the id, or an unambiguous beginning. Pure. */
import { failure, type Outcome, success } from "../../../base/outcome.ts";
import { didYouMean } from "../../../base/suggest.ts";
import { counted, shownValue } from "../../../base/text.ts";
import { isIdOrEnd } from "./ulid.ts";

export interface Named {
  readonly name: string;
  /** The id; undefined: it has none. */
  readonly id?: string | undefined;
  /** Another name; absent: none. */
  readonly title?: string;
}

/** At most this many of the matching items are named. */
const MOST_NAMED = 8;

/** Finds the item of a reference; `what` names the kind in the problem. */
export function resolveReference<Item extends Named>(
  items: readonly Item[],
  reference: string,
  what: string,
): Outcome<Item> {
  const wanted = fold(reference.trim().replace(/\.md$/, ""));
  const ways: readonly ((item: Item) => boolean)[] = [
    ({ name }) => name === reference,
    ({ title }) => title === reference,
    ({ name }) => fold(name) === wanted,
    ({ id }) => id !== undefined && isIdOrEnd(id, wanted),
    ({ title }) => title !== undefined && fold(title) === wanted,
    ({ name, id }) =>
      wanted !== "" && (fold(name).startsWith(wanted) || id !== undefined && fold(id).startsWith(wanted)),
  ];
  for (const way of ways) {
    const [found, ...more] = items.filter(way);
    if (found !== undefined && more.length === 0) return success(found);
    if (found !== undefined) {
      const names = [found, ...more].slice(0, MOST_NAMED).map(({ name }) => name).join(", ");
      return failure(`${shownValue(reference)} means ${counted(more.length + 1, what)}: ${names}; name one of them`);
    }
  }
  const guess = didYouMean(reference, items.flatMap(({ name, title }) => title === undefined ? [name] : [name, title]));
  return failure(`There is no ${what} ${shownValue(reference)}${guess || `; ${what}_list names them`}`);
}

function fold(text: string): string {
  return text.normalize("NFC").toLowerCase();
}
