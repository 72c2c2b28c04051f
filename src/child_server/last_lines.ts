/** The last lines that a process wrote to stderr: the important line is not always the very last. */
import { shorten } from "../base/visible_text.ts";

export interface LastLinesOptions {
  /** Lines that are kept. */
  readonly most: number;
  /** Characters of each; absent: 300. */
  readonly longest?: number;
  /** Lines that tell a reader nothing; blank ones are left out in any case. */
  readonly noise?: RegExp;
}

export class LastLines {
  readonly #options: LastLinesOptions;
  #lines: readonly string[] = [];

  constructor(options: LastLinesOptions) {
    this.#options = options;
  }

  /** In their order, each without hidden characters. */
  get lines(): readonly string[] {
    return this.#lines;
  }

  add(line: string): void {
    const { most, longest = 300, noise } = this.#options;
    const shown = shorten(line, longest);
    if (shown !== "" && noise?.test(line) !== true) this.#lines = [...this.#lines, shown].slice(-most);
  }

  /** Forgets the lines of the process before. */
  clear(): void {
    this.#lines = [];
  }
}
