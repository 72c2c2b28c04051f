import { delay } from "../base/time.ts";
import type { TakeOutput } from "./command_runner.ts";

/** Most commands say little; one that fills the small buffer gets one of the size of a pipe. */
const SMALL_READ = 4_096;
const LARGE_READ = 65_536;
/** A flood is always ready to be read, so others would wait; after so many bytes they go first (N4). */
const FAIR_SHARE = 512 * 1024;

/** Reads to the end, into one buffer again and again: fresh ones for every read are what a flood would fill the heap with. */
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
