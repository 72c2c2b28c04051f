/** Messages of the agent's protocol over a Unix socket: a length of four bytes, then the message. */
import { ByteBuffer, concatenate } from "../../base/bytes.ts";
import type { UnixStream } from "../../system/sockets/unix_stream.ts";
import { uint32 } from "../wire/fields.ts";

/** The longest message, bytes: OpenSSH's own bound. */
const LONGEST = 256 * 1024;
const READ_BYTES = 4096;
const HEAD = 4;

/** The messages until the other end closes, or announces one beyond the limit. */
export async function* messagesOf(stream: UnixStream): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const buffer = new ByteBuffer();
  const part = new Uint8Array(READ_BYTES);
  for (let length = await stream.read(part); length > 0; length = await stream.read(part)) {
    buffer.add(part.subarray(0, length));
    if (buffer.length < HEAD) continue;
    let bytes = buffer.take();
    while (bytes.length >= HEAD) {
      const size = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0);
      if (size === 0 || size > LONGEST) return;
      if (bytes.length < HEAD + size) break;
      yield bytes.slice(HEAD, HEAD + size);
      bytes = bytes.subarray(HEAD + size);
    }
    buffer.add(bytes.slice());
  }
}

/**
 * The same, but reads the next one while one is answered: only this shows that the other end is gone. Disposal
 * closes the connection.
 */
export class MessagesAhead implements AsyncDisposable {
  readonly #stream: UnixStream;
  readonly #messages: AsyncGenerator<Uint8Array<ArrayBuffer>>;
  readonly #gone = new AbortController();
  #next: Promise<Uint8Array<ArrayBuffer> | undefined>;

  constructor(stream: UnixStream) {
    this.#stream = stream;
    this.#messages = messagesOf(stream);
    this.#next = this.#read();
  }

  /** Aborted once no further message can come. */
  get gone(): AbortSignal {
    return this.#gone.signal;
  }

  /** Undefined: there is none. */
  async next(): Promise<Uint8Array<ArrayBuffer> | undefined> {
    const message = await this.#next;
    if (message !== undefined) this.#next = this.#read();
    return message;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stream.close();
    await this.#next;
  }

  async #read(): Promise<Uint8Array<ArrayBuffer> | undefined> {
    const { value, done } = await this.#messages.next();
    if (done === true) this.#gone.abort();
    return value ?? undefined;
  }
}

/** False: either end is closed. */
export async function sendMessage(stream: UnixStream, message: Uint8Array): Promise<boolean> {
  return await stream.write(concatenate([uint32(message.length), message]));
}
