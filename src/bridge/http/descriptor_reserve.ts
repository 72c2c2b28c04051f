/** Descriptors held for the moment when there are no others: a socket to listen on takes one. */
export class DescriptorReserve implements Disposable {
  readonly #held: Deno.FsFile[] = [];

  constructor() {
    this.refill();
  }

  /** Lets go of them; whoever wants one takes it in the same turn. */
  release(): void {
    for (const file of this.#held.splice(0)) file.close();
  }

  /** Takes as many again as can be had. Cheap where none is missing. */
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
