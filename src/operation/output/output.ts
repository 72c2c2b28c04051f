/**
 * The output of one operation, bounded (X8). The first bytes and the last bytes are kept in memory; what lies between
 * goes to a file, if there is one to go to, and is counted in any case. Nothing is decoded here: a flood costs one copy and one newline count per byte; text is made when
 * it is read (`clean_text.ts`, `text_view.ts`).
 */
import { concatenate } from "../../base/bytes.ts";
import { countNewlines } from "./byte_scan.ts";
import { RingBuffer } from "./ring_buffer.ts";
import type { SpillFile } from "./spill_files.ts";

/** How much is kept of one operation's output, in bytes. */
export interface OutputWindow {
  readonly headBytes: number;
  readonly tailBytes: number;
}

/** 1 MiB in all (X8). */
export const DEFAULT_OUTPUT_WINDOW: OutputWindow = { headBytes: 512 * 1024, tailBytes: 512 * 1024 };

/** What can be read of an output at any time, finished or not. */
export type OutputReader = Pick<
  OperationOutput,
  "totalBytes" | "totalLines" | "droppedBytes" | "lostBytes" | "head" | "tail" | "read" | "lineMark"
>;

/** A piece of an output. */
export interface OutputPiece {
  /** Offset of its first byte, at least the requested one. */
  readonly offset: number;
  readonly bytes: Uint8Array;
}

/** The number of newlines before `offset`. */
export interface LineMark {
  readonly offset: number;
  readonly newlines: number;
}

/** The bounded output of one operation, written by its registry. */
export class OperationOutput {
  readonly #window: OutputWindow;
  #head = new Uint8Array(0);
  #headLength = 0;
  readonly #tail: RingBuffer;
  #totalBytes = 0;
  #totalLines = 0;
  /** Holds what follows the head, from its first byte on; undefined: there is none, or no longer. */
  #spill: SpillFile | undefined;
  /** Offset up to which the file has the output. */
  readonly #marks: LineMark[] = [{ offset: 0, newlines: 0 }];

  /** Absent: 1 MiB. `spill`: takes what memory does not keep; absent: that is lost. */
  constructor(window?: OutputWindow, spill?: SpillFile) {
    this.#window = window ?? DEFAULT_OUTPUT_WINDOW;
    this.#tail = new RingBuffer(this.#window.tailBytes);
    this.#spill = spill;
  }

  /** Everything that was ever written. */
  get totalBytes(): number {
    return this.#totalBytes;
  }

  /** Newline characters in everything that was ever written. */
  get totalLines(): number {
    return this.#totalLines;
  }

  /** Bytes between the head and the tail, which memory does not hold. */
  get droppedBytes(): number {
    return this.#totalBytes - this.#headLength - this.#tail.length;
  }

  /** Number of dropped bytes that are in no file and can no longer be read. */
  get lostBytes(): number {
    return Math.max(0, this.#tailStart - this.#spillEnd);
  }

  /** Settles when the file has caught up; undefined: it has. The writer waits for it. */
  get pressure(): Promise<void> | undefined {
    return this.#spill?.pressure;
  }

  /** Memory held now, in bytes. */
  get heldBytes(): number {
    return this.#head.length + this.#tail.heldBytes;
  }

  /** The first bytes: read-only, valid until the next write. */
  head(): Uint8Array {
    return this.#head.subarray(0, this.#headLength);
  }

  /** The bytes after what was dropped (or after the head, when nothing was): a copy. */
  tail(): Uint8Array {
    return this.#tail.toBytes();
  }

  /** Copies up to `length` bytes, past lost ones (so `offset` may differ), or fewer; empty only at the end. */
  async read(offset: number, length: number): Promise<OutputPiece> {
    if (offset < this.#headLength) {
      return { offset, bytes: this.head().slice(offset, offset + length) };
    }
    if (offset < Math.min(this.#spillEnd, this.#tailStart)) {
      const bytes = await this.#spill?.read(offset - this.#headLength, length);
      if (bytes !== undefined && bytes.length > 0) return { offset, bytes };
    }
    const start = this.#tailStart;
    const skipped = Math.max(0, offset - start);
    return { offset: start + skipped, bytes: this.#tail.toBytes(skipped, length) };
  }

  /** A known place before the start of `line` (1 is the first), or the very start, to search on from. */
  lineMark(line: number): LineMark {
    const marks = [...this.#marks, this.#tailMark()];
    // A mark with all newlines before the line may lie in the middle of it.
    return marks.findLast(({ newlines }) => newlines < line - 1) ?? { offset: 0, newlines: 0 };
  }

  /** Adds a chunk; it is copied, so the caller may use its memory again. */
  write(chunk: Uint8Array): void {
    const toHead = Math.min(chunk.length, this.#window.headBytes - this.#headLength);
    if (toHead > 0) this.#appendToHead(chunk.subarray(0, toHead));
    if (toHead < chunk.length) {
      this.#spillWhatGoes(chunk, toHead);
      this.#tail.write(chunk.subarray(toHead));
    }
    this.#totalBytes += chunk.length;
    this.#totalLines += countNewlines(chunk);
  }

  /** Releases memory reserved for growth; called when the operation has ended. */
  trim(): void {
    if (this.#head.length > this.#headLength) this.#head = this.#head.slice(0, this.#headLength);
    this.#tail.trim();
    this.#spill?.retire();
  }

  /** Keeps only the first and last `bytes` and removes the file; called after the end of the operation. */
  reduceTo(bytes: number): void {
    const [head, tail] = [this.head(), this.tail()];
    const last = this.droppedBytes === 0 ? concatenate([head.subarray(bytes), tail]) : tail;
    this.discard();
    this.#head = head.slice(0, bytes);
    this.#headLength = this.#head.length;
    this.#tail.clear();
    this.#tail.write(last.subarray(-bytes));
    this.#tail.trim();
  }

  /** Removes the file; called when the operation is pruned. What memory holds stays readable. */
  discard(): void {
    this.#spill?.discard();
    this.#spill = undefined;
  }

  /** Where the tail begins. */
  get #tailStart(): number {
    return this.#totalBytes - this.#tail.length;
  }

  /** Up to here the head and the file hold everything. */
  get #spillEnd(): number {
    return this.#headLength + (this.#spill?.acceptedBytes ?? 0);
  }

  #tailMark(): LineMark {
    return { offset: this.#tailStart, newlines: this.#totalLines - countNewlines(this.tail()) };
  }

  /** Passes to the file what the tail will drop when it gets the rest of `chunk` from `from` on. */
  #spillWhatGoes(chunk: Uint8Array, from: number): void {
    const spilledTo = this.#spillEnd;
    const keptFrom = this.#totalBytes + chunk.length - this.#window.tailBytes;
    const start = this.#totalBytes + from;
    const skipped = spilledTo - (start - this.#tail.length);
    // Nothing after a gap could be found.
    if (this.#spill === undefined || keptFrom <= spilledTo || skipped < 0) return;
    // Writes all of the tail, not only what it drops, so that the next chunks need no write.
    const passing = chunk.subarray(from, Math.max(from, keptFrom - this.#totalBytes));
    if (!this.#spill.append([...this.#tail.parts(skipped), passing])) return;
    const newlines = this.#totalLines + countNewlines(chunk.subarray(0, from + passing.length));
    this.#marks.push({ offset: start + passing.length, newlines });
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
