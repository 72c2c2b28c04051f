/** The common part of following a command on Linux and macOS: its input, its output, and its time to end. */
import { killDelay } from "../base/command/kill_delay.ts";
import { delay } from "../base/time.ts";
import type { TakeOutput } from "./command_runner.ts";
import type { LauncherProcess } from "./spawn.ts";

/** SIGTERM comes first; what is left after this many milliseconds gets SIGKILL (X9), unless the abort hurries (X14). */
const TERMINATE_GRACE_MS = 2_000;
/** What a command left running in the background may finish in this time after it (X10). */
export const BACKGROUND_GRACE_MS = 250;
/** The output ends with the last process; a descriptor elsewhere delays the result at most this long. */
export const OUTPUT_GRACE_MS = 1_000;
/** The result waits for the end of killed processes; one that the kernel cannot end delays it at most this long. */
export const KILLED_GRACE_MS = 1_000;

/** Most commands write little; one that fills the small buffer gets one of the size of a pipe. */
const SMALL_READ = 4_096;
const LARGE_READ = 65_536;
/** A flood is always ready to be read, so other work would wait; after this many bytes it gets a turn (N4). */
const FAIR_SHARE = 512 * 1024;

/** Writes `parts` to stdin, one by one, and closes it; false when the process was gone before it took all. */
export async function writeAndClose(
  process: Pick<LauncherProcess, "stdin">,
  ...parts: readonly Uint8Array[]
): Promise<boolean> {
  const writer = process.stdin.getWriter();
  try {
    for (const part of parts) await writer.write(part);
    await writer.close();
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.BrokenPipe || error instanceof Deno.errors.ConnectionReset) return false;
    throw error;
  }
}

/** Reads to the end into one buffer: a flood would fill the heap with a fresh one for each read. */
export async function drain(reader: ReadableStreamBYOBReader, take: TakeOutput): Promise<void> {
  let buffer = new ArrayBuffer(SMALL_READ);
  let unbroken = 0;
  for (;;) {
    const { value, done } = await reader.read(new Uint8Array(buffer));
    const pressure = value !== undefined && value.length > 0 ? take(value) : undefined;
    if (pressure instanceof Promise) await pressure;
    if (done || value === undefined) return;
    unbroken += value.byteLength;
    if (unbroken >= FAIR_SHARE) {
      unbroken = 0;
      await delay(0);
    }
    const full = value.byteLength === value.buffer.byteLength;
    buffer = full && value.buffer.byteLength < LARGE_READ ? new ArrayBuffer(LARGE_READ) : value.buffer;
  }
}

/** Terminates when `signal` aborts, until `gone` settles. `killAfterMs`: from SIGTERM to SIGKILL. */
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
