/** Separates protected files from their second names (S21), or reports that it cannot. */
import type { ProtectedChange } from "../../../base/command/protected_change.ts";
import type { SharedFile } from "../../../sandbox/protect/guard_view.ts";
import { fingerprintOf, type OwnChanges } from "../../../sandbox/protect/path_snapshot.ts";
import { isWithin } from "../../../system/paths.ts";
import type { PinnedDirectory } from "../../../sandbox/policy/policy.ts";
import type { Separator } from "../../../sandbox/protect/separate_hard_links.ts";

/** Files of one check; the rest follow at the next. */
const MOST_AT_ONCE = 256;
/** Bytes copied in one check: the server answers no call during it. */
const MOST_BYTES_AT_ONCE = 64n * 1024n * 1024n;
/** Attempts for one file: a git lock disappears, other obstacles mostly do not. */
const MOST_TRIES = 4;

function keyOf({ path, facts }: SharedFile): string {
  return `${path}\0${facts.device}:${facts.inode}`;
}

export type Separates = Pick<Separator, "separate">;

export class SecondNames {
  readonly #separator: Separates;
  readonly #trees: readonly PinnedDirectory[];
  /** Failed attempts to separate files, by path and identity: each file is reported at the first. */
  readonly #failed = new Map<string, number>();
  /** Fingerprints of copies that no program has changed. */
  readonly #own: OwnChanges;

  constructor(separator: Separates, trees: readonly PinnedDirectory[], own: OwnChanges) {
    this.#separator = separator;
    this.#own = own;
    // Of nested trees the widest: commands cannot move it.
    this.#trees = trees.toSorted((one, other) => one.path.length - other.path.length);
  }

  /** What was separated, small files first; those that stay shared are reported once. */
  separate(shared: readonly SharedFile[]): readonly ProtectedChange[] {
    let room = MOST_BYTES_AT_ONCE;
    const due = shared.map((file) => ({ ...file, failed: this.#failed.get(keyOf(file)) ?? 0 }))
      .filter(({ failed }) => failed < MOST_TRIES)
      .toSorted((one, other) => Number(one.facts.size - other.facts.size));
    return due.slice(0, MOST_AT_ONCE).flatMap(({ path, facts, failed }): readonly ProtectedChange[] => {
      const tree = this.#trees.find((one) => isWithin(path, one.path));
      if (tree === undefined || room <= 0n) return [];
      const { change, copy } = this.#separator.separate({ path, wanted: facts, tree });
      if (change !== "shared") {
        room -= facts.size;
        if (copy === undefined) return [{ path, change }, { path, change: "changed" }];
        this.#own.add(path, fingerprintOf(facts), fingerprintOf(copy));
        return [{ path, change }];
      }
      this.#failed.set(keyOf({ path, facts }), failed + 1);
      return failed === 0 ? [{ path, change: "shared" }] : [];
    });
  }
}

/** Whether the file was separated. */
export function isSeparated({ change }: ProtectedChange): boolean {
  return change === "separated" || change === "displaced";
}
