import type { StreamEvent } from "./event_stream.ts";

/** How much of what was sent is kept for clients that come back. */
export interface EventLogLimits {
  readonly events: number;
  /** Characters of all of them together. */
  readonly size: number;
}

const DEFAULT_LIMITS: EventLogLimits = { events: 1_000, size: 1024 * 1024 };

interface Kept extends StreamEvent {
  readonly stream: number;
  readonly number: number;
}

/**
 * What a session's streams have sent lately, for `Last-Event-ID` (H7). An id is `STREAM-NUMBER`: unique in the session,
 * and it names the one stream that may be replayed.
 */
export class EventLog {
  readonly #limits: EventLogLimits;
  #events: Kept[] = [];
  #size = 0;
  #last = 0;

  constructor(limits: EventLogLimits = DEFAULT_LIMITS) {
    this.#limits = limits;
  }

  /** Keeps one event of `stream` and gives it its id. The oldest go when there are too many; the newest stays. */
  add(stream: number, data: string): StreamEvent {
    const number = ++this.#last;
    const event = { stream, number, id: `${stream}-${number}`, data };
    this.#events.push(event);
    this.#size += data.length;
    this.#prune();
    return event;
  }

  /** The stream an id names and what it sent after it; undefined: no event has had this id. */
  after(id: string): { readonly stream: number; readonly events: readonly StreamEvent[] } | undefined {
    const parts = /^(\d{1,15})-(\d{1,15})$/.exec(id);
    if (parts === null) return undefined;
    const [stream, number] = [Number(parts[1]), Number(parts[2])];
    if (number < 1 || number > this.#last) return undefined;
    return { stream, events: this.#events.filter((event) => event.stream === stream && event.number > number) };
  }

  #prune(): void {
    const { events, size } = this.#limits;
    if (this.#events.length <= events && this.#size <= size) return;
    // An eighth more than is needed, so that a full log is not moved for every event.
    const fewest = Math.floor(events * 7 / 8);
    const smallest = Math.floor(size * 7 / 8);
    let gone = 0;
    while (gone < this.#events.length - 1 && (this.#events.length - gone > fewest || this.#size > smallest)) {
      this.#size -= this.#events[gone]?.data.length ?? 0;
      gone++;
    }
    this.#events = this.#events.slice(gone);
  }
}
