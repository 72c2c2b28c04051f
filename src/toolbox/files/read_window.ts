/** Selects the shown lines of a file from UTF-8 chunks of any size, in bounded memory. Pure. */

export interface WindowOptions {
  /** The first shown line, from 1. */
  readonly first: number;
  /** Maximum number of lines. */
  readonly count: number;
  /** A longer line is truncated, characters; undefined: lines are not truncated. */
  readonly longestLine?: number;
  /** Maximum bytes of all lines together; at least one is always shown. */
  readonly budget: number;
}

export interface WindowLine {
  /** Without its end. */
  readonly text: string;
  /** Number of characters that were cut off. */
  readonly cut: number;
  readonly end: "" | "\n" | "\r\n";
}

const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
/** The longest character in UTF-8, bytes. */
const MOST_BYTES = 4;
/** Bytes that the number before each line takes. */
const PREFIX_BYTES = 7;

export class LineWindow {
  readonly #options: WindowOptions;
  readonly #lines: WindowLine[] = [];
  readonly #decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  readonly #kept: Uint8Array;
  #keptLength = 0;
  /** Bytes of the unfinished line, and how many of its characters were not kept. */
  #lineBytes = 0;
  #dropped = 0;
  #lastByte = 0;
  #ended = 0;
  #feeds = 0;
  #carriageReturns = 0;
  #used = 0;
  #full = false;

  constructor(options: WindowOptions) {
    this.#options = options;
    const { longestLine, budget } = options;
    this.#kept = new Uint8Array(longestLine === undefined ? budget : longestLine * MOST_BYTES);
  }

  /** Adds a chunk, which is not kept. */
  push(chunk: Uint8Array): void {
    for (let at = 0; at < chunk.length;) {
      const feed = chunk.indexOf(LINE_FEED, at);
      const stop = feed < 0 ? chunk.length : feed;
      if (this.#isWanted) this.#keep(chunk.subarray(at, stop));
      this.#lineBytes += stop - at;
      if (stop > at) this.#lastByte = chunk[stop - 1] ?? 0;
      if (feed >= 0) this.#endLine("\n");
      at = stop + 1;
    }
  }

  /** Ends the last line, which may lack a line ending. */
  finish(): void {
    if (this.#lineBytes > 0) this.#endLine("");
  }

  /** The lines that are shown. */
  get lines(): readonly WindowLine[] {
    return this.#lines;
  }

  /** Whether more lines follow that are not shown. */
  get hasMore(): boolean {
    return this.#full && (this.#lineBytes > 0 || this.#ended + 1 > this.#options.first + this.#lines.length);
  }

  /** Lines read so far. */
  get total(): number {
    return this.#ended;
  }

  /** The line endings of the lines read. */
  get endings(): "LF" | "CRLF" | "mixed" {
    if (this.#carriageReturns === 0) return "LF";
    return this.#carriageReturns === this.#feeds ? "CRLF" : "mixed";
  }

  get #isWanted(): boolean {
    return !this.#full && this.#ended + 1 >= this.#options.first;
  }

  #keep(bytes: Uint8Array): void {
    const room = this.#kept.length - this.#keptLength;
    this.#kept.set(bytes.subarray(0, room), this.#keptLength);
    this.#keptLength += Math.min(room, bytes.length);
    for (let at = room; at < bytes.length; at++) if (isFirstByte(bytes[at])) this.#dropped++;
  }

  #endLine(feed: "" | "\n"): void {
    const isWanted = this.#isWanted;
    const hasReturn = this.#lineBytes > 0 && this.#lastByte === CARRIAGE_RETURN && feed !== "";
    this.#ended++;
    if (feed !== "") this.#feeds++;
    if (hasReturn) this.#carriageReturns++;
    if (isWanted) this.#show(hasReturn ? "\r\n" : feed);
    this.#lineBytes = 0;
    this.#keptLength = 0;
    this.#dropped = 0;
  }

  #show(end: WindowLine["end"]): void {
    const { longestLine, count, budget } = this.#options;
    const isWhole = this.#keptLength === this.#lineBytes;
    let kept = this.#decoder.decode(this.#kept.subarray(0, this.#keptLength), { stream: true });
    // Drops a last character of which only some bytes were kept.
    let cut = this.#dropped + (this.#decoder.decode() === "" || isWhole ? 0 : 1);
    if (end === "\r\n" && isWhole) kept = kept.slice(0, -1);
    if (end === "\r\n" && !isWhole) cut--;
    const characters = longestLine === undefined || kept.length <= longestLine ? undefined : Array.from(kept);
    const text = characters?.slice(0, longestLine).join("") ?? kept;
    if (characters !== undefined) cut += Math.max(0, characters.length - (longestLine ?? 0));
    const bytes = (characters === undefined ? this.#keptLength : text.length) + PREFIX_BYTES;
    if (this.#lines.length > 0 && this.#used + bytes > budget) {
      this.#full = true;
      return;
    }
    this.#used += bytes;
    this.#lines.push({ text, cut, end });
    this.#full = this.#lines.length === count;
  }
}

/** Whether a byte of UTF-8 begins a character. */
function isFirstByte(byte: number | undefined): boolean {
  return ((byte ?? 0) & 0xc0) !== 0x80;
}
