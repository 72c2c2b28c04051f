/** How often changed tool files have checks run: a few at once, then one round each ten seconds (T11). */

/** Rounds that need not wait for each other. */
const AT_ONCE = 3;
/** One more round after each, milliseconds. */
const MS_PER_ROUND = 10_000;

/** A bucket of rounds that fills with time. Pure: the caller brings the time, milliseconds that never go back. */
export class CheckRate {
  /** What rounds may be begun with: each takes the time of one. */
  #creditMs = AT_ONCE * MS_PER_ROUND;
  #filledAt = 0;

  /** Begins a round: 0; or how long to wait for one, milliseconds. */
  begin(now: number): number {
    this.#creditMs = Math.min(AT_ONCE * MS_PER_ROUND, this.#creditMs + (now - this.#filledAt));
    this.#filledAt = now;
    if (this.#creditMs < MS_PER_ROUND) return MS_PER_ROUND - this.#creditMs;
    this.#creditMs -= MS_PER_ROUND;
    return 0;
  }
}
