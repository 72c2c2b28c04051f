import { ByteBuffer } from "../base/bytes.ts";
import { LineSplitter } from "./line_splitter.ts";

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
