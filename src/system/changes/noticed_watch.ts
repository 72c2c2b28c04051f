/**
 * Watches of paths that ask the kernel what happened instead of looking at each path. What it does not notice is looked
 * at as without it, and where it noticed something, all is.
 */
import { attempt } from "../../base/errors.ts";
import type { ChangeWatch, Watched } from "../stat_watch.ts";
import { PathEvents } from "./path_events.ts";

/** Makes a watch that looks. */
export type MakeWatch = (paths: readonly string[], watched: Watched) => ChangeWatch;

/** The watches of one session. */
export class NoticedWatches implements Disposable {
  readonly #make: MakeWatch;
  /** Undefined: not asked for yet, or this system gives none. */
  #events: PathEvents | undefined;
  #isAsked = false;

  constructor(make: MakeWatch) {
    this.#make = make;
  }

  [Symbol.dispose](): void {
    this.#events?.[Symbol.dispose]();
  }

  /** Gives the same result as polling. */
  watch(paths: readonly string[], watched: Watched = "everything"): ChangeWatch {
    if (!this.#isAsked) {
      this.#isAsked = true;
      this.#events = Deno.build.os === "linux" ? attempt(Error, () => new PathEvents()) : undefined;
    }
    const make = (some: readonly string[]) => this.#make(some, watched);
    return this.#events === undefined ? make(paths) : new NoticedWatch(paths, {
      events: this.#events,
      make,
      inside: watched !== "identity",
    });
  }
}

interface NoticedWatchOptions {
  readonly events: PathEvents;
  readonly make: (paths: readonly string[]) => ChangeWatch;
  /** Whether the file at a path counts, too. */
  readonly inside: boolean;
}

/** A watched path, which passes its events to its watch. */
interface Spot {
  readonly path: string;
  notice(): void;
}

class NoticedWatch implements ChangeWatch {
  readonly #options: NoticedWatchOptions;
  readonly #whole: ChangeWatch;
  readonly #spots: readonly Spot[];
  /** Those to which something happened; all, at first. */
  readonly #due: Set<Spot>;
  /** Of which the kernel would not tell. */
  readonly #unnoticed = new Set<Spot>();
  /** Undefined: there are none of these. */
  #rest: ChangeWatch | undefined;

  constructor(paths: readonly string[], options: NoticedWatchOptions) {
    this.#options = options;
    this.#whole = options.make(paths);
    this.#spots = paths.map((path) => {
      const spot: Spot = { path, notice: () => this.#due.add(spot) };
      return spot;
    });
    this.#due = new Set(this.#spots);
  }

  isUnchanged(): boolean {
    const { events, make, inside } = this.#options;
    events.look();
    if (this.#due.size === 0) return this.#rest?.isUnchanged() ?? true;
    for (const spot of this.#due) {
      this.#due.delete(spot);
      if (events.add(spot, spot.path, { inside })) this.#unnoticed.delete(spot);
      else this.#unnoticed.add(spot);
    }
    this.#rest = this.#unnoticed.size === 0 ? undefined : make(Array.from(this.#unnoticed, ({ path }) => path));
    // Both look after the kernel was asked to tell what comes from now on.
    this.#rest?.isUnchanged();
    return this.#whole.isUnchanged();
  }

  close(): void {
    for (const spot of this.#spots) this.#options.events.remove(spot);
    this.#due.clear();
  }
}
