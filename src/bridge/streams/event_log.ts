/** Recent events of a session for `Last-Event-ID` (H7), `STREAM-NUMBER`; dropped ones are remembered as missing. */
import type { WireId } from "../../wire/json_rpc_message.ts";
import type { StreamEvent } from "../../http/event_stream.ts";
import type { JSONRPCMessage } from "@modelcontextprotocol/server";
import { BAD_REQUEST, type Refusal, refuse } from "../../http/refusal.ts";

/** Events that are kept for clients that reconnect, and characters of all of them. */
const MOST_EVENTS = 1_000;
const MOST_CHARACTERS = 1024 * 1024;
/** Streams whose missing events are remembered. */
const MOST_GAPS = 1_000;

/** The loss when an event is dropped: nothing (the next event says the same), a message, or an answer. */
export type Loss = "nothing" | "message" | { readonly answerTo: WireId };

/** The messages missing from a replay; "unknown": perhaps some, because the stream ended too long ago. */
export type Missing = Exclude<Loss, "nothing"> | "unknown";

export interface Replay {
  readonly stream: number;
  /** The events of the stream after the named one, as far as they are kept. */
  readonly events: readonly StreamEvent[];
  readonly missing: Missing | undefined;
}

interface Kept extends StreamEvent {
  readonly stream: number;
  readonly number: number;
  readonly loss: Loss;
}

interface Gap {
  /** The last dropped event whose loss matters. */
  readonly number: number;
  readonly loss: Exclude<Loss, "nothing">;
}

export class EventLog {
  #events: Kept[] = [];
  #size = 0;
  #last = 0;
  /** Gaps by stream, the newest last. */
  readonly #gaps = new Map<number, Gap>();
  /** Gaps up to this event may have been dropped. */
  #forgotten = 0;

  /** Keeps one event of `stream` and returns its id. Drops the oldest beyond the limits, never the newest. */
  add(stream: number, data: string, loss: Loss): StreamEvent {
    const number = ++this.#last;
    const event = { stream, number, id: `${stream}-${number}`, data, loss };
    this.#events.push(event);
    this.#size += data.length;
    this.#prune();
    return event;
  }

  /** The events after the one with this id, of the same stream; undefined: no event has had this id. */
  after(id: string): Replay | undefined {
    const parts = /^(\d{1,15})-(\d{1,15})$/.exec(id);
    if (parts === null) return undefined;
    const [stream, number] = [Number(parts[1]), Number(parts[2])];
    if (number < 1 || number > this.#last) return undefined;
    const events = this.#events.filter((event) => event.stream === stream && event.number > number);
    return { stream, events, missing: this.#missingAfter(stream, number) };
  }

  #missingAfter(stream: number, number: number): Missing | undefined {
    const gap = this.#gaps.get(stream);
    if (gap !== undefined) return gap.number > number ? gap.loss : undefined;
    return number < this.#forgotten ? "unknown" : undefined;
  }

  #prune(): void {
    if (this.#events.length <= MOST_EVENTS && this.#size <= MOST_CHARACTERS) return;
    // Drops an eighth more than needed, so that a full log is not moved for every event.
    const fewest = MOST_EVENTS * 7 / 8;
    const smallest = MOST_CHARACTERS * 7 / 8;
    let gone = 0;
    while (gone < this.#events.length - 1 && (this.#events.length - gone > fewest || this.#size > smallest)) {
      this.#size -= this.#events[gone]?.data.length ?? 0;
      this.#noteGap(this.#events[gone]);
      gone++;
    }
    this.#events = this.#events.slice(gone);
  }

  #noteGap(event: Kept | undefined): void {
    if (event === undefined || event.loss === "nothing") return;
    const { stream, number, loss } = event;
    this.#gaps.delete(stream);
    this.#gaps.set(stream, { number, loss });
    const [oldest] = this.#gaps;
    if (this.#gaps.size <= MOST_GAPS || oldest === undefined) return;
    this.#gaps.delete(oldest[0]);
    this.#forgotten = oldest[1].number;
  }
}

const NOT_KEPT = "Some earlier messages of this stream are no longer kept: read again what you rely on";

/** The first message of a resumed stream, or an error for a dropped answer; undefined: none is wanted. */
export function missingMessage(missing: Missing, takesWarnings: boolean): JSONRPCMessage | undefined {
  if (typeof missing === "object") {
    const message =
      "The answer to this request was sent and is no longer kept. The work was done: check before you repeat it";
    return { jsonrpc: "2.0", id: missing.answerTo, error: { code: BAD_REQUEST, message, data: ANSWER_LOST } };
  }
  if (!takesWarnings) return undefined;
  return {
    jsonrpc: "2.0",
    method: "notifications/message",
    params: { level: "warning", logger: "ahma", data: NOT_KEPT },
  };
}

/** The same as a comment, for a person who reads the stream. */
export const MISSING_COMMENT = NOT_KEPT;

const ANSWER_LOST = { reason: "answer_not_kept", retry: "unsafe" };

/** The refusal for a stream that ended too long ago to be known. */
export function forgottenStream(lastEventId: string): Refusal {
  return refuse(400, `Bad request: the stream of the event "${lastEventId}" ended long ago, and nothing of it is kept`);
}

/** The refusal for an event that was never sent. */
export function noSuchEvent(lastEventId: string): Refusal {
  return refuse(400, `Bad request: no event of this session has the id "${lastEventId.slice(0, 40)}"`);
}
