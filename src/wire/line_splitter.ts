import { ByteBuffer } from "../base/bytes.ts";

const NEWLINE = 10;
const NOTHING = new Uint8Array(0);

/** Makes something of one line. */
export interface LineReader<Line> {
  /** Takes bytes that others follow; their memory is then written to again. */
  push(part: Uint8Array): void;
  /** What the line is that ends with these bytes. */
  end(last: Uint8Array): Line;
}

/**
 * Splits a stream of bytes into lines (C2). Works on bytes, so that a character cut in two by a read is whole again before
 * anything decodes it.
 */
export class LineSplitter<Line, Reader extends LineReader<Line>> {
  readonly #begin: () => Reader;
  #begun: Reader | undefined;

  /** `begin` makes the reader of the next line. */
  constructor(begin: () => Reader) {
    this.#begin = begin;
  }

  /** The reader of the line that has begun; undefined: none has. */
  get begun(): Reader | undefined {
    return this.#begun;
  }

  /** The lines that `chunk` completes, without their newlines, and each read when it is asked for. */
  *push(chunk: Uint8Array): Generator<Line> {
    let start = 0;
    for (let newline = chunk.indexOf(NEWLINE); newline !== -1; newline = chunk.indexOf(NEWLINE, start)) {
      yield this.#end(chunk.subarray(start, newline));
      start = newline + 1;
    }
    if (start < chunk.length) (this.#begun ??= this.#begin()).push(chunk.subarray(start));
  }

  /** The line that has no newline because the stream ended; undefined when there is none. */
  end(): Line | undefined {
    return this.#begun === undefined ? undefined : this.#end(NOTHING);
  }

  #end(last: Uint8Array): Line {
    const reader = this.#begun ?? this.#begin();
    this.#begun = undefined;
    return reader.end(last);
  }
}

/** Reads lines of text of at most `longest` bytes; a longer one is undefined. */
export function textLines(longest: number): LineSplitter<string | undefined, TextLine> {
  return new LineSplitter(() => new TextLine(longest));
}

class TextLine {
  readonly #longest: number;
  readonly #bytes = new ByteBuffer();
  #isLong = false;

  constructor(longest: number) {
    this.#longest = longest;
  }

  push(part: Uint8Array): void {
    this.#isLong ||= this.#bytes.length + part.length > this.#longest;
    if (!this.#isLong) this.#bytes.add(part);
  }

  end(last: Uint8Array): string | undefined {
    this.push(last);
    return this.#isLong ? undefined : new TextDecoder().decode(this.#bytes.take());
  }
}
