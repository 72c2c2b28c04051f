import { encodedParts, encodeText } from "../base/text.ts";
import { delay } from "../base/time.ts";
import { FULL_PIPE_RETRY_MS } from "../base/write_all.ts";

/** A destination of bytes, such as `Deno.stdout`. It may write fewer bytes than it was given. */
export interface ByteOutput {
  write(bytes: Uint8Array): Promise<number>;
  /** Writes as much as possible without waiting, and returns the number of bytes. Absent: the target cannot. */
  writeNow?(bytes: Uint8Array): number;
}

/** A client that leaves more bytes than this unread counts as gone, because it would fill our memory. */
const MOST_UNWRITTEN = 64 * 1024 * 1024;
/** This many characters of a line are encoded at a time. */
const SHORT = 64 * 1024;

/**
 * Writes messages in order and never blocks: otherwise a client that stops reading would stop the whole program, time
 * limits and the end of stdin included. If no earlier message waits, a message is written at once as far as possible.
 */
export class MessageWriter {
  /** Receives the first failure to write, such as a closed pipe; later messages are dropped. */
  onFailure: (thrown: unknown) => void;
  readonly #output: ByteOutput;
  /** Undefined: something was written, or there is no listener. */
  #onFirst: (() => void) | undefined;
  /** The chain of writes so far; never rejects. */
  #written: Promise<void> = Promise.resolve();
  /** Nothing more is written. */
  #stopped = false;
  #unwritten = 0;

  /** `onFirst` is called once, after the first bytes are written. */
  constructor(output: ByteOutput, onFailure: (thrown: unknown) => void, onFirst?: () => void) {
    this.#output = output;
    this.onFailure = onFailure;
    this.#onFirst = onFirst;
  }

  /** Resolves when the bytes were written or dropped; never rejects. */
  write(bytes: Uint8Array): Promise<void> {
    if (this.#stopped) return Promise.resolve();
    const rest = this.#unwritten === 0 ? bytes.subarray(this.#count(this.#output.writeNow?.(bytes) ?? 0)) : bytes;
    return rest.length === 0 ? Promise.resolve() : this.#later(rest.length, () => this.#writeAll(rest));
  }

  /** The same for a line without its newline. A long line is encoded while it is written. */
  writeLine(text: string): Promise<void> {
    if (text.length <= SHORT) return this.write(encodeText(`${text}\n`));
    return this.#later(text.length, async () => {
      for (const part of encodedParts(text)) await this.#writeAll(part);
      await this.#writeAll(encodeText("\n"));
    });
  }

  /** Drops all waiting and later messages; a write that has begun cannot be undone. */
  stop(): void {
    this.#stopped = true;
  }

  /** Resolves when all messages so far were written or dropped. */
  flush(): Promise<void> {
    return this.#written;
  }

  #later(length: number, write: () => Promise<void>): Promise<void> {
    if (this.#stopped) return Promise.resolve();
    this.#unwritten += length;
    if (this.#unwritten > MOST_UNWRITTEN) {
      this.#fail(new Error(`The client does not read: ${this.#unwritten} bytes wait for it`));
      return Promise.resolve();
    }
    return this.#written = this.#written.then(write).then(() => void (this.#unwritten -= length));
  }

  async #writeAll(bytes: Uint8Array): Promise<void> {
    for (let written = 0; written < bytes.length && !this.#stopped;) {
      try {
        written += this.#count(await this.#output.write(bytes.subarray(written)));
      } catch (thrown) {
        if (!(thrown instanceof Deno.errors.WouldBlock)) return this.#fail(thrown);
        await delay(FULL_PIPE_RETRY_MS);
      }
    }
  }

  #count(size: number): number {
    if (size === 0 || this.#onFirst === undefined) return size;
    const announce = this.#onFirst;
    this.#onFirst = undefined;
    announce();
    return size;
  }

  #fail(thrown: unknown): void {
    this.#stopped = true;
    this.onFailure(thrown);
  }
}
