import { concatenate } from "../base/bytes.ts";
const NEWLINE = 10;

/** What a splitter finds, in order: a line without its newline, or the news that one was too long and was skipped. */
export type SplitLine =
  | { readonly kind: "line"; readonly bytes: Uint8Array }
  | { readonly kind: "too_long" };

/**
 * Splits a stream of bytes into lines (C2). Works on bytes, so a character cut in two by a read is whole again before
 * anything decodes it, and a long line costs one copy instead of one per read.
 */
export class LineSplitter {
  readonly #longestLine: number;
  #parts: Uint8Array[] = [];
  #length = 0;
  #skipping = false;

  /** `longestLine` in bytes, without the newline. */
  constructor(longestLine: number) {
    this.#longestLine = longestLine;
  }

  /** The lines that `chunk` completes. They may share its memory: use them before it is written to again. */
  *push(chunk: Uint8Array): Generator<SplitLine> {
    let start = 0;
    for (let newline = chunk.indexOf(NEWLINE); newline !== -1; newline = chunk.indexOf(NEWLINE, start)) {
      const line = this.#complete(chunk.subarray(start, newline));
      start = newline + 1;
      if (line !== undefined) yield line;
    }
    if (this.#keep(chunk.subarray(start))) yield { kind: "too_long" };
  }

  /** The line that has no newline because the stream ended; undefined when there is none. */
  end(): Uint8Array | undefined {
    const line = this.#complete(new Uint8Array(0));
    return line?.kind === "line" && line.bytes.length > 0 ? line.bytes : undefined;
  }

  /** Undefined for the end of a line that was already reported as too long. */
  #complete(last: Uint8Array): SplitLine | undefined {
    const length = this.#length + last.length;
    const parts = this.#parts;
    const skipped = this.#skipping;
    this.#parts = [];
    this.#length = 0;
    this.#skipping = false;
    if (skipped) return undefined;
    if (length > this.#longestLine) return { kind: "too_long" };
    return { kind: "line", bytes: parts.length === 0 ? last : concatenate([...parts, last]) };
  }

  /** True when the line has just become too long. */
  #keep(rest: Uint8Array): boolean {
    if (this.#skipping || rest.length === 0) return false;
    this.#length += rest.length;
    if (this.#length > this.#longestLine) {
      this.#parts = [];
      this.#skipping = true;
      return true;
    }
    this.#parts.push(rest.slice());
    return false;
  }
}
