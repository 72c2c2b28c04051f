/** The requests of one client that have no answer yet, each with the response that will carry it (H7). */
import type { WireId } from "../../wire/json_rpc_message.ts";
import type { EventStream } from "./event_stream.ts";

export interface Exchange {
  readonly id: WireId;
  /** Of its events. */
  readonly number: number;
  /** Undefined: a stream. */
  readonly json: ((response: Response) => void) | undefined;
  /** Undefined: JSON, or the client has left the stream. */
  stream: EventStream | undefined;
}

export class Exchanges {
  readonly #exchanges = new Map<WireId, Exchange>();
  #onNone: (() => void) | undefined;

  get size(): number {
    return this.#exchanges.size;
  }

  /** The ids of all, the oldest request first. */
  get ids(): readonly WireId[] {
    return [...this.#exchanges.keys()];
  }

  /** The id must not be in use. */
  add(exchange: Exchange): void {
    this.#exchanges.set(exchange.id, exchange);
  }

  get(id: WireId): Exchange | undefined {
    return this.#exchanges.get(id);
  }

  /** The one whose stream has this number. */
  streamed(number: number): Exchange | undefined {
    return [...this.#exchanges.values()].find((one) => one.number === number && one.json === undefined);
  }

  /** The oldest that has an open stream. */
  open(): readonly [number, EventStream] | undefined {
    for (const { number, stream } of this.#exchanges.values()) {
      if (stream?.isOpen) return [number, stream];
    }
    return undefined;
  }

  /** It is answered, or will not be. */
  forget({ id }: Exchange): void {
    this.#exchanges.delete(id);
    if (this.#exchanges.size === 0) this.#onNone?.();
  }

  /** Resolves when there is none, or after `timeoutMs`. */
  async whenNone(timeoutMs: number): Promise<void> {
    if (this.#exchanges.size === 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, timeoutMs);
    this.#onNone = resolve;
    await promise;
    clearTimeout(timer);
  }
}
