/** Requests to the client, under ids of the bridge's own, and their answers. */
import type { JSONRPCMessage } from "@modelcontextprotocol/server";

export type ClientAnswer =
  | { readonly result: Readonly<Record<string, unknown>> }
  | { readonly error: { readonly code: number; readonly message: string; readonly data?: unknown } };

const MOST_OPEN = 100;
const MOST_CHARACTERS = 16 * 1024 * 1024;
const NO_ANSWER = { error: { code: -32000, message: "The client did not answer" } } as const;

export class ClientRequests {
  readonly #send: (message: JSONRPCMessage) => void;
  readonly #open = new Map<number, (answer: ClientAnswer) => void>();
  #lastId = 0;
  /** Characters of the parameters of all that have no answer yet. */
  #characters = 0;

  constructor(send: (message: JSONRPCMessage) => void) {
    this.#send = send;
  }

  /** Whether so much waits for the client that no more should be asked. */
  get isFull(): boolean {
    return this.#open.size >= MOST_OPEN || this.#characters > MOST_CHARACTERS;
  }

  /** Asks; an error is an answer too, and so is silence for `timeoutMs` (absent: no limit) or until `close`. */
  async ask(
    method: string,
    params: Record<string, unknown> | undefined,
    timeoutMs?: number,
  ): Promise<ClientAnswer> {
    const id = ++this.#lastId;
    const { promise, resolve } = Promise.withResolvers<ClientAnswer>();
    const { length } = JSON.stringify(params ?? {});
    this.#open.set(id, resolve);
    this.#characters += length;
    const timer = timeoutMs === undefined ? undefined : setTimeout(() => resolve(NO_ANSWER), timeoutMs);
    this.#send({ jsonrpc: "2.0", id, method, ...params !== undefined && { params } });
    const answer = await promise;
    this.#open.delete(id);
    this.#characters -= length;
    clearTimeout(timer);
    return answer;
  }

  /** A response of the client; one to nothing that was asked is dropped. */
  answered(message: JSONRPCMessage): void {
    if (!("id" in message) || typeof message.id !== "number") return;
    const resolve = this.#open.get(message.id);
    if ("result" in message) resolve?.({ result: message.result });
    else if ("error" in message) resolve?.({ error: message.error });
  }

  /** Nobody will answer any more. */
  close(): void {
    for (const resolve of this.#open.values()) resolve(NO_ANSWER);
  }
}
