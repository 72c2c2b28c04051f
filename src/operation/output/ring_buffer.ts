/** Keeps the last `capacity` bytes that were written; grows to that size as needed. */
export class RingBuffer {
  readonly #capacity: number;
  #bytes = new Uint8Array(0);
  /** Where the oldest kept byte is. */
  #start = 0;
  #length = 0;

  /** `capacity` in bytes; 0 keeps nothing. */
  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** Bytes kept now. */
  get length(): number {
    return this.#length;
  }

  /** Memory held now, in bytes. */
  get heldBytes(): number {
    return this.#bytes.length;
  }

  /** Adds a chunk (copied) and drops the oldest bytes that no longer fit. */
  write(chunk: Uint8Array): void {
    const kept = chunk.length > this.#capacity ? chunk.subarray(chunk.length - this.#capacity) : chunk;
    if (kept.length === 0) return;
    this.#growTo(Math.min(this.#capacity, this.#length + kept.length));
    const size = this.#bytes.length;
    const end = (this.#start + this.#length) % size;
    const beforeWrap = Math.min(kept.length, size - end);
    this.#bytes.set(kept.subarray(0, beforeWrap), end);
    if (beforeWrap < kept.length) this.#bytes.set(kept.subarray(beforeWrap), 0);
    const overwritten = Math.max(0, this.#length + kept.length - size);
    this.#start = (this.#start + overwritten) % size;
    this.#length += kept.length - overwritten;
  }

  /** The kept bytes after the oldest `skipped` ones, in up to two pieces that are valid until the next write. */
  parts(skipped: number): readonly Uint8Array[] {
    const from = this.#start + Math.min(skipped, this.#length);
    const end = this.#start + this.#length;
    const size = this.#bytes.length;
    if (from >= size) return [this.#bytes.subarray(from - size, end - size)];
    return [this.#bytes.subarray(from, Math.min(end, size)), this.#bytes.subarray(0, Math.max(0, end - size))];
  }

  /** A copy of at most `most` kept bytes after the oldest `skipped` ones. */
  toBytes(skipped = 0, most = this.#length): Uint8Array<ArrayBuffer> {
    const copy = new Uint8Array(Math.min(most, Math.max(0, this.#length - skipped)));
    let end = 0;
    for (const part of this.parts(skipped)) {
      const taken = part.subarray(0, copy.length - end);
      copy.set(taken, end);
      end += taken.length;
    }
    return copy;
  }

  /** Forgets everything; the memory stays. */
  clear(): void {
    this.#start = 0;
    this.#length = 0;
  }

  /** Frees unused memory. */
  trim(): void {
    if (this.#bytes.length > this.#length) this.#replace(this.toBytes());
  }

  #growTo(needed: number): void {
    if (needed <= this.#bytes.length) return;
    const grown = new Uint8Array(Math.min(this.#capacity, Math.max(needed, this.#bytes.length * 2)));
    grown.set(this.toBytes());
    this.#replace(grown);
  }

  #replace(bytes: Uint8Array<ArrayBuffer>): void {
    this.#bytes = bytes;
    this.#start = 0;
  }
}
