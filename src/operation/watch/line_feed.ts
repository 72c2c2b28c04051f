/** Cuts the bytes of an output into the lines that a reader sees, as they come (X20). */
import { cleanText } from "../output/clean_text.ts";

/** Some whole lines of an output, or what there is of its last one. */
export interface Batch {
  /** Without escapes and redrawn parts; each line but a last one that has not ended has its newline. */
  readonly text: string;
  /** The same as it came. */
  readonly bytes: Uint8Array;
  /** The place of the first byte in the output. */
  readonly start: number;
}

/** The place in the output behind a line of a batch, the first being 0. */
export function placeBehind({ bytes, start }: Batch, line: number): number {
  let end = 0;
  for (let index = 0; index <= line; index++) {
    end = bytes.indexOf(NEWLINE, end) + 1;
    if (end === 0) return start + bytes.length;
  }
  return start + end;
}

/** A line that is longer is taken in parts, bytes. */
const LONGEST_LINE = 64 * 1024;
const NEWLINE = 10;
const CLEAN = { keepAnsi: false };

export class LineFeed {
  /** Bytes behind the last newline, and the place of the first. */
  #rest = new Uint8Array(0);
  #at: number;

  /** `at`: the place of the first byte that comes. */
  constructor(at: number) {
    this.#at = at;
  }

  /** The place behind all bytes that came. */
  get end(): number {
    return this.#at + this.#rest.length;
  }

  /** The lines that end with these bytes; undefined: none does. The bytes are copied where they are kept. */
  push(chunk: Uint8Array): Batch | undefined {
    const last = chunk.lastIndexOf(NEWLINE) + 1;
    if (last === 0 && this.#rest.length + chunk.length < LONGEST_LINE) {
      this.#rest = joined(this.#rest, chunk);
      return undefined;
    }
    const cut = last === 0 ? chunk.length : last;
    const bytes = joined(this.#rest, chunk.subarray(0, cut));
    const start = this.#at;
    this.#at += bytes.length;
    this.#rest = chunk.slice(cut);
    return { text: cleanText(bytes, CLEAN), bytes, start };
  }

  /** What came of a line that has not ended, such as a question; undefined: nothing. It stays, and comes again. */
  unfinished(): Batch | undefined {
    if (this.#rest.length === 0) return undefined;
    return { text: cleanText(this.#rest, CLEAN), bytes: this.#rest, start: this.#at };
  }
}

function joined(one: Uint8Array, other: Uint8Array): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(one.length + other.length);
  whole.set(one);
  whole.set(other, one.length);
  return whole;
}
