import { concatenate } from "../base/bytes.ts";
const NEWLINE = 10;

/** Bytes of a skipped line that are told, of its start and of its end. */
const TOLD = 512;

/** What a splitter finds, in order: a line without its newline, or the news that one is too long and is skipped. */
export type SplitLine =
  | { readonly kind: "line"; readonly bytes: Uint8Array }
  /** Told at once; `start`: its first bytes. */
  | { readonly kind: "too_long"; readonly start: Uint8Array }
  /** The line that was too long has ended; `end`: its last bytes. */
  | { readonly kind: "skipped"; readonly end: Uint8Array };

/**
 * Splits a stream of bytes into lines (C2). Works on bytes, so a character cut in two by a read is whole again before
 * anything decodes it, and a long line costs one copy instead of one per read.
 */
export class LineSplitter {
  readonly #longestLine: number;
  #parts: Uint8Array[] = [];
  #length = 0;
  /** The last bytes of the line that is being skipped; undefined: none is. */
  #skipped: Uint8Array | undefined;

  /** `longestLine` in bytes, without the newline. */
  constructor(longestLine: number) {
    this.#longestLine = longestLine;
  }

  /** The lines that `chunk` completes. They may share its memory: use them before it is written to again. */
  *push(chunk: Uint8Array): Generator<SplitLine> {
    let start = 0;
    for (let newline = chunk.indexOf(NEWLINE); newline !== -1; newline = chunk.indexOf(NEWLINE, start)) {
      yield* this.#complete(chunk.subarray(start, newline));
      start = newline + 1;
    }
    const rest = chunk.subarray(start);
    if (rest.length > 0) yield* this.#keep(rest);
  }

  /** The line that has no newline because the stream ended; undefined when there is none. */
  end(): Uint8Array | undefined {
    const [line] = this.#complete(new Uint8Array(0));
    return line?.kind === "line" && line.bytes.length > 0 ? line.bytes : undefined;
  }

  *#complete(last: Uint8Array): Generator<SplitLine> {
    if (this.#skipped === undefined && this.#length + last.length > this.#longestLine) yield this.#skip(last);
    const parts = this.#parts;
    const skipped = this.#skipped;
    this.#parts = [];
    this.#length = 0;
    this.#skipped = undefined;
    if (skipped !== undefined) return yield { kind: "skipped", end: lastBytes([skipped, last]) };
    yield { kind: "line", bytes: parts.length === 0 ? last : concatenate([...parts, last]) };
  }

  *#keep(rest: Uint8Array): Generator<SplitLine> {
    if (this.#skipped !== undefined) {
      this.#skipped = lastBytes([this.#skipped, rest]);
      return;
    }
    if (this.#length + rest.length > this.#longestLine) {
      const told = this.#skip(rest);
      this.#skipped = lastBytes([rest]);
      return yield told;
    }
    this.#length += rest.length;
    this.#parts.push(rest.slice());
  }

  /** Forgets the line, which `more` makes too long. */
  #skip(more: Uint8Array): SplitLine {
    const start = concatenate([...this.#parts, more]).slice(0, TOLD);
    this.#parts = [];
    this.#skipped = new Uint8Array(0);
    return { kind: "too_long", start };
  }
}

function lastBytes(parts: readonly Uint8Array[]): Uint8Array {
  return concatenate(parts.map((part) => part.subarray(-TOLD))).slice(-TOLD);
}
