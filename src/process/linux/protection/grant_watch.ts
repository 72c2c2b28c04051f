/**
 * Landlock's rules hold for the file that lay at a path when a launcher opened it. A prewarmed process could not use a
 * file that was replaced since, as editors do when they save.
 */
import type { ChangeWatch } from "../../../system/stat_watch.ts";
import type { WatchingLooker } from "../../../sandbox/protect/guard_view.ts";
import type { SandboxPolicy } from "../../../sandbox/policy/policy.ts";

export class GrantWatch {
  readonly #looker: Pick<WatchingLooker, "watch">;
  #watch: ChangeWatch | undefined;

  constructor(looker: Pick<WatchingLooker, "watch">) {
    this.#looker = looker;
  }

  /** Whether every path of the policy still holds the same file as at the last check. The first call returns false. */
  areUnchanged(policy: SandboxPolicy): boolean {
    this.#watch ??= this.#looker.watch(
      [...policy.grants, ...policy.writable].map(({ path }) => path).filter((path) => !LASTING.test(path)),
      "identity",
    );
    return this.#watch.isUnchanged();
  }
}

/** Paths of the kernel, and trees of the system that are granted as a whole: they are never replaced. */
const LASTING = /^\/(?:proc|dev|usr|bin|sbin|lib\d*)(?:\/|$)/;
