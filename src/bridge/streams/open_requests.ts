/** Requests of one client without an answer, each with the HTTP response that will carry it (H7). */
import { withTimeout } from "../../base/time.ts";
import type { WireId } from "../../wire/json_rpc_message.ts";
import type { EventStream } from "../../http/event_stream.ts";

export interface OpenRequest {
  readonly id: WireId;
  /** The number of its stream. */
  readonly number: number;
  /** Sends the JSON response; undefined: the response is a stream. */
  readonly json: ((response: Response) => void) | undefined;
  /** Undefined: the response is JSON. Closed: the client has left. */
  stream: EventStream | undefined;
}

export class OpenRequests {
  readonly #requests = new Map<WireId, OpenRequest>();
  #onNone: (() => void) | undefined;

  get size(): number {
    return this.#requests.size;
  }

  /** All ids, the oldest request first. */
  get ids(): readonly WireId[] {
    return [...this.#requests.keys()];
  }

  /** The id must not be in use. */
  add(request: OpenRequest): void {
    this.#requests.set(request.id, request);
  }

  get(id: WireId): OpenRequest | undefined {
    return this.#requests.get(id);
  }

  /** The request whose stream has this number. */
  streamed(number: number): OpenRequest | undefined {
    return [...this.#requests.values()].find((one) => one.number === number && one.json === undefined);
  }

  /** The oldest open stream; undefined: none. */
  open(): readonly [number, EventStream] | undefined {
    for (const { number, stream } of this.#requests.values()) {
      if (stream?.isOpen) return [number, stream];
    }
    return undefined;
  }

  /** Removes a request that is answered or never will be. */
  forget({ id }: OpenRequest): void {
    this.#requests.delete(id);
    if (this.#requests.size === 0) this.#onNone?.();
  }

  /** Resolves when there is no request, or after `timeoutMs`. */
  async whenNone(timeoutMs: number): Promise<void> {
    if (this.#requests.size === 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#onNone = resolve;
    await withTimeout(promise, timeoutMs);
  }
}
