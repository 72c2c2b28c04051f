import { setImmediate } from "node:timers";

/** Milliseconds. */
const TURN_MS = 20;

/** Long work in turns, so that one call does not hold the others of its worker: a project decides how long it takes. */
export class Turns {
  #since = performance.now();

  /** Whether it is time for other calls. */
  get isOver(): boolean {
    return performance.now() - this.#since > TURN_MS;
  }

  /** Lets other calls continue; a cancellation also arrives only now. */
  async give(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    this.#since = performance.now();
  }

  /** The items that pass the test, in their order; those until `signal` was aborted. */
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
