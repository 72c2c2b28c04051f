/** Which of the writable trees need rights of their own (S20). Pure. */
import { isWithin } from "../../system/paths.ts";
import type { PinnedDirectory } from "./policy.ts";

/**
 * The trees without those whose path lies in another one: that one's rights hold there already. Leaving a tree out
 * never opens anything, even if a command moves directories at the same time and the path leads elsewhere. A tree in
 * another one can so be renamed, or made again under its name, as `git switch` does, and files move in and out of it
 * without a copy.
 */
export function outerTrees(trees: readonly PinnedDirectory[]): readonly PinnedDirectory[] {
  return trees.filter(({ path }, index) =>
    !trees.some((other, at) => at !== index && isWithin(path, other.path) && (path !== other.path || at < index))
  );
}
