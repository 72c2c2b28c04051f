import type { ByteOutput } from "../../wire/message_writer.ts";

/** `output` that calls `announce` once, after the first bytes are written. */
export function announceFirstWrite(output: ByteOutput, announce: () => void): ByteOutput {
  let first = true;
  const announced = (size: number) => {
    if (first && size > 0) {
      first = false;
      announce();
    }
    return size;
  };
  return {
    write: async (bytes) => announced(await output.write(bytes)),
    writeNow: (bytes) => announced(output.writeNow?.(bytes) ?? 0),
  };
}
