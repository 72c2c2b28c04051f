/** A view with mounts, made again only when something changed about the paths that it was made from (S8). */
import { AbsenceWatch } from "../../../system/stat_watch.ts";
import type { GuardView, WatchedPaths, WatchingLooker } from "../../../sandbox/protect/guard_view.ts";

/** Paths may come and go while they are looked at; the view is then made again the next time. */
const MOST_TRIES = 3;

export class WatchedView {
  readonly #make: () => GuardView;
  readonly #looker: Pick<WatchingLooker, "watch">;
  /** The last view, and what says that it still holds; undefined: it did not hold while it was made. */
  #last: { readonly view: GuardView; readonly watch: Watch } | undefined;

  constructor(make: () => GuardView, looker: Pick<WatchingLooker, "watch">) {
    this.#make = make;
    this.#looker = looker;
  }

  look(): GuardView {
    if (this.#last?.watch.isUnchanged() === true) return this.#last.view;
    let watch = this.#last?.watch;
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      // The watch looked before the view is made: what changes in between is news to the next asking.
      const view = this.#make();
      if (watch?.isOf(view.behind) === true) {
        this.#last = { view, watch };
        return view;
      }
      watch = new Watch(view.behind, this.#looker);
      watch.isUnchanged();
    }
    this.#last = undefined;
    return this.#make();
  }
}

class Watch {
  readonly #key: string;
  readonly #parts: readonly { isUnchanged(): boolean }[];

  constructor(paths: WatchedPaths, looker: Pick<WatchingLooker, "watch">) {
    this.#key = keyOf(paths);
    this.#parts = [
      looker.watch(paths.everything),
      looker.watch(paths.identity, "identity"),
      new AbsenceWatch(paths.absent, (absent) => looker.watch(absent)),
    ];
  }

  isOf(paths: WatchedPaths): boolean {
    return keyOf(paths) === this.#key;
  }

  /** Each part looks, whatever the other saw. */
  isUnchanged(): boolean {
    return this.#parts.map((part) => part.isUnchanged()).every((same) => same);
  }
}

function keyOf({ everything, absent, identity }: WatchedPaths): string {
  return [...everything, "", ...absent, "", ...identity].join("\0");
}
