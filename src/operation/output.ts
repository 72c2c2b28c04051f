/**
 * The output of one operation, bounded (X8). The first bytes and the last bytes are kept, what lies between is counted
 * and dropped. Nothing is decoded here: a flood costs one copy and one newline count per byte; text is made when
 * somebody reads it (`clean_text.ts`, `text_view.ts`).
 */
import { countNewlines } from "./newlines.ts";
import { RingBuffer } from "./ring_buffer.ts";

/** How much is kept of one operation's output, in bytes. */
export interface OutputWindow {
  readonly headBytes: number;
  readonly tailBytes: number;
}

/** 1 MiB in all (X8). */
export const DEFAULT_OUTPUT_WINDOW: OutputWindow = { headBytes: 512 * 1024, tailBytes: 512 * 1024 };

/** What can be read of an output at any time, finished or not. */
export interface OutputReader {
  /** Everything that was ever written. */
  readonly totalBytes: number;
  /** Newline characters in everything that was ever written. */
  readonly totalLines: number;
  /** Bytes that were written and are no longer kept. */
  readonly droppedBytes: number;
  /** Newlines among the dropped bytes. */
  readonly droppedLines: number;
  /** The first bytes: not to be written to, valid until the next write. */
  head(): Uint8Array;
  /** The bytes after what was dropped (or after the head, when nothing was): a copy. */
  tail(): Uint8Array;
}

/** The bounded output of one operation, written by its registry and read by anyone. */
export class OperationOutput implements OutputReader {
  readonly #window: OutputWindow;
  #head = new Uint8Array(0);
  #headLength = 0;
  readonly #tail: RingBuffer;
  #totalBytes = 0;
  #totalLines = 0;

  constructor(window: OutputWindow = DEFAULT_OUTPUT_WINDOW) {
    this.#window = window;
    this.#tail = new RingBuffer(window.tailBytes);
  }

  get totalBytes(): number {
    return this.#totalBytes;
  }

  get totalLines(): number {
    return this.#totalLines;
  }

  get droppedBytes(): number {
    return this.#totalBytes - this.#headLength - this.#tail.length;
  }

  get droppedLines(): number {
    if (this.droppedBytes === 0) return 0;
    return this.#totalLines - countNewlines(this.head()) - countNewlines(this.tail());
  }

  /** Memory held at this moment, in bytes. */
  get heldBytes(): number {
    return this.#head.length + this.#tail.heldBytes;
  }

  head(): Uint8Array {
    return this.#head.subarray(0, this.#headLength);
  }

  tail(): Uint8Array {
    return this.#tail.toBytes();
  }

  /** Adds a chunk; it is copied, so the caller may use its memory again. */
  write(chunk: Uint8Array): void {
    this.#totalBytes += chunk.length;
    this.#totalLines += countNewlines(chunk);
    const toHead = Math.min(chunk.length, this.#window.headBytes - this.#headLength);
    if (toHead > 0) this.#appendToHead(chunk.subarray(0, toHead));
    if (toHead < chunk.length) this.#tail.write(chunk.subarray(toHead));
  }

  /** Gives back memory that was held for growth; called when the operation ended. */
  trim(): void {
    if (this.#head.length > this.#headLength) this.#head = this.#head.slice(0, this.#headLength);
    this.#tail.trim();
  }

  #appendToHead(bytes: Uint8Array): void {
    const needed = this.#headLength + bytes.length;
    if (needed > this.#head.length) {
      const grown = new Uint8Array(Math.min(this.#window.headBytes, Math.max(needed, this.#head.length * 2)));
      grown.set(this.head());
      this.#head = grown;
    }
    this.#head.set(bytes, this.#headLength);
    this.#headLength = needed;
  }
}
