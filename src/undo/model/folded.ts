/** A list of changes in which a directory that was created or removed as a whole stands for all its contents. Pure. */
import { parentOf } from "../../system/paths.ts";
import { type Change, letterOf } from "./change.ts";

export interface Folded {
  readonly change: Change;
  /** How many changes below it are left out. */
  readonly below: number;
}

/** In the order of `changes`. Paths without stored content are always listed, with the reason. */
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
