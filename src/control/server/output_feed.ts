/**
 * Sends the output of an operation to a person. It is read from the stored output, so that a slow reader costs no memory
 * and delays nothing. A reader that is too far behind skips output, and gets the number of skipped bytes.
 */
import { delay } from "../../base/time.ts";
import { isEnded } from "../../operation/operation.ts";
import type { Operation } from "../../operation/operation_record.ts";
import type { ControlEvent } from "../protocol/messages.ts";

/** The most bytes read and sent at a time. */
const PART_BYTES = 64 * 1024;
/** A reader that is further behind than this skips the bytes in between. */
const MOST_BEHIND = 1024 * 1024;
/** Pause after a full part, milliseconds, so that a flood of output takes little of the server's time. */
const PAUSE_MS = 10;
/** The most bytes of earlier output that are shown to a person who attaches. */
const EARLIER_BYTES = 16 * 1024;
const NEWLINE = 10;

export interface FeedOptions {
  /** The position in the output to begin at. */
  readonly from: number;
  /** The position to end at; absent: continues until the operation has ended. */
  readonly until?: number | undefined;
  /** All stored output is sent, however slow the reader is. */
  readonly isWhole?: boolean;
  readonly send: (event: ControlEvent) => Promise<void>;
  /** Aborted when the reader has left. */
  readonly signal: AbortSignal;
}

/** Sends the output from a position on, until the operation has ended and all is sent, or the reader leaves. */
export async function feedOutput(operation: Operation, options: FeedOptions): Promise<void> {
  const { from, until = Infinity, isWhole = false, send, signal } = options;
  const { output } = operation;
  let at = from;
  let more = Promise.withResolvers<void>();
  const wake = () => more.resolve();
  const unsubscribe = operation.watchOutput(wake);
  void operation.ended.then(wake);
  signal.addEventListener("abort", wake, { once: true });
  try {
    while (!signal.aborted) {
      more = Promise.withResolvers<void>();
      const isOver = isEnded(operation.state);
      const behind = Math.min(until, output.totalBytes) - at;
      if (behind <= 0 && (isOver || at >= until)) return;
      if (behind === 0) {
        await more.promise;
        continue;
      }
      const wanted = behind > MOST_BEHIND && !isWhole ? output.totalBytes - PART_BYTES : at;
      const piece = await output.read(wanted, Math.min(PART_BYTES, until - wanted));
      if (piece.offset > at) await send({ event: "gap", bytes: piece.offset - at });
      await send({ event: "output", data: piece.bytes.toBase64() });
      at = piece.offset + piece.bytes.length;
      if (piece.bytes.length === PART_BYTES) await delay(PAUSE_MS, signal);
    }
  } finally {
    unsubscribe();
    signal.removeEventListener("abort", wake);
  }
}

/** Sends the last lines so far; returns the position after them. */
export async function sendEarlier(
  { output }: Pick<Operation, "output">,
  send: FeedOptions["send"],
): Promise<number> {
  const end = output.totalBytes;
  if (end === 0) return 0;
  const from = Math.max(0, end - EARLIER_BYTES);
  const { offset, bytes } = await output.read(from, end - from);
  // It begins with a whole line if possible.
  const skipped = offset === 0 ? 0 : bytes.indexOf(NEWLINE) + 1;
  await send({ event: "earlier", data: bytes.subarray(skipped).toBase64(), leftOut: offset + skipped });
  return offset + bytes.length;
}
