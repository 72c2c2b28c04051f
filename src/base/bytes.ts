import { encodeText } from "./text.ts";

/** A copy of all `parts`, joined. */
export function concatenate(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** The first `most` bytes of a stream, and whether that is all of it; the rest is not read. Rejects if it fails. */
export async function startOf(
  stream: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  most: number,
): Promise<{ readonly bytes: Uint8Array<ArrayBuffer>; readonly isWhole: boolean }> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of stream) {
    chunks.push(chunk.subarray(0, most - length));
    length += chunk.length;
    if (length > most) break;
  }
  return { bytes: concatenate(chunks), isWhole: length <= most };
}

/** Compares in a time that depends only on the length of `given`, which its sender knows. */
export function equalInConstantTime(given: string, wanted: string): boolean {
  let difference = given.length ^ wanted.length;
  for (let index = 0; index < given.length; index++) {
    difference |= given.charCodeAt(index) ^ wanted.charCodeAt(index % Math.max(1, wanted.length));
  }
  return difference === 0;
}

/** Whether both hold the same bytes. */
export function sameBytes(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, at) => byte === other[at]);
}

/** Joins bytes that arrive in parts of any size: many small parts take no more memory than a large one. */
export class ByteBuffer {
  #bytes = new Uint8Array(0);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** Appends a copy of a part. */
  add(part: Uint8Array): void {
    const needed = this.#length + part.length;
    if (needed > this.#bytes.length) {
      const larger = new Uint8Array(this.#length === 0 ? needed : Math.max(needed, 2 * this.#bytes.length));
      larger.set(this.#bytes.subarray(0, this.#length));
      this.#bytes.buffer.transfer(0);
      this.#bytes = larger;
    }
    this.#bytes.set(part, this.#length);
    this.#length = needed;
  }

  /** Removes and returns all bytes; the next part may overwrite them. */
  take(): Uint8Array<ArrayBuffer> {
    const taken = this.#bytes.subarray(0, this.#length);
    this.#length = 0;
    return taken;
  }

  /** Empties the buffer and frees its memory at once, also that of taken bytes: garbage collection might come late. */
  release(): void {
    this.#bytes.buffer.transfer(0);
    this.#bytes = new Uint8Array(0);
    this.#length = 0;
  }
}

// File names as strings, without loss: to the system they are bytes, and commands can make names that are not UTF-8
// (S24). An invalid byte becomes half a surrogate pair, which no valid UTF-8 decodes to.
const DECODER = new TextDecoder("utf-8", { ignoreBOM: true });
const LOSSY = "\ufffd";
/** Added to a byte. */
const HALF = 0xdc00;
const FIRST_BEYOND_ASCII = 0x80;
const LONE_HALVES = /([\udc80-\udcff]+)/u;

/** The text of a name; `nameBytes` gives the same bytes back. */
export function nameText(bytes: Uint8Array): string {
  const text = DECODER.decode(bytes);
  // A name may also hold that character itself.
  if (!text.includes(LOSSY) || sameBytes(encodeText(text), bytes)) return text;
  return Array.from(bytes, (byte) => String.fromCharCode(byte < FIRST_BEYOND_ASCII ? byte : HALF + byte)).join("");
}

/** The bytes of a name or path. */
export function nameBytes(text: string): Uint8Array<ArrayBuffer> {
  if (text.isWellFormed()) return encodeText(text);
  return Uint8Array.from(
    text.split(LONE_HALVES).flatMap((part, index) =>
      index % 2 === 0 ? [...encodeText(part)] : Array.from(part, (half) => half.charCodeAt(0) - HALF)
    ),
  );
}

/** The encoding that a UTF-16 byte order mark announces; undefined: there is no mark. */
export function markedEncoding([first, second]: Uint8Array): "utf-16le" | "utf-16be" | undefined {
  if (first === 0xff && second === 0xfe) return "utf-16le";
  return first === 0xfe && second === 0xff ? "utf-16be" : undefined;
}
