/** Requests of one client without an answer, each with the HTTP response that will carry it (H7). */
import { withTimeout } from "../../base/time.ts";
import type { WireId } from "../../wire/json_rpc_message.ts";
import type { AnswerForm } from "../../http/accept_header.ts";
import type { EventStream } from "../../http/event_stream.ts";

export interface OpenRequest {
  readonly id: WireId;
  /** The number of its stream. */
  readonly number: number;
  readonly form: AnswerForm;
  /** Gives the HTTP response; only the first counts. */
  readonly respond: (response: Response) => void;
  /** Until its stream begins without an answer; undefined: the response is JSON. */
  readonly timer: ReturnType<typeof setTimeout> | undefined;
  /** Undefined: the response is JSON, or has not begun. Closed: the client has left. */
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
    return [...this.#requests.values()].find((one) => one.number === number && one.form === "stream");
  }

  /** The oldest request whose stream is open, or can begin; undefined: none. */
  open(): OpenRequest | undefined {
    return this.#requests.values().find(({ form, stream }) => form === "stream" && stream?.isOpen !== false);
  }

  /** Removes a request that is answered or never will be. */
  forget({ id, timer }: OpenRequest): void {
    clearTimeout(timer);
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
