/** Messages between the server, a worker and its helpers: four bytes of length (big-endian), then JSON or bytes. Pure. */
import { encodeText } from "../../base/text.ts";

/** Both sides refuse a longer message, bytes. */
export const LONGEST_FRAME: number = 64 * 1024 * 1024;
/** Longest answer of a worker, bytes. */
export const LONGEST_ANSWER: number = 16 * 1024 * 1024;

const HEADER_BYTES = 4;
/** Flag in the length: the following bytes are not JSON. */
const RAW = 0x8000_0000;
const DECODER = new TextDecoder();

/** The bytes of one message. @throws {RangeError} When it is longer than `longest`. */
export function encodeFrame(message: unknown, longest: number = LONGEST_FRAME): Uint8Array<ArrayBuffer> {
  const body = encodeText(JSON.stringify(message));
  if (body.length > longest) {
    throw new RangeError(`A message of ${body.length} bytes is too long: it may have ${longest}`);
  }
  const frame = new Uint8Array(HEADER_BYTES + body.length);
  new DataView(frame.buffer).setUint32(0, body.length);
  frame.set(body, HEADER_BYTES);
  return frame;
}

/** The header for `length` bytes that are not JSON; the reader returns them unchanged. */
export function rawHeader(length: number): Uint8Array<ArrayBuffer> {
  const header = new Uint8Array(HEADER_BYTES);
  new DataView(header.buffer).setUint32(0, RAW + length);
  return header;
}

/** Reassembles messages from chunks of any size. */
export class FrameReader {
  readonly #longest: number;
  #held = new Uint8Array(HEADER_BYTES);
  #length = 0;

  /** `longest`: maximum size of a message, bytes. */
  constructor(longest: number = LONGEST_FRAME) {
    this.#longest = longest;
  }

  /** The messages that end in this chunk, which is not kept. @throws {Error} For anything else, then at each call. */
  push(chunk: Uint8Array): readonly unknown[] {
    this.#append(chunk);
    const messages: unknown[] = [];
    let at = 0;
    for (;;) {
      const size = this.#sizeAt(at);
      if (size === undefined || this.#length - at - HEADER_BYTES < size) break;
      const body = this.#held.subarray(at + HEADER_BYTES, at + HEADER_BYTES + size);
      const isRaw = new DataView(this.#held.buffer, at).getUint32(0) >= RAW;
      messages.push(isRaw ? body.slice() : JSON.parse(DECODER.decode(body)));
      at += HEADER_BYTES + size;
    }
    this.#length -= at;
    // The rest after a long message is copied, so that its memory is freed.
    if (at > 0) this.#held = this.#held.slice(at, at + Math.max(this.#length, HEADER_BYTES));
    return messages;
  }

  /** The size of the message whose header begins at `at`; undefined: the header is incomplete. */
  #sizeAt(at: number): number | undefined {
    if (this.#length - at < HEADER_BYTES) return undefined;
    const size = new DataView(this.#held.buffer, at).getUint32(0) % RAW;
    if (size > this.#longest) throw new Error(`A message of ${size} bytes is too long`);
    return size;
  }

  #append(chunk: Uint8Array): void {
    const needed = this.#length + chunk.length;
    if (needed > this.#held.length) {
      const larger = new Uint8Array(Math.max(needed, 2 * this.#held.length));
      larger.set(this.#held.subarray(0, this.#length));
      this.#held = larger;
    }
    this.#held.set(chunk, this.#length);
    this.#length = needed;
  }
}
