/** What changed between two states of a tree. Pure. */
import { isOnlyTimes, isSame, type State } from "./entry.ts";

export interface Change {
  /** Absolute. */
  readonly path: string;
  readonly before: State;
  readonly after: State;
}

/** A tree as it was last seen, by path. */
export type Index = ReadonlyMap<string, NonNullable<State>>;

/** A branch or another name of git that a command moved. */
export interface MovedRef {
  /** The directory of git that holds it. */
  readonly repository: string;
  readonly name: string;
  /** What it named; undefined: it did not exist. */
  readonly before: string | undefined;
  readonly after: string | undefined;
}

/** One operation of one server. */
export interface RecordedOperation {
  readonly operation: string;
  /** When it last began or ended, milliseconds since 1970. */
  readonly at: number;
  readonly title: string;
  readonly changes: readonly Change[];
  readonly refs: readonly MovedRef[];
  /** Others that ran at the same time, so that a change may be theirs. */
  readonly shared: readonly string[];
}

/** What differs between two indexes, in the order of paths. */
export function differences(before: Index, after: Index): readonly Change[] {
  const changes: Change[] = [];
  for (const [path, old] of before) {
    const next = after.get(path);
    if (!isSame(old, next)) changes.push({ path, before: old, after: next });
  }
  for (const [path, next] of after) if (!before.has(path)) changes.push({ path, before: undefined, after: next });
  return inOrder(changes);
}

/** Joins consecutive lists into one, without paths that returned to their first state. */
export function combined(lists: Iterable<readonly Change[]>): readonly Change[] {
  return inOrder(joined(lists, ({ path }) => path).filter(({ before, after }) => !isSame(before, after)));
}

/** The same for names of git. */
export function combinedRefs(lists: Iterable<readonly MovedRef[]>): readonly MovedRef[] {
  return joined(lists, ({ repository, name }) => `${repository}\0${name}`)
    .filter(({ before, after }) => before !== after);
}

/** What stood before the first change of a key, and after the last. */
function joined<One extends Pick<Change | MovedRef, "before">>(
  lists: Iterable<readonly One[]>,
  keyOf: (one: One) => string,
): readonly One[] {
  const whole = new Map<string, One>();
  for (const list of lists) {
    for (const one of list) whole.set(keyOf(one), { ...one, before: (whole.get(keyOf(one)) ?? one).before });
  }
  return [...whole.values()];
}

/** The changes worth showing: times of directories change with their contents. */
export function told(changes: readonly Change[]): readonly Change[] {
  return changes.filter(({ before, after }) => !isOnlyTimes(before, after));
}

/** The letter that git uses for it. */
export function letterOf({ before, after }: Change): "A" | "M" | "D" {
  return before === undefined ? "A" : after === undefined ? "D" : "M";
}

function inOrder(changes: readonly Change[]): readonly Change[] {
  return changes.toSorted((one, other) => one.path < other.path ? -1 : 1);
}
