import { setImmediate } from "node:timers";

/** Milliseconds. */
const TURN_MS = 20;

/** Splits long work into turns, so that one call does not block the others of its worker. */
export class Turns {
  #since = performance.now();

  /** Whether the turn is over. */
  get isOver(): boolean {
    return performance.now() - this.#since > TURN_MS;
  }

  /** Lets other calls continue; only then can a cancellation arrive. */
  async give(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    this.#since = performance.now();
  }

  /** The items that pass the test, in order; stops when `signal` is aborted. */
  async filter<Item>(items: readonly Item[], test: (item: Item) => boolean, signal: AbortSignal): Promise<Item[]> {
    const passed: Item[] = [];
    for (const item of items) {
      if (test(item)) passed.push(item);
      if (!this.isOver) continue;
      await this.give();
      if (signal.aborted) break;
    }
    return passed;
  }
}
