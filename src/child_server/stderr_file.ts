/**
 * Reads the stderr of a sandboxed child server, which is a file because the launcher connects no second pipe. The file
 * is read as it grows and kept small, so that endless output fills neither the disk nor our memory.
 */
import { messageOf } from "../base/errors.ts";
import type { Logger } from "../base/log.ts";
import { textLines } from "../wire/message_reader.ts";

interface StderrFileOptions {
  /** In a directory that no command can change; created or truncated. */
  readonly path: string;
  readonly onLine: (line: string) => void;
  readonly log: Logger;
}

/** Size in bytes at which the file is truncated; the unread beginning is lost. */
const LARGEST_FILE = 1024 * 1024;
/** Longer lines are left out, bytes. */
const LONGEST_LINE = 64 * 1024;
const READ_BYTES = 64 * 1024;

export class StderrFile implements AsyncDisposable {
  readonly #options: StderrFileOptions;
  readonly #file: Deno.FsFile;
  readonly #splitter = textLines(LONGEST_LINE);
  readonly #watcher: Deno.FsWatcher | undefined;
  readonly #following: Promise<void>;
  readonly #buffer = new Uint8Array(READ_BYTES);

  private constructor(options: StderrFileOptions, file: Deno.FsFile) {
    this.#options = options;
    this.#file = file;
    this.#watcher = this.#watch();
    this.#following = this.#follow();
  }

  /** Creates the file and begins to read. */
  static async open(options: StderrFileOptions): Promise<StderrFile> {
    const flags = { read: true, write: true, create: true, truncate: true, mode: 0o600 };
    return new StderrFile(options, await Deno.open(options.path, flags));
  }

  /** Reads the rest, after the last writer has ended. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#watcher?.close();
    await this.#following;
    try {
      await this.#read();
      this.#endLine();
    } finally {
      this.#file.close();
    }
  }

  #watch(): Deno.FsWatcher | undefined {
    try {
      return Deno.watchFs(this.#options.path);
    } catch (thrown) {
      // The system's limit of watches is reached; the lines come at the end.
      this.#options.log.warn("Cannot follow the stderr of a server", { error: messageOf(thrown) });
      return undefined;
    }
  }

  async #follow(): Promise<void> {
    if (this.#watcher === undefined) return;
    try {
      for await (const { kind } of this.#watcher) if (kind === "modify") await this.#read();
    } catch (thrown) {
      this.#options.log.warn("Cannot read the stderr of a server", { error: messageOf(thrown) });
    }
  }

  /** Reads to the end of the file. */
  async #read(): Promise<void> {
    for (;;) {
      const { size } = await this.#file.stat();
      if (size > LARGEST_FILE) await this.#truncate(size);
      const length = await this.#file.read(this.#buffer);
      if (length === null) return;
      this.#tell(length);
    }
  }

  /** Reads the end of a file that is too large, where the important lines are, and truncates it. */
  async #truncate(size: number): Promise<void> {
    const position = await this.#file.seek(0, Deno.SeekMode.Current);
    await this.#file.seek(Math.max(position, size - READ_BYTES), Deno.SeekMode.Start);
    const length = await this.#file.read(this.#buffer) ?? 0;
    // Writers append, so they continue at the new end.
    await this.#file.truncate(0);
    await this.#file.seek(0, Deno.SeekMode.Start);
    this.#endLine();
    this.#tell(length);
    this.#endLine();
  }

  /** Ends the current line, because text was left out behind it. */
  #endLine(): void {
    const rest = this.#splitter.end();
    if (rest !== undefined) this.#options.onLine(rest);
  }

  #tell(length: number): void {
    for (const line of this.#splitter.push(this.#buffer.subarray(0, length))) {
      if (line !== undefined) this.#options.onLine(line);
    }
  }
}
