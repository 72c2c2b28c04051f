/** Long work on the server's thread, in turns with other work: nothing else is served during it. */

const LONGEST_TURN_MS = 20;

export class Turns {
  #begun = performance.now();

  /** Must be called between two steps; lets other work run if this turn was long. */
  async end(): Promise<void> {
    if (performance.now() < this.#begun + LONGEST_TURN_MS) return;
    await new Promise((resolve) => setTimeout(resolve, 0));
    this.#begun = performance.now();
  }
}
