/** A list of changes in which a directory that came or went whole stands for all that it holds. Pure. */
import { parentOf } from "../../system/paths.ts";
import { type Change, letterOf } from "./change.ts";

export interface Folded {
  readonly change: Change;
  /** So many changes below it are left out. */
  readonly below: number;
}

/** In the order of `changes`. What is not kept has a reason to be told, and is always listed. */
export function folded(changes: readonly Change[]): readonly Folded[] {
  const whole = new Map<string, number>();
  for (const change of changes) {
    const { kind } = change.before ?? change.after ?? {};
    if (kind === "directory" && letterOf(change) !== "M") whole.set(change.path, 0);
  }
  const listed = changes.filter(({ path, before }) => {
    const top = before?.unkept === undefined ? highestAbove(path, whole) : undefined;
    if (top !== undefined) whole.set(top, (whole.get(top) ?? 0) + 1);
    return top === undefined;
  });
  return listed.map((change) => ({ change, below: whole.get(change.path) ?? 0 }));
}

function highestAbove(path: string, directories: ReadonlyMap<string, unknown>): string | undefined {
  let found: string | undefined;
  for (let above = parentOf(path); above !== "/" && above !== ""; above = parentOf(above)) {
    if (directories.has(above)) found = above;
  }
  return found;
}
