/**
 * Reads messages, and other lines, from bytes as they come (C2). Of a message that is beyond a bound nothing is kept or
 * parsed but its outline, which says what it was meant as.
 */
import { ByteBuffer } from "../base/bytes.ts";
import { encodeText } from "../base/text.ts";
import { failure, type Outcome } from "../base/outcome.ts";
import { excessive, type InvalidMessage, unreadable, type WireMessage, wireMessageOf } from "./json_rpc_message.ts";
import { JsonScan } from "./json_scan.ts";
import { parseJson } from "./json_value.ts";
import { DEEPEST, type Excess, excessOf, moreThan } from "./message_bounds.ts";

/** Shorter texts have too few brackets and commas to be beyond any bound, bytes. */
const SURELY_BOUNDED = DEEPEST;
const NOTHING = new Uint8Array(0);
/** Makes texts of one byte a character where that is enough, which `STRICT` never does. */
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

  /** What is known so far of a message that is beyond a bound; undefined: it is within them. */
  get excessive(): InvalidMessage | undefined {
    return this.#excess && excessive(this.#excess, this.#scan.outline);
  }

  /** Takes bytes that others follow; they are copied. */
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

  /** A message that came as a whole, as most do. */
  #only(bytes: Uint8Array): WireMessage {
    if (bytes.length > SURELY_BOUNDED) this.#count(bytes);
    return this.excessive ?? messageOf(() => textOf(bytes));
  }

  #count(bytes: Uint8Array): void {
    this.#scan.push(bytes);
    this.#excess ??= excessOf(this.#scan);
  }
}

/** Reads messages of which each is a line. */
export function messageLines(): LineSplitter<WireMessage, MessageReader> {
  return new LineSplitter(() => new MessageReader());
}

/** Reads the bytes of one message. Never throws. */
export function readWireMessage(bytes: Uint8Array): WireMessage {
  return new MessageReader().end(bytes);
}

/** The value of a text that is part of a message, and has the bounds of one; the problem is what is wrong with it. */
export function parseBounded(text: string): Outcome<unknown> {
  const scan = new JsonScan();
  if (text.length > SURELY_BOUNDED) scan.push(encodeText(text));
  const excess = excessOf(scan);
  return excess === undefined ? parseJson(text) : failure(`it has ${moreThan(excess)}`);
}

/** @throws {TypeError} Where the bytes are not UTF-8. */
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
