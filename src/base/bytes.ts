import { encodeText } from "./text.ts";

/** `parts` one behind the other, copied. */
export function concatenate(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** The first `most` bytes of a stream, and whether that is all of it; the rest is not read. Rejects where it fails. */
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

/** Bytes that come in parts of any size, one behind the other: many small parts take no more room than one large. */
export class ByteBuffer {
  #bytes = new Uint8Array(0);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** Copies a part behind the others. */
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

  /** All bytes, which the buffer then has no more; the next part may be written over them. */
  take(): Uint8Array<ArrayBuffer> {
    const taken = this.#bytes.subarray(0, this.#length);
    this.#length = 0;
    return taken;
  }

  /** Empties it and gives its memory back, that of taken bytes too: the collector might not do that for long. */
  release(): void {
    this.#bytes.buffer.transfer(0);
    this.#bytes = new Uint8Array(0);
    this.#length = 0;
  }
}

// Names of files as texts, without loss: the system's names are bytes, and commands make such as are not UTF-8 (S24). A
// byte that belongs to no character becomes half a surrogate pair, which no UTF-8 gives.
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

/** The encoding that a byte order mark of UTF-16 names; undefined: there is none. */
export function markedEncoding([first, second]: Uint8Array): "utf-16le" | "utf-16be" | undefined {
  if (first === 0xff && second === 0xfe) return "utf-16le";
  return first === 0xfe && second === 0xff ? "utf-16be" : undefined;
}
