/**
 * The limits of one rendering (Q4). The engine asks before each step, so that a loop ends and other requests are served
 * in between. A step cannot be interrupted, so the input of a step is limited.
 */

/** The longest rendering, milliseconds. */
const LONGEST_MS = 1_000;
/** The most characters that one rendering may write, copy or list. */
const MOST_CHARACTERS = 10_000_000;
/** The deepest nesting of partials. */
const DEEPEST = 10;
/** The longest work between two pauses, milliseconds. */
const TURN_MS = 10;

/** Replaces both limiters of the engine. */
export class Budget {
  /** Separates the messages of a prompt; no text of a template or client can contain it. */
  readonly mark = `\u0000${crypto.randomUUID()}:`;
  readonly #begin = performance.now();
  #turn = this.#begin;
  #used = 0;
  #depth = 0;

  /** Counts this many new characters or items. @throws Error when it is too much */
  use(count: number): void {
    // The engine also passes strings, and NaN.
    if (Number(count) > 0) this.#used += Number(count);
    if (this.#used > MOST_CHARACTERS) throw new Error(`The template works on more than ${MOST_CHARACTERS} characters`);
  }

  /** @throws Error when the time is over */
  check(): void {
    if (performance.now() - this.#begin > LONGEST_MS) {
      throw new Error(`The template takes longer than ${LONGEST_MS} ms`);
    }
  }

  /** @throws Error when partials lie too deep within each other */
  enter(): void {
    if (++this.#depth > DEEPEST) throw new Error(`Partials include each other more than ${DEEPEST} levels deep`);
  }

  leave(): void {
    this.#depth--;
  }

  /** A pause in which other requests are served; undefined: no pause is due. */
  pause(): Promise<void> | undefined {
    if (performance.now() - this.#turn < TURN_MS) return undefined;
    const { promise, resolve } = Promise.withResolvers<void>();
    setTimeout(() => {
      this.#turn = performance.now();
      resolve();
    }, 0);
    return promise;
  }
}
