/**
 * The first stage of a connection over stdio (N3): it reads the first line, and answers it where that needs no SDK. The
 * second stage gets the same line.
 */
import { encodeText } from "../../base/text.ts";
import { aborted } from "../../base/time.ts";
import type { Service } from "../service.ts";
import { MessageWriter } from "../../wire/message_writer.ts";
import { BegunInput } from "./begun_input.ts";
import { firstAnswer } from "./first_answer.ts";
import type { StdioStreams } from "./stdio_connection.ts";

/** Resolves with what the connection is then served on: when the first line is answered or the SDK's, or at a stop. */
export async function beginConnection(service: Service, io: StdioStreams): Promise<StdioStreams> {
  const input = new BegunInput(io.input);
  const line = await Promise.race([input.firstLine(), aborted(io.stop).then(() => undefined)]);
  const answered = line && firstAnswer(service, line);
  if (answered === undefined) return { ...io, input };
  const writer = new MessageWriter(io.output, () => input.end());
  const written = writer.write(encodeText(`${answered.text}\n`));
  await Promise.race([written, aborted(io.stop)]);
  let isWritten = false;
  void written.then(() => isWritten = true);
  const output = {
    async write(bytes: Uint8Array) {
      await written;
      return await io.output.write(bytes);
    },
    writeNow: (bytes: Uint8Array) => isWritten ? io.output.writeNow?.(bytes) ?? 0 : 0,
  };
  return { ...io, input, output, answered };
}
