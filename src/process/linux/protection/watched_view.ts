/** A view with mounts, rebuilt only when the paths that it was made from have changed (S8). */
import type { ChangeWatch } from "../../../system/stat_watch.ts";
import type { GuardView, WatchedPaths, WatchingLooker } from "../../../sandbox/protect/guard_view.ts";
import type { SandboxPolicy } from "../../../sandbox/policy/policy.ts";

/** Paths may come and go during the check; the view is then rebuilt the next time. */
const MOST_TRIES = 3;

export class WatchedView {
  readonly #make: () => GuardView;
  readonly #looker: Pick<WatchingLooker, "watch">;
  /** The last view, and the check that it is still valid; undefined: paths changed while it was made. */
  #last: { readonly view: GuardView; readonly watch: Watch } | undefined;

  constructor(make: () => GuardView, looker: Pick<WatchingLooker, "watch">) {
    this.#make = make;
    this.#looker = looker;
  }

  look(): GuardView {
    if (this.#last?.watch.isUnchanged() === true) return this.#last.view;
    let watch = this.#last?.watch;
    this.#last = undefined;
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      // The watch was read before the view is made, so the next call sees changes in between.
      const view = this.#make();
      if (watch?.isOf(view.behind) === true) {
        this.#last = { view, watch };
        return view;
      }
      watch?.close();
      watch = new Watch(view.behind, this.#looker);
      watch.isUnchanged();
    }
    watch?.close();
    return this.#make();
  }

  /** Must be called when it is no longer used. */
  close(): void {
    this.#last?.watch.close();
    this.#last = undefined;
  }
}

class Watch {
  readonly #key: string;
  readonly #parts: readonly ChangeWatch[];

  constructor(paths: WatchedPaths, looker: Pick<WatchingLooker, "watch">) {
    this.#key = keyOf(paths);
    this.#parts = [
      looker.watch(paths.everything),
      looker.watch(paths.identity, "identity"),
      looker.watch(paths.absent, "absence"),
    ];
  }

  isOf(paths: WatchedPaths): boolean {
    return keyOf(paths) === this.#key;
  }

  /** Each part checks, even if the other already found a change. */
  isUnchanged(): boolean {
    return this.#parts.map((part) => part.isUnchanged()).every((same) => same);
  }

  close(): void {
    for (const part of this.#parts) part.close?.();
  }
}

function keyOf({ everything, absent, identity }: WatchedPaths): string {
  return [...everything, "", ...absent, "", ...identity].join("\0");
}

/** Watches granted files: an editor replaces one, and Landlock's rules of a waiting process hold for the old. */
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
