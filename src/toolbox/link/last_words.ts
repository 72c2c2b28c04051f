/** What a worker said last, for the message that it is gone. Pure. */
import { shorten } from "../../base/visible_text.ts";

const MOST_LINES = 3;
const LONGEST_LINE = 300;
/** Lines of a crash that tell a reader nothing: empty ones, addresses, and what the garbage collector did. */
const NOISE = /^[\s#]*$|^=+ C stack trace|\(\+0x[0-9a-f]+\)|^<---|^\[\d+:0x/;

export class LastWords {
  readonly #lines: string[] = [];

  /** Takes a line of stderr. */
  add(line: string): void {
    if (NOISE.test(line)) return;
    this.#lines.push(shorten(line, LONGEST_LINE));
    if (this.#lines.length > MOST_LINES) this.#lines.shift();
  }

  /** The last lines, in order. */
  get lines(): readonly string[] {
    return this.#lines;
  }
}
