/** The end of what a program wrote to stderr: the line that matters is not always the very last. */

/** Lines kept: a traceback of most runtimes ends in one line that says little, with the error a few lines above. */
const MOST_LINES = 5;
/** Characters of each. */
const LONGEST = 300;

export class StderrTail {
  #lines: string[] = [];

  /** Another process begins. */
  clear(): void {
    this.#lines = [];
  }

  /** It wrote a line; blank ones say nothing. */
  add(line: string): void {
    if (line.trim() === "") return;
    this.#lines.push(line.trimEnd().slice(0, LONGEST));
    if (this.#lines.length > MOST_LINES) this.#lines.shift();
  }

  /** `what` happened, with them, if there are any. */
  after(what: string): string {
    return this.#lines.length === 0 ? what : `${what} Its last words: ${this.#lines.join(" | ")}`;
  }
}
