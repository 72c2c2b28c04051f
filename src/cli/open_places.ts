/** Which of the program's own files commands could change: nothing of ours is trusted or written there. */
import { absolutePath, isWithin, parentOf, realPath } from "../sandbox/paths.ts";
import type { Settings } from "./settings.ts";

/** Canonical trees that commands can write to with these settings. */
export function openTrees(
  { scopes, writable }: Pick<Settings, "scopes" | "writable">,
  environment: Readonly<Record<string, string>>,
): readonly string[] {
  const cwd = Deno.cwd();
  // A working directory that is home, or holds it, is no scope by itself (S1).
  const home = realPath(environment["HOME"] ?? "");
  const byDefault = home !== undefined && isWithin(home, cwd) ? [] : [cwd];
  return [...(scopes.length > 0 ? scopes : byDefault), ...writable]
    .map((tree) => realPath(absolutePath(tree, cwd)))
    .filter((tree) => tree !== undefined);
}

/** Whether a path, or what exists of the way there, lies in one of these trees. */
export function isInOpenTree(path: string, trees: readonly string[]): boolean {
  let existing = path;
  while (existing !== "/" && realPath(existing) === undefined) existing = parentOf(existing);
  const real = realPath(existing) ?? existing;
  return trees.some((tree) => isWithin(real, tree) || isWithin(path, tree));
}
