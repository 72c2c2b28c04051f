/** When a server that could not be reached is tried again. Pure. */

const FIRST_DELAY_MS = 1_000;
const LONGEST_DELAY_MS = 60_000;
/** A server may ask for a longer pause, up to this one. */
const LONGEST_ASKED_MS = 3_600_000;

export class BackOff {
  #failures = 0;
  #nextTry = 0;

  /** The earliest time of the next try, in milliseconds of the clock that `failed` is given. */
  get nextTry(): number {
    return this.#nextTry;
  }

  /** Notes a failure; `askedMs`: the pause that the server asked for, if any. */
  failed(now: number, askedMs: number | undefined): void {
    const grown = Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** this.#failures);
    this.#nextTry = now + Math.max(grown, Math.min(askedMs ?? 0, LONGEST_ASKED_MS));
    this.#failures++;
  }

  /** The server was reached. */
  reset(): void {
    this.#failures = 0;
    this.#nextTry = 0;
  }
}
