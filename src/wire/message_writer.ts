import { delay } from "../base/time.ts";
import { FULL_PIPE_RETRY_MS } from "../base/write_all.ts";

/** Destination of bytes, such as `Deno.stdout`. It may write less than it was given. */
export interface ByteOutput {
  write(bytes: Uint8Array): Promise<number>;
}

/** A client that leaves more than this unread is taken for gone: it would fill our memory, bytes. */
const MOST_UNWRITTEN = 64 * 1024 * 1024;

interface Waiting {
  readonly bytes: Uint8Array;
  readonly done: () => void;
}

/**
 * Writes messages in the order they are given, never blocking: a synchronous write would be about 5 µs faster, but a
 * client that stops reading would stop the whole program with it, time limits and the end of stdin included.
 */
export class MessageWriter {
  readonly #output: ByteOutput;
  readonly #onFailure: (thrown: unknown) => void;
  #waiting: Waiting[] = [];
  #writing: Promise<void> | undefined;
  /** Nothing more is written. */
  #stopped = false;
  #unwritten = 0;

  /** `onFailure` receives the first failure to write, such as a closed pipe; later messages are dropped. */
  constructor(output: ByteOutput, onFailure: (thrown: unknown) => void) {
    this.#output = output;
    this.#onFailure = onFailure;
  }

  /** Resolves when the bytes were written or dropped; never rejects. */
  write(bytes: Uint8Array): Promise<void> {
    if (this.#stopped) return Promise.resolve();
    this.#unwritten += bytes.length;
    if (this.#unwritten > MOST_UNWRITTEN) {
      this.#fail(new Error(`The client does not read: ${this.#unwritten} bytes wait for it`));
      return Promise.resolve();
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push({ bytes, done: resolve });
    this.#writing ??= this.#writeWaiting();
    return promise;
  }

  /** Drops what waits and all that is given from now on; a write that has begun cannot be taken back. */
  stop(): void {
    this.#stopped = true;
  }

  /** Resolves when everything given so far was written or dropped. */
  async flush(): Promise<void> {
    await this.#writing;
  }

  async #writeWaiting(): Promise<void> {
    while (this.#waiting.length > 0) {
      const taken = this.#waiting;
      this.#waiting = [];
      for (const { bytes, done } of taken) {
        await this.#writeAll(bytes);
        this.#unwritten -= bytes.length;
        done();
      }
    }
    this.#writing = undefined;
  }

  async #writeAll(bytes: Uint8Array): Promise<void> {
    for (let written = 0; written < bytes.length && !this.#stopped;) {
      try {
        written += await this.#output.write(bytes.subarray(written));
      } catch (thrown) {
        if (!(thrown instanceof Deno.errors.WouldBlock)) return this.#fail(thrown);
        await delay(FULL_PIPE_RETRY_MS);
      }
    }
  }

  #fail(thrown: unknown): void {
    this.#stopped = true;
    this.#onFailure(thrown);
  }
}
