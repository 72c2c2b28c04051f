/**
 * One response of server-sent events (H7). The client leaves by closing its connection, which cancels the body at once;
 * the request's own signal is never touched (under this runtime it tells nothing before a response is there).
 */
import { encodeText } from "../../base/text.ts";

/** One event; `id` is what `Last-Event-ID` will name. */
export interface StreamEvent {
  readonly id: string;
  /** JSON on one line; empty: the event only tells its id. */
  readonly data: string;
}

interface EventStreamOptions {
  /** Milliseconds of silence until a comment keeps the connection alive. */
  readonly keepAliveMs: number;
  /** The client has closed its connection. Not called after `close`. */
  readonly onGone: () => void;
}

const KEEP_ALIVE = encodeText(": keep-alive\n\n");
/** Sends the head of the response on its way before there is an event. */
const OPENING = encodeText(": open\n\n");

export class EventStream {
  readonly body: ReadableStream<Uint8Array>;
  readonly #controller: ReadableStreamDefaultController<Uint8Array>;
  readonly #timer: ReturnType<typeof setInterval>;
  #open = true;

  constructor({ keepAliveMs, onGone }: EventStreamOptions) {
    let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
    this.body = new ReadableStream<Uint8Array>({
      start: (one) => {
        controller = one;
      },
      cancel: () => {
        if (this.#end()) onGone();
      },
    }, new ByteLengthQueuingStrategy({ highWaterMark: 0 }));
    if (controller === undefined) throw new Error("A stream starts when it is made");
    this.#controller = controller;
    this.#timer = setInterval(() => this.#enqueue(KEEP_ALIVE), keepAliveMs);
    this.#enqueue(OPENING);
  }

  /** Whether the client is still there, and the stream not closed. */
  get isOpen(): boolean {
    return this.#open;
  }

  /** Bytes the client has not taken yet. */
  get backlog(): number {
    return this.#open ? -(this.#controller.desiredSize ?? 0) : 0;
  }

  /** Sends one event; nothing when the stream is over. */
  write({ id, data }: StreamEvent): void {
    this.#enqueue(encodeText(`event: message\nid: ${id}\ndata: ${data}\n\n`));
  }

  /** Sends what has no place among the events that may be replayed: `Last-Event-ID` never names it. */
  writeOnce(data: string): void {
    this.#enqueue(encodeText(`event: message\ndata: ${data}\n\n`));
  }

  /** Sends a line that programs pass over and people see. */
  comment(text: string): void {
    this.#enqueue(encodeText(`: ${text}\n\n`));
  }

  /** Ends the response after what was written. */
  close(): void {
    if (this.#end()) this.#controller.close();
  }

  #enqueue(bytes: Uint8Array): void {
    if (this.#open) this.#controller.enqueue(bytes);
  }

  #end(): boolean {
    if (!this.#open) return false;
    this.#open = false;
    clearInterval(this.#timer);
    return true;
  }
}

/** Headers of a response that is a stream of events. */
export const EVENT_STREAM_HEADERS: Readonly<Record<string, string>> = {
  "Content-Type": "text/event-stream",
  "Cache-Control": "no-cache, no-transform",
  "X-Accel-Buffering": "no",
};
