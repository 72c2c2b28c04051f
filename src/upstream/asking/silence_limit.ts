/** How long a server may be silent in a call: restarts with each progress, and pauses while a person is asked. */
export class SilenceLimit {
  readonly #ms: number;
  readonly #end = new AbortController();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #holds = 0;

  /** Begins with the first restart. */
  constructor(ms: number) {
    this.#ms = ms;
  }

  /** Aborted when the server was silent too long. */
  get signal(): AbortSignal {
    return this.#end.signal;
  }

  restart(): void {
    clearTimeout(this.#timer);
    if (this.#holds === 0) this.#timer = setTimeout(() => this.#end.abort(), this.#ms);
  }

  /** Does not count the time of `work`. */
  async during<Value>(work: Promise<Value>): Promise<Value> {
    this.#holds++;
    clearTimeout(this.#timer);
    try {
      return await work;
    } finally {
      this.#holds--;
      this.restart();
    }
  }

  stop(): void {
    this.#holds = Infinity;
    clearTimeout(this.#timer);
  }
}
