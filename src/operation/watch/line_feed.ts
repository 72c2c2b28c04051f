/** Splits output into the lines that a reader sees, as it arrives (X20). */
import { cleanText, collapseCarriageReturns } from "../output/clean_text.ts";

/** Some whole lines of an output, or what there is of its last one. */
export interface Batch {
  /** Without escapes and redrawn parts, other controls may be left; each line that has ended has its newline. */
  readonly text: string;
  /** The same as it came; it may be the memory of the chunk. */
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

/** A longer line is processed in parts, bytes. */
const LONGEST_LINE = 64 * 1024;
const NEWLINE = 10;
const CLEAN = { keepAnsi: false };
const DECODER = new TextDecoder("utf-8", { ignoreBOM: true });

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

  /** The lines that end with these bytes; undefined: none does. What is kept for the next ones is a copy. */
  push(chunk: Uint8Array): Batch | undefined {
    const last = chunk.lastIndexOf(NEWLINE) + 1;
    if (last === 0 && this.#rest.length + chunk.length < LONGEST_LINE) {
      this.#rest = joined(this.#rest, chunk);
      return undefined;
    }
    const cut = last === 0 ? chunk.length : last;
    const bytes = this.#rest.length === 0 ? chunk.subarray(0, cut) : joined(this.#rest, chunk.subarray(0, cut));
    const start = this.#at;
    this.#at += bytes.length;
    this.#rest = chunk.slice(cut);
    return { text: textOf(bytes), bytes, start };
  }

  /** Goes on behind bytes that are left out, in the middle of a line perhaps. */
  skip(length: number): void {
    this.#at = this.end + length;
    this.#rest = new Uint8Array(0);
  }

  /** The unfinished line so far, such as a question; undefined: nothing. It stays, and comes again. */
  unfinished(): Batch | undefined {
    if (this.#rest.length === 0) return undefined;
    return { text: textOf(this.#rest), bytes: this.#rest, start: this.#at };
  }
}

/** ASCII without escapes needs no more than a look, which makes most floods cheap. */
function textOf(bytes: Uint8Array): string {
  const text = DECODER.decode(bytes);
  const isPlain = text.length === bytes.length && !text.includes("\x1b") && !text.includes("\b");
  return isPlain ? collapseCarriageReturns(text) : cleanText(bytes, CLEAN);
}

function joined(one: Uint8Array, other: Uint8Array): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(one.length + other.length);
  whole.set(one);
  whole.set(other, one.length);
  return whole;
}
