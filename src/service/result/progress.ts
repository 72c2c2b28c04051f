/**
 * Live output for a client that gave a progress token (X6). It is whole lines of the watched operations, in at most about
 * ten messages a second. A heartbeat follows a silence, so that the client does not give up (B2).
 * `progress` counts the messages. After `close` has resolved nothing is sent: the response comes next.
 */
import type { Unsubscribe } from "../../base/emitter.ts";
import { messageOf } from "../../base/errors.ts";
import type { Logger } from "../../base/log.ts";
import { cleanText } from "../../operation/output/clean_text.ts";
import type { Operation } from "../../operation/operation_record.ts";
import { RingBuffer } from "../../operation/output/ring_buffer.ts";

export interface ProgressOptions {
  readonly send: (progress: number, message: string) => Promise<void>;
  /** The message if there is no output. */
  readonly heartbeat: () => string;
  /** Aborted at the end of the request; nothing more is sent. */
  readonly signal: AbortSignal;
  readonly keepAnsi: boolean;
  readonly log: Logger;
  /** Milliseconds between messages; absent: 100. */
  readonly intervalMs?: number;
  /** Milliseconds without a message until a heartbeat; absent: 15,000. */
  readonly heartbeatMs?: number;
  /** Initial time without messages, so that short calls send none, milliseconds. Absent: none. */
  readonly quietMs?: number;
}

/** A message shows at most this much of the newest output since the last one. */
const MESSAGE_BYTES = 4096;
const NEWLINE = 10;
const CARRIAGE_RETURN = 13;

interface Watched {
  readonly label: string;
  readonly recent: RingBuffer;
  readonly unsubscribe: Unsubscribe;
}

export class ProgressStream {
  readonly #options: ProgressOptions;
  readonly #watched: Watched[] = [];
  readonly #quietUntil: number;
  #sent = 0;
  #lastSentAt = 0;
  #lastSend: Promise<void> = Promise.resolve();
  #flushTimer: ReturnType<typeof setTimeout> | undefined;
  #heartbeatTimer: ReturnType<typeof setTimeout> | undefined;
  #closed = false;

  constructor(options: ProgressOptions) {
    this.#options = options;
    this.#quietUntil = performance.now() + (options.quietMs ?? 0);
    this.#restartHeartbeat();
  }

  /** Streams the output of `operation` from now on; `label` goes before each of its messages. */
  watch(operation: Operation, label: string): void {
    const recent = new RingBuffer(MESSAGE_BYTES);
    const unsubscribe = operation.watchOutput((chunk) => {
      recent.write(chunk);
      this.#scheduleFlush();
    });
    this.#watched.push({ label, recent, unsubscribe });
  }

  /** Stops; resolves when the last message is sent: pending output if none was sent and `quietMs` is absent. */
  close(): Promise<void> {
    if (this.#sent === 0 && this.#options.quietMs === undefined) this.#flush();
    this.#closed = true;
    clearTimeout(this.#flushTimer);
    clearTimeout(this.#heartbeatTimer);
    for (const watched of this.#watched) watched.unsubscribe();
    return this.#lastSend;
  }

  #scheduleFlush(): void {
    if (this.#closed || this.#flushTimer !== undefined) return;
    const next = Math.max(this.#lastSentAt + (this.#options.intervalMs ?? 100), this.#quietUntil);
    const wait = next - performance.now();
    this.#flushTimer = setTimeout(() => {
      this.#flushTimer = undefined;
      this.#flush();
    }, Math.max(0, wait));
  }

  #flush(): void {
    const texts: string[] = [];
    for (const { label, recent } of this.#watched) {
      const lines = takeWholeLines(recent);
      const text = cleanText(lines, { keepAnsi: this.#options.keepAnsi }).trimEnd();
      if (text !== "") texts.push(`${label}${text}`);
    }
    if (texts.length > 0) this.#send(texts.join("\n"));
  }

  #restartHeartbeat(): void {
    clearTimeout(this.#heartbeatTimer);
    this.#heartbeatTimer = setTimeout(
      () => this.#send(this.#options.heartbeat()),
      this.#options.heartbeatMs ?? 15_000,
    );
  }

  #send(message: string): void {
    if (this.#closed || this.#options.signal.aborted) return;
    this.#lastSentAt = performance.now();
    this.#restartHeartbeat();
    const sending = this.#options.send(++this.#sent, message).catch((thrown) => {
      this.#options.log.debug("Cannot send progress", { error: messageOf(thrown) });
    });
    const before = this.#lastSend;
    this.#lastSend = before.then(() => sending);
  }
}

/** What `recent` holds up to the end of its last line (or redrawn line); the rest stays in it. */
function takeWholeLines(recent: RingBuffer): Uint8Array {
  const bytes = recent.toBytes();
  const end = Math.max(bytes.lastIndexOf(NEWLINE), bytes.lastIndexOf(CARRIAGE_RETURN)) + 1;
  // If a line fills the buffer, the part in the buffer is shown.
  const cut = end === 0 && bytes.length === MESSAGE_BYTES ? bytes.length : end;
  if (cut === 0) return bytes.subarray(0, 0);
  recent.clear();
  recent.write(bytes.subarray(cut));
  // If lines were pushed out, the first one may be incomplete.
  const start = bytes.length === MESSAGE_BYTES ? bytes.indexOf(NEWLINE) + 1 : 0;
  return bytes.subarray(start < cut ? start : 0, cut);
}
