/** File descriptors in reserve, for a new listening socket when the process has reached its limit. */
export class DescriptorReserve implements Disposable {
  readonly #held: Deno.FsFile[] = [];

  constructor() {
    this.refill();
  }

  /** Closes the reserve; the caller opens its own descriptor in the same turn. */
  release(): void {
    for (const file of this.#held.splice(0)) file.close();
  }

  /** Fills the reserve as far as possible; cheap where none is missing. */
  refill(): void {
    while (this.#held.length < SIZE) {
      try {
        this.#held.push(Deno.openSync("/dev/null"));
      } catch (error) {
        if (!(error instanceof Error)) throw error;
        return; // there are still too few; the next refill tries again
      }
    }
  }

  [Symbol.dispose](): void {
    this.release();
  }
}

/** More than one: the runtime's own threads open files as well. */
const SIZE = 8;
