/** The target of formatted lines. */
export interface LineTarget {
  /** Writes all of `text`; called again only when the call before has settled. */
  write(text: string): Promise<void>;
  close(): void;
}

/** At most this many lines wait for a slow target; further lines are dropped and counted. */
const MOST_WAITING = 10_000;

export interface LineQueueOptions<Entry> {
  /** One entry as a line with its line feed. */
  readonly format: (entry: Entry) => string;
  /** Called once, for the first line. */
  readonly open: () => Promise<LineTarget>;
  /** Called once when the target cannot be opened or written; later lines are dropped. */
  readonly onFailure: (thrown: unknown) => void;
}

/**
 * Writes entries to a target as lines, in order and in batches, one write at a time; no caller waits for it. Nothing is
 * formatted, opened or written before `start`, so that logging does not delay the first answer.
 */
export class LineQueue<Entry> {
  readonly #options: LineQueueOptions<Entry>;
  #waiting: Entry[] = [];
  #dropped = 0;
  #started = false;
  #failed = false;
  #target: LineTarget | undefined;
  #writing: Promise<void> | undefined;

  constructor(options: LineQueueOptions<Entry>) {
    this.#options = options;
  }

  /** Adds an entry. */
  add(entry: Entry): void {
    if (this.#failed) return;
    if (this.#waiting.length >= MOST_WAITING) this.#dropped++;
    else this.#waiting.push(entry);
    if (this.#started) this.#wake();
  }

  /** Begins to write. */
  start(): void {
    this.#started = true;
    this.#wake();
  }

  /** Writes the waiting lines and closes the target. */
  async close(): Promise<void> {
    this.start();
    while (this.#writing !== undefined) await this.#writing;
    this.#target?.close();
    this.#target = undefined;
    this.#failed = true;
  }

  #wake(): void {
    if (this.#writing !== undefined || this.#waiting.length === 0) return;
    this.#writing = this.#writeAll().catch((thrown) => {
      this.#failed = true;
      this.#waiting = [];
      this.#options.onFailure(thrown);
    }).finally(() => {
      this.#writing = undefined;
      this.#wake(); // for lines added since the last write
    });
  }

  async #writeAll(): Promise<void> {
    this.#target ??= await this.#options.open();
    while (this.#waiting.length > 0) {
      const lines = this.#waiting.map(this.#options.format);
      this.#waiting = [];
      if (this.#dropped > 0) lines.push(`[${this.#dropped} lines dropped: the log could not keep up]\n`);
      this.#dropped = 0;
      await this.#target.write(lines.join(""));
    }
  }
}
