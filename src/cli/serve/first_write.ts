import type { ByteOutput } from "../../wire/message_writer.ts";

/** `output` that calls `announce` once, after the first bytes are written. */
export function announceFirstWrite(output: ByteOutput, announce: () => void): ByteOutput {
  let first = true;
  return {
    async write(bytes) {
      const size = await output.write(bytes);
      if (first) {
        first = false;
        announce();
      }
      return size;
    },
  };
}
