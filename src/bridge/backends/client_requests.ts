/** Requests of the server to the client (bridge → client), under ids of the bridge, and their answers. */
import type { JSONRPCMessage } from "@modelcontextprotocol/server";
import { type Answer, answerIn } from "../../child_server/pending_calls.ts";

const MOST_OPEN = 100;
const MOST_CHARACTERS = 16 * 1024 * 1024;
const NO_ANSWER = { error: { code: -32000, message: "The client did not answer" } } as const;

export class ClientRequests {
  readonly #send: (message: JSONRPCMessage) => void;
  readonly #open = new Map<number, (answer: Answer) => void>();
  #lastId = 0;
  /** Characters in the parameters of all open requests. */
  #characters = 0;

  constructor(send: (message: JSONRPCMessage) => void) {
    this.#send = send;
  }

  /** Whether too many requests already wait for the client. */
  get isFull(): boolean {
    return this.#open.size >= MOST_OPEN || this.#characters > MOST_CHARACTERS;
  }

  /** Sends a request; an error is the answer after `timeoutMs` (absent: no limit) or `close`. */
  async ask(
    method: string,
    params: Record<string, unknown> | undefined,
    timeoutMs?: number,
  ): Promise<Answer> {
    const id = ++this.#lastId;
    const { promise, resolve } = Promise.withResolvers<Answer>();
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

  /** Takes a response of the client; a response to no open request is dropped. */
  answered(message: JSONRPCMessage): void {
    if (!("id" in message) || typeof message.id !== "number") return;
    const answer = answerIn(message);
    if (answer !== undefined) this.#open.get(message.id)?.(answer);
  }

  /** Answers every open request with an error. */
  close(): void {
    for (const resolve of this.#open.values()) resolve(NO_ANSWER);
  }
}
