/** A connected program of a person: the lines that it sends, and events for it. */
import type { UnixStream } from "../../system/sockets/unix_stream.ts";
import { encodeText } from "../../base/text.ts";
import { textLines } from "../../wire/message_reader.ts";
import { type ControlEvent, eventLine, LONGEST_LINE } from "../protocol/messages.ts";

const IS_THERE: boolean = true;
const READ_BYTES = 16 * 1024;

export class Peer implements Disposable {
  readonly #stream: UnixStream;
  readonly #gone = new AbortController();
  /** The chain of sent events. */
  #sent = Promise.resolve(IS_THERE);
  /** Its lines, until it is gone or one is too long; can be read once. */
  readonly lines: AsyncGenerator<string>;

  constructor(stream: UnixStream) {
    this.#stream = stream;
    this.lines = this.#read();
  }

  /** Aborted when it has disconnected and reads no more events. */
  get gone(): AbortSignal {
    return this.#gone.signal;
  }

  /** Settles when the system has taken the event; does nothing if the program has disconnected. */
  async send(event: ControlEvent): Promise<void> {
    const bytes = encodeText(eventLine(event));
    this.#sent = this.#sent.then((isThere) => isThere && this.#stream.write(bytes));
    if (!await this.#sent) this.#gone.abort();
  }

  /** Stops reading from it: from now on `gone` tells when it leaves. */
  async drain(): Promise<void> {
    for await (const _ of this.lines);
  }

  [Symbol.dispose](): void {
    this.#gone.abort();
    this.#stream.close();
  }

  async *#read(): AsyncGenerator<string> {
    const lines = textLines(LONGEST_LINE);
    const buffer = new Uint8Array(READ_BYTES);
    try {
      for (let length = await this.#stream.read(buffer); length > 0; length = await this.#stream.read(buffer)) {
        for (const line of lines.push(buffer.subarray(0, length))) {
          if (line === undefined) return;
          yield line;
        }
      }
    } finally {
      this.#gone.abort();
    }
  }
}
