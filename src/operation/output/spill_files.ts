/**
 * Stores output that does not fit into memory (X8): one file for each operation that exceeds its window, in a directory
 * that commands cannot reach. Their total size is limited. When the limit is reached, files of the oldest ended
 * operations are removed, and output that cannot be written counts as lost.
 */
import { messageOf } from "../../base/errors.ts";
import type { Logger } from "../../base/log.ts";

export interface SpillSpaceOptions {
  /** Made when it is first needed, mode 0700; its parent exists. The owner of the parent removes it. */
  readonly directory: string;
  /** Maximum total size of all files, bytes; 0: nothing is written. */
  readonly limitBytes: number;
  readonly log: Logger;
}

/** 512 MiB. */
export const DEFAULT_SPILL_LIMIT_BYTES = 512 * 1024 * 1024;

/** The files of one server. */
export class SpillSpace {
  readonly #options: SpillSpaceOptions;
  /** Files of ended operations, the oldest end first. */
  readonly #retired = new Set<SpillFile>();
  #directory: Promise<void> | undefined;
  #leaving: Promise<void> = Promise.resolve();
  #usedBytes = 0;
  #named = 0;

  constructor(options: SpillSpaceOptions) {
    this.#options = options;
  }

  /** Current total size of all files, bytes. */
  get usedBytes(): number {
    return this.#usedBytes;
  }

  /** A new file, which is created by the first append. */
  newFile(): SpillFile {
    return new SpillFile(`${this.#options.directory}/${++this.#named}`, this);
  }

