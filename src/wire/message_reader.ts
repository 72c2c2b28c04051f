/**
 * Reads messages, and other lines, from bytes as they arrive (C2). Of a message that exceeds a limit only the outline is
 * kept and parsed: it shows whether the message was a request, and its id.
 */
import { ByteBuffer } from "../base/bytes.ts";
import { encodeText } from "../base/text.ts";
import { failure, type Outcome } from "../base/outcome.ts";
import { excessive, type InvalidMessage, unreadable, type WireMessage, wireMessageOf } from "./json_rpc_message.ts";
import { JsonScan } from "./json_scan.ts";
import { parseJson } from "./json_value.ts";
import { DEEPEST, type Excess, excessOf, moreThan } from "./message_bounds.ts";

/** Texts shorter than this, in bytes, have too few brackets and commas to exceed any limit. */
const SURELY_BOUNDED = DEEPEST;
const NOTHING = new Uint8Array(0);
/** Decodes to strings of one byte a character where possible; `STRICT` never does. */
const LOSSY = new TextDecoder();
const STRICT = new TextDecoder("utf-8", { fatal: true });
const LOST = "\ufffd";

export class MessageReader {
  readonly #scan = new JsonScan();
  readonly #bytes = new ByteBuffer();
  #excess: Excess | undefined;

  /** Bytes so far. */
  get length(): number {
    return this.#scan.length;
  }

  /** What is known so far of a message that exceeds a limit; undefined: it does not. */
  get excessive(): InvalidMessage | undefined {
    return this.#excess && excessive(this.#excess, this.#scan.outline);
  }

  /** Adds a copy of bytes that are not the last. */
  push(part: Uint8Array): void {
    this.#count(part);
    if (this.#excess === undefined) this.#bytes.add(part);
    else this.#bytes.release();
  }

  /** The message that ends with these bytes. Never throws. */
  end(last: Uint8Array = NOTHING): WireMessage {
    if (this.length === 0) return this.#only(last);
    this.push(last);
    return this.excessive ?? messageOf(() => {
      const text = textOf(this.#bytes.take());
      this.#bytes.release();
      return text;
    });
  }

  /** A message that arrived whole, as most do. */
  #only(bytes: Uint8Array): WireMessage {
    if (bytes.length > SURELY_BOUNDED) this.#count(bytes);
    return this.excessive ?? messageOf(() => textOf(bytes));
  }

  #count(bytes: Uint8Array): void {
    this.#scan.push(bytes);
    this.#excess ??= excessOf(this.#scan);
  }
}

/** Reads messages, one on each line. */
export function messageLines(): LineSplitter<WireMessage, MessageReader> {
  return new LineSplitter(() => new MessageReader());
}

/** Reads the bytes of one message. Never throws. */
export function readWireMessage(bytes: Uint8Array): WireMessage {
  return new MessageReader().end(bytes);
}

/** The value of a text inside a message, within the limits of a message; the problem says what is wrong. */
export function parseBounded(text: string): Outcome<unknown> {
  const scan = new JsonScan();
  if (text.length > SURELY_BOUNDED) scan.push(encodeText(text));
  const excess = excessOf(scan);
  return excess === undefined ? parseJson(text) : failure(`it has ${moreThan(excess)}`);
}

/** @throws {TypeError} If the bytes are not UTF-8. */
function textOf(bytes: Uint8Array): string {
  const text = LOSSY.decode(bytes);
  return text.includes(LOST) ? STRICT.decode(bytes) : text;
}

function messageOf(textOf: () => string): WireMessage {
  try {
    const text = textOf();
    return text.trim() === "" ? { kind: "blank" } : wireMessageOf(JSON.parse(text));
  } catch (thrown) {
    return unreadable(thrown);
  }
}

const NEWLINE = 10;

/** Reads one line. */
export interface LineReader<Line> {
  /** Adds bytes that are not the last; the caller then reuses their memory. */
  push(part: Uint8Array): void;
  /** The result for the line that ends with these bytes. */
  end(last: Uint8Array): Line;
}

/**
 * Splits a stream of bytes into lines (C2). It works on bytes, so that a character split between two reads is joined
 * before it is decoded.
 */
export class LineSplitter<Line, Reader extends LineReader<Line>> {
  readonly #begin: () => Reader;
  #begun: Reader | undefined;

  /** `begin` makes the reader of the next line. */
  constructor(begin: () => Reader) {
    this.#begin = begin;
  }

  /** The reader of the current line; undefined: no line has begun. */
  get begun(): Reader | undefined {
    return this.#begun;
  }

  /** The lines that `chunk` completes, without their newlines; each is read lazily. */
  *push(chunk: Uint8Array): Generator<Line> {
    let start = 0;
    for (let newline = chunk.indexOf(NEWLINE); newline !== -1; newline = chunk.indexOf(NEWLINE, start)) {
      yield this.#end(chunk.subarray(start, newline));
      start = newline + 1;
    }
    if (start < chunk.length) (this.#begun ??= this.#begin()).push(chunk.subarray(start));
  }

  /** The last line of a stream without a newline at its end; undefined if there is none. */
  end(): Line | undefined {
    return this.#begun === undefined ? undefined : this.#end(NOTHING);
  }

  #end(last: Uint8Array): Line {
    const reader = this.#begun ?? this.#begin();
    this.#begun = undefined;
    return reader.end(last);
  }
}

/** Reads lines of text of at most `longest` bytes; a longer line gives undefined. */
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
