/** A connection to a server: one request, later input, and the events in answer. */
import { encodeText } from "../../base/text.ts";
import { undefinedFor } from "../../base/errors.ts";
import type { UnixStream, UnixStreams } from "../../system/sockets/unix_stream.ts";
import { textLines } from "../../wire/message_reader.ts";
import { type Entry, removeIfDead } from "../place/entries.ts";
import {
  type ControlEvent,
  type ControlRequest,
  type Given,
  givenLine,
  readEvent,
  requestLine,
} from "../protocol/messages.ts";

const READ_BYTES = 128 * 1024;
/** The longest event: a list of many operations with long titles. */
const LONGEST_EVENT = 16 * 1024 * 1024;

export class ServerLine implements Disposable {
  readonly #stream: UnixStream;
  readonly #entry: Entry;
  /** The writes so far. */
  #written: Promise<unknown> = Promise.resolve();
  /** The events until the server ends the connection; can be read once. */
  readonly events: AsyncGenerator<ControlEvent, undefined>;

  private constructor(stream: UnixStream, entry: Entry) {
    this.#stream = stream;
    this.#entry = entry;
    this.events = this.#read();
  }

  /** A connection; undefined: no server listens there now. @throws {Error} When the system refuses. */
  static async open(streams: UnixStreams, entry: Entry): Promise<ServerLine | undefined> {
    const stream = streams.connect(entry.socket);
    if (stream !== undefined) return new ServerLine(stream, entry);
    await removeIfDead(entry);
    return undefined;
  }

  /** Makes the request, with the entry's token; the token is empty if the entry is gone. */
  async request(request: ControlRequest): Promise<void> {
    const token = await Deno.readTextFile(this.#entry.tokenFile).catch(undefinedFor(Deno.errors.NotFound));
    await this.#write(requestLine(token ?? "", request));
  }

  /** Sends input; settles when it was sent, and never rejects. */
  async give(given: Given): Promise<void> {
    await this.#write(givenLine(given));
  }

  [Symbol.dispose](): void {
    this.#stream.close();
  }

  async #write(line: string): Promise<void> {
    this.#written = this.#written.then(() => this.#stream.write(encodeText(line)));
    await this.#written;
  }

  async *#read(): AsyncGenerator<ControlEvent, undefined> {
    const lines = textLines(LONGEST_EVENT);
    const buffer = new Uint8Array(READ_BYTES);
    for (let length = await this.#stream.read(buffer); length > 0; length = await this.#stream.read(buffer)) {
      for (const line of lines.push(buffer.subarray(0, length))) {
        const event = line === undefined ? undefined : readEvent(line);
        if (event !== undefined) yield event;
      }
    }
    return undefined;
  }
}
