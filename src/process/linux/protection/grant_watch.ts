/**
 * Landlock's rules hold for the file that lay at a path when a launcher opened it. A prewarmed process would be kept from
 * a file that was exchanged since, as editors do when they save.
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

  /** Whether at every path of the policy, the same each time, lies what lay there at the last look. The first says no. */
  areUnchanged(policy: SandboxPolicy): boolean {
    this.#watch ??= this.#looker.watch(
      [...policy.grants, ...policy.writable].map(({ path }) => path).filter((path) => !LASTING.test(path)),
      "identity",
    );
    return this.#watch.isUnchanged();
  }
}

/** Paths of the kernel, and trees of the system that are granted as a whole: they are not exchanged. */
const LASTING = /^\/(?:proc|dev|usr|bin|sbin|lib\d*)(?:\/|$)/;
