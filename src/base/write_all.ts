import { delay } from "./time.ts";

/** Pause before the next write to a full non-blocking pipe, milliseconds: Deno has no event for writability. */
export const FULL_PIPE_RETRY_MS = 5;

/** Writes all of `bytes`, in as many parts as `target` takes. @throws what its `write` throws, except for a full pipe */
export async function writeAll(
  target: { write(bytes: Uint8Array): Promise<number> },
  bytes: Uint8Array,
): Promise<void> {
  for (let written = 0; written < bytes.length;) {
    try {
      written += await target.write(bytes.subarray(written));
    } catch (thrown) {
      if (!(thrown instanceof Deno.errors.WouldBlock)) throw thrown;
      await delay(FULL_PIPE_RETRY_MS);
    }
  }
}
