/** Reads an open file in parts, so that only a small file is in memory as a whole. */
import { setImmediate } from "node:timers";
import type { OpenFile } from "../project/project.ts";
import type { Encoding } from "../definition/files_writing.ts";

const CHUNK_BYTES = 1024 * 1024;
const LINE_FEED = 10;

/** The first `length` bytes; fewer if the file is shorter. */
export function readUpTo(file: OpenFile, length: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length);
  return bytes.subarray(0, fill(file, bytes, 0));
}

/** The text from `start` on in chunks of UTF-8, each valid until the next one. Ends early when aborted. */
export async function* readText(
  file: OpenFile,
  { start, encoding, signal }: {
    readonly start: number;
    readonly encoding: Encoding;
    readonly signal: AbortSignal;
  },
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const recode = recoder(encoding);
  const buffer = new Uint8Array(CHUNK_BYTES);
  let at = start;
  for (let got = file.readAt(buffer, at); got > 0; got = file.readAt(buffer, at)) {
    at += got;
    yield recode(buffer.subarray(0, got));
    await letOthersRun();
    if (signal.aborted) return;
  }
}

/** Lets other calls, and a cancellation of this one, arrive between chunks. */
function letOthersRun(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Fills the buffer and returns the number of bytes read. */
function fill(file: OpenFile, bytes: Uint8Array<ArrayBuffer>, position: number): number {
  let filled = 0;
  for (let got = 1; got > 0 && filled < bytes.length; filled += got) {
    got = file.readAt(bytes.subarray(filled), position + filled);
  }
  return filled;
}

/** Converts chunks of an encoding to UTF-8. */
export function recoder(encoding: Encoding): (chunk: Uint8Array<ArrayBuffer>) => Uint8Array<ArrayBuffer> {
  if (encoding === "utf-8") return (chunk) => chunk;
  const decoder = new TextDecoder(encoding);
  const encoder = new TextEncoder();
  return (chunk) => encoder.encode(decoder.decode(chunk, { stream: true }));
}

/** Where the last `count` lines begin, found from the end, except in UTF-16; undefined: the file has no more lines. */
export async function startOfLast(
  file: OpenFile,
  { count, size, signal }: { readonly count: number; readonly size: number; readonly signal: AbortSignal },
): Promise<number | undefined> {
  const buffer = new Uint8Array(CHUNK_BYTES);
  let missing = count;
  for (let end = size; end > 0 && !signal.aborted;) {
    const start = Math.max(0, end - CHUNK_BYTES);
    const got = fill(file, buffer.subarray(0, end - start), start);
    // A line feed at the end of the file does not begin a line.
    let from = end === size ? got - 2 : got - 1;
    for (; from >= 0; from--) {
      from = buffer.lastIndexOf(LINE_FEED, from);
      if (from < 0) break;
      if (--missing === 0) return start + from + 1;
    }
    end = start;
    await letOthersRun();
  }
  return undefined;
}
