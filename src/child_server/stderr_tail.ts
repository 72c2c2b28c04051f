/** The last lines that a program wrote to stderr: the one that matters is not always the very last. */

/** Lines kept: a traceback of most runtimes ends in one line that says little, with the error a few lines above. */
const MOST_LINES = 5;
/** Characters of each. */
const LONGEST = 300;

export class StderrTail {
  #lines: string[] = [];

  /** Forgets the lines of the process before. */
  clear(): void {
    this.#lines = [];
  }

  /** Adds a line; blank ones are left out. */
  add(line: string): void {
    if (line.trim() === "") return;
    this.#lines.push(line.trimEnd().slice(0, LONGEST));
    if (this.#lines.length > MOST_LINES) this.#lines.shift();
  }

  /** `what`, followed by the lines, if there are any. */
  after(what: string): string {
    return this.#lines.length === 0 ? what : `${what} Its last words: ${this.#lines.join(" | ")}`;
  }
}
