/** The requests of one session's client as calls of a server process: ids and tokens in, the client's own ones out. */
import type { JSONRPCMessage } from "@modelcontextprotocol/server";
import type { WireId } from "../service/wire_message.ts";
import type { ClientLink, ClientMessage } from "./backend.ts";
import type { Answer, Call } from "./pending_calls.ts";
import type { Subprocess } from "./subprocess.ts";

export interface ClientCallsOptions {
  readonly link: ClientLink;
  /** Milliseconds a request may take; undefined: no limit. */
  readonly timeoutMs: (method: string) => number | undefined;
  /** Sees each answer before the client does. */
  readonly onAnswer?: (request: ClientRequest, answer: Answer) => void;
}

export type ClientRequest = Extract<ClientMessage, { readonly kind: "request" }>;

export class ClientCalls {
  readonly #options: ClientCallsOptions;
  readonly #calls = new Map<WireId, Call>();

  constructor(options: ClientCallsOptions) {
    this.#options = options;
  }

  /** How many wait for their answer. */
  get size(): number {
    return this.#calls.size;
  }

  /** Calls `server`; the answer goes to the link under the client's id. */
  async make(request: ClientRequest, server: Subprocess): Promise<void> {
    const { link, timeoutMs, onAnswer } = this.#options;
    const { id, method, message } = request;
    const call = server.call({
      method,
      params: paramsOf(message),
      timeoutMs: timeoutMs(method),
      onProgress: (params) => link.send({ jsonrpc: "2.0", method: "notifications/progress", params }, id),
    });
    this.#calls.set(id, call);
    const answer = await call.answered;
    this.#calls.delete(id);
    onAnswer?.(request, answer);
    // Answers are what the server sent; the SDK's type of a result is looser than ours.
    link.send({ jsonrpc: "2.0", id, ...answer } as JSONRPCMessage);
  }

  /** The client has taken the request back: it gets no answer. */
  cancel(id: WireId, server: Subprocess, reason: string | undefined): void {
    const call = this.#calls.get(id);
    this.#calls.delete(id);
    if (call !== undefined) server.cancel(call, reason);
  }

  /** Resolves when none waits for its answer, or after `timeoutMs`. */
  async settled(timeoutMs: number): Promise<void> {
    if (this.#calls.size === 0) return;
    const late = Promise.withResolvers<void>();
    const timer = setTimeout(late.resolve, timeoutMs);
    await Promise.race([late.promise, Promise.all([...this.#calls.values()].map((call) => call.answered))]);
    clearTimeout(timer);
  }

  /** The client has left: takes everything back. */
  cancelAll(server: Subprocess): void {
    for (const id of [...this.#calls.keys()]) this.cancel(id, server, "The session ended");
  }
}

/** The parameters of a request or notification. */
export function paramsOf(message: JSONRPCMessage): Readonly<Record<string, unknown>> | undefined {
  return "method" in message ? message.params : undefined;
}

/** Why the client took a request back. */
export function cancelReason(message: JSONRPCMessage): string | undefined {
  const reason = paramsOf(message)?.["reason"];
  return typeof reason === "string" ? reason : undefined;
}
