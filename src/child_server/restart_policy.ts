/** Decides when a child server that ended is started again (H6). Pure. */

/** Ends within this time count together, milliseconds. */
const WINDOW_MS = 60_000;
/** More ends than this within the window pause the restarts. */
const MOST_IN_WINDOW = 5;
/** Ends in a row before the server served, however long each took; more starts would end the same way. */
const MOST_EARLY = 3;
const FIRST_DELAY_MS = 100;
/** Length of a pause, milliseconds; the first request after it starts the server again. */
const PAUSE_MS = 30_000;

type RestartDecision =
  | { readonly kind: "restart"; readonly delayMs: number }
  /** No start happens before `untilMs`. */
  | { readonly kind: "pause"; readonly untilMs: number };

/** How far a server had come when it ended. */
export type Reached =
  | "served"
  /** It ended by itself, or could not be started, before it had answered `initialize`. */
  | "started"
  /** It was ended because it refused `initialize` or did not answer in time; a restart would only repeat that. */
  | "refused";

/** Remembers the ends of one server. */
export class RestartPolicy {
  #ends: number[] = [];
  #early = 0;
  readonly #mostEarly: number;

  /** `mostEarly`: ends in a row before the server served that pause the restarts. */
  constructor(mostEarly: number = MOST_EARLY) {
    this.#mostEarly = mostEarly;
  }

  /**
   * Decides after an end at `now`, milliseconds of one clock. The first restart is immediate, each further one later.
   */
  ended(now: number, reached: Reached): RestartDecision {
    this.#ends = [...this.#ends.filter((time) => now - time < WINDOW_MS), now];
    this.#early = reached === "served" ? 0 : this.#early + 1;
    if (reached === "refused" || this.#early >= this.#mostEarly || this.#ends.length > MOST_IN_WINDOW) {
      this.#ends = [];
      this.#early = 0;
      return { kind: "pause", untilMs: now + PAUSE_MS };
    }
    const before = this.#ends.length - 1;
    return { kind: "restart", delayMs: before === 0 ? 0 : FIRST_DELAY_MS * 2 ** (before - 1) };
  }
}
