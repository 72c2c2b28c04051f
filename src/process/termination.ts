/** How long processes get to end, and the abort that asks them to; the same on Linux and macOS. */
import { killDelay } from "../base/command/kill_delay.ts";

/** SIGTERM comes first; what is left after this many milliseconds gets SIGKILL (X9), unless the abort hurries (X14). */
const TERMINATE_GRACE_MS = 2_000;
/** What a command left running in the background may finish in this time after it (X10). */
export const BACKGROUND_GRACE_MS = 250;
/** The output ends with the last process; a descriptor that was passed elsewhere does not hold the result back longer. */
const OUTPUT_GRACE_MS = 1_000;

/**
 * Calls `terminate` when `signal` aborts, until `gone` settles. `killAfterMs`: from SIGTERM to SIGKILL.
 * Settles with `gone`.
 */
export function terminateOnAbort(
  signal: AbortSignal,
  terminate: (killAfterMs: number) => void,
  gone: Promise<void>,
): Promise<void> {
  const abort = () => terminate(killDelay(signal, TERMINATE_GRACE_MS));
  signal.addEventListener("abort", abort, { once: true });
  if (signal.aborted) abort();
  return gone.finally(() => signal.removeEventListener("abort", abort));
}

/** Waits for the end of the output of processes that are gone; cancels the readers after the grace. */
export async function outputEnd(
  written: Promise<unknown>,
  readers: readonly ReadableStreamBYOBReader[],
): Promise<void> {
  const late = setTimeout(() => {
    for (const reader of readers) void reader.cancel();
  }, OUTPUT_GRACE_MS);
  await written;
  clearTimeout(late);
}
