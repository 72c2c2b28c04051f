/** Messages of the agent's protocol over a Unix socket: a length of four bytes, then the message. */
import { ByteBuffer, concatenate } from "../../base/bytes.ts";
import type { UnixStream } from "../../system/sockets/unix_stream.ts";
import { uint32 } from "../wire/fields.ts";

/** The longest message, bytes: OpenSSH's own bound. */
const LONGEST = 256 * 1024;
const READ_BYTES = 4096;
const HEAD = 4;

/** The messages until the other end closes, or says that one is longer than any may be. Valid until the next is asked for. */
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

/** False: either end is closed. */
export async function sendMessage(stream: UnixStream, message: Uint8Array): Promise<boolean> {
  return await stream.write(concatenate([uint32(message.length), message]));
}
