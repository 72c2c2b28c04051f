/** When a server that ended is started again (H6). Pure. */

/** Ends within this time count as one storm, milliseconds. */
const STORM_MS = 60_000;
const MOST_IN_STORM = 5;
/** Ends one after the other before it served, however long each took: what does not start now will not the next time. */
const MOST_EARLY = 3;
const FIRST_DELAY_MS = 100;
/** After a storm the server is tried again when somebody asks for it, but not before this, milliseconds. */
const REST_MS = 30_000;

export type RestartDecision =
  | { readonly kind: "restart"; readonly delayMs: number }
  /** `untilMs`: nobody tries before. */
  | { readonly kind: "give_up"; readonly untilMs: number };

/** How far a server had come when it ended. */
export type Reached =
  | "served"
  /** It ended by itself, or was never there, before it had answered `initialize`. */
  | "started"
  /** It was ended because it refused `initialize`, or did not answer in time: it would again, and keep people waiting. */
  | "refused";

/** Remembers the ends of one server. */
export class RestartPolicy {
  #ends: number[] = [];
  #early = 0;

  /** It has just ended; times in milliseconds of one clock. The first restart is at once, each further one later. */
  ended(now: number, reached: Reached): RestartDecision {
    this.#ends = [...this.#ends.filter((time) => now - time < STORM_MS), now];
    this.#early = reached === "served" ? 0 : this.#early + 1;
    if (reached === "refused" || this.#early >= MOST_EARLY || this.#ends.length > MOST_IN_STORM) {
      this.#ends = [];
      this.#early = 0;
      return { kind: "give_up", untilMs: now + REST_MS };
    }
    const before = this.#ends.length - 1;
    return { kind: "restart", delayMs: before === 0 ? 0 : FIRST_DELAY_MS * 2 ** (before - 1) };
  }
}
