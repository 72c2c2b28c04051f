/**
 * Reads one message from its bytes as they come (C2). Of a message that is beyond a bound nothing is kept or parsed but
 * its outline, which says what it was meant as.
 */
import { ByteBuffer } from "../base/bytes.ts";
import { encodeText } from "../base/text.ts";
import { failure, type Outcome } from "../base/outcome.ts";
import { excessive, type InvalidMessage, unreadable, type WireMessage, wireMessageOf } from "./json_rpc_message.ts";
import { JsonScan } from "./json_scan.ts";
import { LineSplitter } from "./line_splitter.ts";
import { parseJson } from "./json_value.ts";
import { DEEPEST, type Excess, excessOf, moreThan } from "./message_bounds.ts";

/** Shorter texts have too few brackets and commas to be beyond any bound, bytes. */
const SURELY_BOUNDED = DEEPEST;
/** Bytes that are looked at together, at least. */
const PIECE = 64 * 1024;
const NOTHING = new Uint8Array(0);
const DECODER = new TextDecoder("utf-8", { fatal: true });

export class MessageReader {
  readonly #scan = new JsonScan();
  readonly #waiting = new ByteBuffer();
  #decoder: TextDecoder | undefined;
  #length = 0;
  #text = "";
  #excess: Excess | undefined;
  #unreadable: InvalidMessage | undefined;

  /** Bytes so far. */
  get length(): number {
    return this.#length;
  }

  /** What is known so far of a message that is beyond a bound; undefined: it is within them. */
  get excessive(): InvalidMessage | undefined {
    return this.#excess && excessive(this.#excess, this.#scan.outline);
  }

  /** Takes bytes that others follow; they are copied. */
  push(part: Uint8Array): void {
    this.#length += part.length;
    if (this.#waiting.length + part.length < PIECE) return this.#waiting.add(part);
    this.#take(this.#waiting.take());
    if (part.length < PIECE) this.#waiting.add(part);
    else this.#take(part);
  }

  /** The message that ends with these bytes. Never throws. */
  end(last: Uint8Array = NOTHING): WireMessage {
    if (this.#length === 0) return this.#only(last);
    this.push(last);
    this.#take(this.#waiting.take());
    return this.excessive ?? this.#unreadable ?? messageOf(() => this.#text + this.#streamed().decode());
  }

  /** A message that came as a whole, as most do. */
  #only(bytes: Uint8Array): WireMessage {
    this.#length = bytes.length;
    if (bytes.length > SURELY_BOUNDED) this.#count(bytes);
    return this.excessive ?? messageOf(() => DECODER.decode(bytes));
  }

  #take(bytes: Uint8Array): void {
    this.#count(bytes);
    if (this.#excess !== undefined) this.#text = "";
    else if (this.#unreadable === undefined) this.#decode(bytes);
  }

  #count(bytes: Uint8Array): void {
    this.#scan.push(bytes);
    this.#excess ??= excessOf(this.#scan);
  }

  #decode(bytes: Uint8Array): void {
    try {
      this.#text += this.#streamed().decode(bytes, { stream: true });
    } catch (thrown) {
      this.#unreadable = unreadable(thrown);
    }
  }

  #streamed(): TextDecoder {
    return this.#decoder ??= new TextDecoder("utf-8", { fatal: true });
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

function messageOf(textOf: () => string): WireMessage {
  try {
    const text = textOf();
    return text.trim() === "" ? { kind: "blank" } : wireMessageOf(JSON.parse(text));
  } catch (thrown) {
    return unreadable(thrown);
  }
}
