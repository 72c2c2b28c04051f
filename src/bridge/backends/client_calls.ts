/** Requests of a client to a child server, and answers and progress back under the client's ids. */
import { withTimeout } from "../../base/time.ts";
import { type InitializeRequest, type JSONRPCMessage, SUPPORTED_PROTOCOL_VERSIONS } from "@modelcontextprotocol/server";
import { VERSION } from "../../base/version.ts";
import { member } from "../../wire/json_value.ts";
import type { WireId } from "../../wire/json_rpc_message.ts";
import type { ClientLink, ClientMessage } from "../session/backend.ts";
import type { Answer, PendingCall, TimeLimit } from "../../child_server/pending_calls.ts";
import type { Supervisor, SupervisorOptions } from "../../child_server/supervisor.ts";

/** The parts for serving through child servers, shared or not. */
export interface ChildServerOptions extends Pick<SupervisorOptions, "handshakeTimeout" | "onErrorLine" | "log"> {
  readonly requestTimeout: (method: string) => TimeLimit | undefined;
  readonly graceMs: number;
}

interface ClientCallsOptions {
  readonly link: ClientLink;
  /** The time that a request may take; undefined: no limit. */
  readonly timeout: (method: string) => TimeLimit | undefined;
  /** Receives each answer before the client does. */
  readonly onAnswer?: (request: ClientCall, answer: Answer) => void;
}

/** Answered calls whose progress is still forwarded; the oldest are dropped first. */
const MOST_LATE = 1_000;

export type ClientCall = Extract<ClientMessage, { readonly kind: "request" }>;

export class ClientCalls {
  readonly #options: ClientCallsOptions;
  readonly #calls = new Map<WireId, PendingCall>();
  /** Progress tokens of the client by the ids of answered calls, whose work may continue, as that of a task. */
  readonly #tokens = new Map<number, unknown>();

  constructor(options: ClientCallsOptions) {
    this.#options = options;
  }

  /** Number of calls without an answer. */
  get size(): number {
    return this.#calls.size;
  }

  /** Calls `server`; the answer goes to the link under the client's id. */
  async make(request: ClientCall, server: Supervisor): Promise<void> {
    const { link, timeout, onAnswer } = this.#options;
    const { id, method, message } = request;
    const call = server.call({
      method,
      params: paramsOf(message),
      timeout: timeout(method),
      onProgress: (params) => link.send({ jsonrpc: "2.0", method: PROGRESS, params }, id),
    });
    this.#calls.set(id, call);
    const answer = await call.answered;
    this.#calls.delete(id);
    if ("result" in answer) this.#keepToken(call);
    onAnswer?.(request, answer);
    // The answer is what the server sent; the SDK's type of a result is looser than ours.
    link.send({ jsonrpc: "2.0", id, ...answer } as JSONRPCMessage);
  }

  /** Passes on progress of an answered call; false: the call is not one of this client. */
  lateProgress(message: JSONRPCMessage): boolean {
    const params = paramsOf(message);
    const id = params?.["progressToken"];
    if (typeof id !== "number" || !this.#tokens.has(id)) return false;
    const { link } = this.#options;
    const progressToken = this.#tokens.get(id);
    link.send({ jsonrpc: "2.0", method: PROGRESS, params: { ...params, progressToken } });
    link.used();
    return true;
  }

  #keepToken({ id, request }: PendingCall): void {
    const token = member(request.params?.["_meta"], "progressToken");
    if (token === undefined) return;
    this.#tokens.set(id, token);
    const [oldest] = this.#tokens.keys();
    if (this.#tokens.size > MOST_LATE && oldest !== undefined) this.#tokens.delete(oldest);
  }

  /** Cancels a request of the client, which gets no answer. */
  cancel(id: WireId, server: Supervisor, reason: string | undefined): void {
    const call = this.#calls.get(id);
    this.#calls.delete(id);
    if (call !== undefined) server.cancel(call, reason);
  }

  /** Resolves when every call is answered, or after `timeoutMs`. */
  async settled(timeoutMs: number): Promise<void> {
    if (this.#calls.size === 0) return;
    await withTimeout(Promise.all([...this.#calls.values()].map((call) => call.answered)), timeoutMs);
  }

  /** Cancels every call, because the client has left. */
  cancelAll(server: Supervisor): void {
    for (const id of [...this.#calls.keys()]) this.cancel(id, server, "The session ended");
  }
}

/** The method of progress notifications. */
export const PROGRESS = "notifications/progress";

/** The parameters of a request or notification. */
export function paramsOf(message: JSONRPCMessage): Readonly<Record<string, unknown>> | undefined {
  return "method" in message ? message.params : undefined;
}

/** The reason that a cancellation names; undefined: none. */
export function cancelReason(message: JSONRPCMessage): string | undefined {
  const reason = paramsOf(message)?.["reason"];
  return typeof reason === "string" ? reason : undefined;
}

/** The unchanged answer of a server to `initialize`. */
export type InitializeAnswer = Readonly<Record<string, unknown>>;

/** The newest version with sessions. */
const NEWEST_VERSION = "2025-11-25";

/** The parameters of `initialize` where the bridge is the client itself. */
export const OWN_INITIALIZE = {
  protocolVersion: NEWEST_VERSION,
  capabilities: {},
  clientInfo: { name: "ahma_mcp", version: VERSION },
} as const;

/** The version for a client that asks for `wanted`, where the server speaks `spoken`: never an error (5.13, 12). */
function versionFor(wanted: string, spoken: unknown): string {
  const newest = typeof spoken === "string" ? spoken : NEWEST_VERSION;
  return SUPPORTED_PROTOCOL_VERSIONS.includes(wanted) && wanted <= newest ? wanted : newest;
}

/** A server's answer, for a client that asks for another version. */
export function answerFor(
  { protocolVersion }: InitializeRequest["params"],
  answer: InitializeAnswer,
): InitializeAnswer {
  return { ...answer, protocolVersion: versionFor(protocolVersion, answer["protocolVersion"]) };
}
