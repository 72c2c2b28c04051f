/**
 * One response of server-sent events (H7). A client that closes its connection cancels the body at once. The request's
 * signal is not used: in this runtime it fires only after a response.
 */
import { encodedParts, encodeText } from "../base/text.ts";

/** One event; `Last-Event-ID` names its `id`. */
export interface StreamEvent {
  readonly id: string;
  /** JSON on one line; empty: the event only has an id. */
  readonly data: string;
}

interface EventStreamOptions {
  /** Silence after which a comment keeps the connection alive, milliseconds. */
  readonly keepAliveMs: number;
  /** The client has closed its connection. Not called after `close`. */
  readonly onGone: () => void;
}

/** Characters of data converted to bytes at once. */
const SHORT = 64 * 1024;
const END = "\n\n";
/**
 * Time that the head of a response waits for the answer or another event, milliseconds. A longer wait would hide that
 * the client has left.
 */
export const HEAD_MS = 50;
const KEEP_ALIVE = encodeText(": keep-alive\n\n");
/** Sends the head of the response before the first event. */
const OPENING = encodeText(": open\n\n");

export class EventStream {
  readonly body: ReadableStream<Uint8Array>;
  readonly #controller: ReadableStreamDefaultController<Uint8Array>;
  readonly #timer: ReturnType<typeof setInterval>;
  #open = true;
  /** Undefined: nothing waits for the client to read. */
  #room: PromiseWithResolvers<void> | undefined;

  constructor({ keepAliveMs, onGone }: EventStreamOptions) {
    let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
    this.body = new ReadableStream<Uint8Array>({
      start: (one) => {
        controller = one;
      },
      pull: () => this.#hasRoom(),
      cancel: () => {
        if (this.#end()) onGone();
      },
    }, new ByteLengthQueuingStrategy({ highWaterMark: 0 }));
    if (controller === undefined) throw new Error("A stream starts when it is made");
    this.#controller = controller;
    this.#timer = setInterval(() => this.#enqueue(KEEP_ALIVE), keepAliveMs);
    this.#enqueue(OPENING);
  }

  /** Whether the client is connected and the stream not closed. */
  get isOpen(): boolean {
    return this.#open;
  }

  /** Settles when the client has read everything, or is gone. */
  async drained(): Promise<void> {
    if (this.backlog === 0) return;
    this.#room ??= Promise.withResolvers();
    await this.#room.promise;
  }

  /** Bytes that the client has not read. */
  get backlog(): number {
    return this.#open ? -(this.#controller.desiredSize ?? 0) : 0;
  }

  /** Sends one event; does nothing when the stream is closed. */
  write(event: StreamEvent): void {
    if (event.data.length <= SHORT) return this.#enqueue(encodeText(eventText(event)));
    for (const text of [headOf(event), event.data, END]) {
      for (const part of encodedParts(text)) this.#enqueue(part.slice());
    }
  }

  /** Sends data without an id, which `Last-Event-ID` cannot name. */
  writeOnce(data: string): void {
    this.#enqueue(encodeText(`event: message\ndata: ${data}\n\n`));
  }

  /** Sends a comment, which programs ignore. */
  comment(text: string): void {
    this.#enqueue(encodeText(`: ${text}\n\n`));
  }

  /** Ends the response after the written events. */
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
    this.#hasRoom();
    return true;
  }

  #hasRoom(): void {
    this.#room?.resolve();
    this.#room = undefined;
  }
}

/** One event as text. */
export function eventText(event: StreamEvent): string {
  return headOf(event) + event.data + END;
}

function headOf({ id }: StreamEvent): string {
  return `event: message\nid: ${id}\ndata: `;
}

/** Headers of a response that is a stream of events. */
export const EVENT_STREAM_HEADERS: Readonly<Record<string, string>> = {
  "Content-Type": "text/event-stream",
  "Cache-Control": "no-cache, no-transform",
  "X-Accel-Buffering": "no",
};
