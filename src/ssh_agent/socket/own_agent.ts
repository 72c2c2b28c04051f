/** The user's own ssh agent, which has the private keys. */
import { attempt } from "../../base/errors.ts";
import { withTimeout } from "../../base/time.ts";
import { UnixStreams } from "../../system/sockets/unix_stream.ts";
import { messagesOf, sendMessage } from "./message_stream.ts";

/** A person may be asked to confirm, or to touch a key. */
const ANSWER_MS = 60_000;

/** Its answer to one message; undefined: it is unreachable, or does not answer in time. */
export async function askAgent(socket: string, message: Uint8Array): Promise<Uint8Array | undefined> {
  const streams = new UnixStreams();
  const stream = attempt(Error, () => streams.connect(socket));
  if (stream === undefined) {
    streams[Symbol.dispose]();
    return undefined;
  }
  const asked = (async () => {
    if (!await sendMessage(stream, message)) return undefined;
    return (await messagesOf(stream).next()).value;
  })();
  try {
    return await withTimeout(asked, ANSWER_MS) ?? undefined;
  } finally {
    stream.close();
    await asked;
    streams[Symbol.dispose]();
  }
}
