/** Removes drafts that an undo left in the tree, because its process was killed between two system calls. */
import type { OpenFiles } from "../../system/open_files/file_calls.ts";
import type { Index } from "../model/change.ts";
import type { ObjectStore } from "../store/objects.ts";
import { UNDO_PART } from "./looking.ts";
import type { Roots, Spot } from "./roots.ts";

export interface LeftDraftsParts {
  readonly files: OpenFiles;
  readonly roots: Roots;
  readonly objects: ObjectStore;
  /** The tree as it was before and as it is. */
  readonly indexes: readonly Index[];
  /** Milliseconds since 1970; a draft that is not a minute older may belong to an undo of another server. */
  readonly now: number;
  /** No other server can be at work. */
  readonly isAlone: boolean;
}

/** Milliseconds. */
const LEFT_AFTER_MS = 60_000;

/** A draft whose content or target is not stored stays: a person may have written it at that very moment. */
export function removeLeftDrafts(drafts: readonly string[], parts: LeftDraftsParts): void {
  if (drafts.length === 0) return;
  const entries = parts.indexes.flatMap((index) => [...index.values()]);
  const targets = new Set(entries.map(({ target }) => target));
  for (const path of drafts) {
    parts.roots.at(path, (spot) => isKept(spot, targets, parts) && parts.files.unlink(spot.directory, spot.name));
  }
}

function isKept(
  { directory, name }: Spot,
  targets: ReadonlySet<string | undefined>,
  { files, objects, now, isAlone }: LeftDraftsParts,
): boolean {
  const stat = files.stat(directory, name);
  if (stat === undefined) return false;
  if (!isAlone && BigInt(now - LEFT_AFTER_MS) * 1_000_000n < stat.changedAt) return false;
  if (name.startsWith(UNDO_PART)) return true;
  if (stat.kind === "link") return targets.has(files.linkTarget(directory, name) ?? "");
  const fd = stat.kind === "file" ? files.open(directory, name) : undefined;
  return files.with(fd, (open) => objects.holds(open)) ?? false;
}
