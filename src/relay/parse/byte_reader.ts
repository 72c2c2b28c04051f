/** Reads untrusted bytes and never throws: beyond the end it gives zeros and empty parts, and sets `isShort`. Pure. */
export class ByteReader {
  readonly #bytes: Uint8Array;
  #at = 0;
  #isShort = false;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** How many bytes are read. */
  get at(): number {
    return this.#at;
  }

  /** How many bytes are left. */
  get left(): number {
    return this.#bytes.length - this.#at;
  }

  /** Whether a read went beyond the end. It stays true, and nothing is left. */
  get isShort(): boolean {
    return this.#isShort;
  }

  /** An unsigned big-endian number of 1 to 4 bytes; 0 beyond the end. */
  uint(size: 1 | 2 | 3 | 4): number {
    return this.take(size).reduce((value, byte) => value * 256 + byte, 0);
  }

  /** The next bytes, as a view of the same memory; empty beyond the end. */
  take(length: number): Uint8Array {
    if (length > this.left) {
      this.#isShort = true;
      this.#at = this.#bytes.length;
      return new Uint8Array(0);
    }
    this.#at += length;
    return this.#bytes.subarray(this.#at - length, this.#at);
  }

  /** A reader for the next bytes, which are preceded by their length in `size` bytes. */
  sized(size: 1 | 2 | 3): ByteReader {
    return new ByteReader(this.take(this.uint(size)));
  }
}