  /** Settles when the directory exists. This and the following members are for files of this space. */
  ready(): Promise<void> {
    return this.#directory ??= Deno.mkdir(this.#options.directory, { mode: 0o700 }).catch((thrown) => {
      this.#directory = undefined; // there may be room for the next file
      throw thrown;
    });
  }

  /** Settles when all removed files are gone. */
  async settled(): Promise<void> {
    await this.#leaving;
  }

  /** Whether this many more bytes may be written. */
  reserve(bytes: number): boolean {
    for (const oldest of this.#retired) {
      if (this.#usedBytes + bytes <= this.#options.limitBytes) break;
      oldest.discard();
    }
    if (this.#usedBytes + bytes > this.#options.limitBytes) return false;
    this.#usedBytes += bytes;
    return true;
  }

  /** Nothing more will be written to the file. */
  retire(file: SpillFile): void {
    this.#retired.add(file);
  }

  /** The file is given up, and so are its bytes. */
  forget(file: SpillFile, bytes: number): void {
    this.#retired.delete(file);
    this.#usedBytes -= bytes;
    this.#leaving = this.#leaving.then(() => file.settled());
  }

  warn(what: string, path: string, thrown: unknown): void {
    this.#options.log.warn(what, { file: path, error: messageOf(thrown) });
  }
}

/** Bytes appended in order, read at any time. Writing continues in the background. */
export class SpillFile {
  readonly #path: string;
  readonly #space: SpillSpace;
  #handle: Deno.FsFile | undefined;
  #acceptedBytes = 0;
  #inFlight = 0;
  /** Settles when everything appended so far is written; never rejects. */
  #writing: Promise<void> = Promise.resolve();
  /** Buffers for reuse, because new ones for every write of a flood would fill the memory. */
  #spare: Uint8Array<ArrayBuffer>[] = [];
  #state: "open" | "retired" | "failed" | "removed" = "open";

  constructor(path: string, space: SpillSpace) {
    this.#path = path;
    this.#space = space;
  }

  /** Number of readable bytes from the start; 0 once the file is gone. */
  get acceptedBytes(): number {
    return this.#acceptedBytes;
  }

  /** Settles when writing has caught up; undefined: it has. */
  get pressure(): Promise<void> | undefined {
    return this.#inFlight > 1 ? this.#writing : undefined;
  }

  /** Appends `parts` (copied); false: there is no room for them, or the file can no longer be written. */
  append(parts: readonly Uint8Array[]): boolean {
    const length = parts.reduce((sum, part) => sum + part.length, 0);
    if (this.#state !== "open" || !this.#space.reserve(length)) return false;
    const buffer = this.#takeBuffer(length);
    let at = 0;
    for (const part of parts) {
      buffer.set(part, at);
      at += part.length;
    }
    this.#acceptedBytes += length;
    this.#inFlight++;
    this.#writing = this.#writing.then(() => this.#write(buffer, length)).finally(() => this.#inFlight--);
    return true;
  }

  /** At most `length` bytes from `offset` on; empty: there is nothing, or no longer. */
  async read(offset: number, length: number): Promise<Uint8Array> {
    await this.#writing;
    const wanted = Math.min(length, this.#acceptedBytes - offset);
    if (wanted <= 0) return new Uint8Array(0);
    const bytes = new Uint8Array(wanted);
    let filled = 0;
    try {
      using file = await Deno.open(this.#path, { read: true });
      await file.seek(offset, Deno.SeekMode.Start);
      for (
        let size = await file.read(bytes);
        size !== null && size > 0;
        size = await file.read(bytes.subarray(filled))
      ) {
        filled += size;
        if (filled === wanted) break;
      }
    } catch (thrown) {
      // Removed while it was being opened: its operation was just pruned.
      if (!(thrown instanceof Deno.errors.NotFound)) throw thrown;
    }
    return bytes.subarray(0, filled);
  }

  /** Ends the appends; the file stays until its space is needed. */
  retire(): void {
    if (this.#state !== "open") return;
    this.#state = "retired";
    this.#space.retire(this);
    this.#writing = this.#writing.then(() => this.#close());
  }

  /** Removes it. */
  discard(): void {
    if (this.#state === "removed") return;
    this.#state = "removed";
    const bytes = this.#acceptedBytes;
    this.#acceptedBytes = 0;
    this.#writing = this.#writing.then(() => this.#close()).then(() => bytes > 0 ? this.#remove() : undefined);
    this.#space.forget(this, bytes);
  }

  /** Settles when all writing and removing has ended. */
  async settled(): Promise<void> {
    await this.#writing;
  }

  async #write(buffer: Uint8Array<ArrayBuffer>, length: number): Promise<void> {
    if (this.#state === "failed" || this.#state === "removed") return;
    try {
      await this.#space.ready();
      this.#handle ??= await Deno.open(this.#path, { write: true, createNew: true, mode: 0o600 });
      for (let written = 0; written < length;) {
        written += await this.#handle.write(buffer.subarray(written, length));
      }
      this.#spare.push(buffer);
    } catch (thrown) {
      this.#space.warn("Cannot keep the whole output of an operation", this.#path, thrown);
      await this.#fail();
    }
  }

  /** The file may be incomplete, so it is no longer readable, and its space is released. */
  async #fail(): Promise<void> {
    const bytes = this.#acceptedBytes;
    this.#acceptedBytes = 0;
    this.#state = "failed";
    this.#close();
    await this.#remove();
    this.#space.forget(this, bytes);
  }

  #close(): void {
    this.#spare = [];
    this.#handle?.close();
    this.#handle = undefined;
  }

  async #remove(): Promise<void> {
    try {
      await Deno.remove(this.#path);
    } catch (thrown) {
      // It was never created, or the session's directory was removed first.
      if (!(thrown instanceof Deno.errors.NotFound)) {
        this.#space.warn("Cannot remove a file of output", this.#path, thrown);
      }
    }
  }

  #takeBuffer(length: number): Uint8Array<ArrayBuffer> {
    const found = this.#spare.findIndex((buffer) => buffer.length >= length);
    const [spare] = found < 0 ? [] : this.#spare.splice(found, 1);
    return spare ?? new Uint8Array(length);
  }
}
