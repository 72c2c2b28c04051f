/**
 * The requests that a child server has not answered, under ids and progress tokens of our own: those of two clients may
 * be equal, and a restarted process must not see an old one.
 */
import type { JSONRPCMessage } from "@modelcontextprotocol/server";
import { isObject } from "../wire/json_value.ts";

export type Answer =
  | { readonly result: Readonly<Record<string, unknown>> }
  | { readonly error: { readonly code: number; readonly message: string; readonly data?: unknown } };

/** A limit of time, and the flag that changes it, as errors name it. */
export interface TimeLimit {
  readonly ms: number;
  readonly setting: string;
}

export interface CallRequest {
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>> | undefined;
  /** Gets the parameters of each progress notification, the token being the one of `params`. */
  readonly onProgress?: (params: Readonly<Record<string, unknown>>) => void;
  /** Restarts with each progress; absent or undefined: no limit (H10). */
  readonly timeout?: TimeLimit | undefined;
}

const REQUEST_TIMEOUT = -32001;
const CONNECTION_LOST = -32000;
/** Methods that change nothing. */
const SAFE_METHODS =
  /^(ping|initialize|completion\/complete|(tools|resources|resources\/templates|prompts)\/(list|get|read))$/;

export class PendingCall {
  readonly id: number;
  readonly message: JSONRPCMessage;
  readonly answered: Promise<Answer>;
  readonly request: CallRequest;
  readonly #resolve: (answer: Answer) => void;
  readonly #onTimeout: (limit: TimeLimit) => void;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #sent = false;
  #answered = false;
  #late = false;

  constructor(id: number, request: CallRequest, onTimeout: (limit: TimeLimit) => void) {
    this.id = id;
    this.request = request;
    this.#onTimeout = onTimeout;
    const params = withToken(request.params, id);
    this.message = { jsonrpc: "2.0", id, method: request.method, ...params !== undefined && { params } };
    const { promise, resolve } = Promise.withResolvers<Answer>();
    this.answered = promise;
    this.#resolve = resolve;
  }

  get isSent(): boolean {
    return this.#sent;
  }

  get isAnswered(): boolean {
    return this.#answered;
  }

  /** Whether its time was over before the answer came. */
  get isLate(): boolean {
    return this.#late;
  }

  /** Notes that the process has it; its time begins. */
  markSent(): void {
    this.#sent = true;
    this.restartTimer();
  }

  restartTimer(): void {
    clearTimeout(this.#timer);
    const { timeout } = this.request;
    if (timeout === undefined) return;
    this.#timer = setTimeout(() => {
      this.#late = true;
      this.#onTimeout(timeout);
    }, timeout.ms);
  }

  /** Gives it its answer; only the first counts. */
  answer(answer: Answer): void {
    this.end();
    this.#resolve(answer);
  }

  /** Stops its timer: no answer is wanted now. */
  end(): void {
    this.#answered = true;
    clearTimeout(this.#timer);
  }
}

export class PendingCalls {
  readonly #calls = new Map<number, PendingCall>();
  readonly #onTimeout: (call: PendingCall) => void;
  #lastId = 0;

  /** `onTimeout` receives each call whose time is over; it is answered already. */
  constructor(onTimeout: (call: PendingCall) => void) {
    this.#onTimeout = onTimeout;
  }

  add(request: CallRequest): PendingCall {
    const call: PendingCall = new PendingCall(++this.#lastId, request, (limit) => {
      this.#calls.delete(call.id);
      call.answer(timeoutAnswer(request, limit));
      this.#onTimeout(call);
    });
    this.#calls.set(call.id, call);
    return call;
  }

  /** Removes a call that was taken back. */
  remove(call: PendingCall): void {
    this.#calls.delete(call.id);
    call.end();
  }

  /** Takes an answer of the process; an answer to no pending call is dropped. */
  answer(message: JSONRPCMessage): void {
    if (!("id" in message) || typeof message.id !== "number") return;
    const answer = answerIn(message);
    if (answer !== undefined) this.#calls.get(message.id)?.answer(answer);
    this.#calls.delete(message.id);
  }

  /** Whether the notification is progress of a pending call; the caller has received it, if it asked for progress. */
  progress(message: JSONRPCMessage): boolean {
    if (!("method" in message) || message.method !== "notifications/progress") return false;
    const token = message.params?.["progressToken"];
    const call = typeof token === "number" ? this.#calls.get(token) : undefined;
    const asked = call?.request.params?.["_meta"];
    if (call === undefined) return false;
    // A caller that asked for no progress has no token.
    if (!isObject(asked) || asked["progressToken"] === undefined) return true;
    call.restartTimer();
    call.request.onProgress?.({ ...message.params, progressToken: asked["progressToken"] });
    return true;
  }

  /** Answers every call for which `answerOf` has one. */
  answerAll(answerOf: (call: PendingCall) => Answer | undefined): void {
    for (const call of [...this.#calls.values()]) {
      const answer = answerOf(call);
      if (answer === undefined) continue;
      this.#calls.delete(call.id);
      call.answer(answer);
    }
  }
}

/** The answer that a response is; undefined: the message is not a response. */
export function answerIn(message: JSONRPCMessage): Answer | undefined {
  if ("result" in message) return { result: message.result };
  return "error" in message ? { error: message.error } : undefined;
}

/** The answer to a call whose process ended while it worked on it (H6). */
export function lostAnswer(
  { method, params }: CallRequest,
  how: string,
  isReadOnlyTool: (name: string) => boolean,
): Answer {
  const safe = SAFE_METHODS.test(method) || method === "tools/call" && isReadOnlyTool(String(params?.["name"]));
  const advice = safe
    ? "It changes nothing, so repeating it is safe."
    : "What it had started ended with the process and may have taken effect in part: check before you repeat it.";
  return {
    error: {
      code: CONNECTION_LOST,
      message: `The server process ended while this request ran: ${how} It is being restarted. ${advice}`,
      data: { reason: "server_process_ended", retry: safe ? "safe" : "unsafe" },
    },
  };
}

/** The answer to a call that reached no process. */
export function refusedAnswer(why: string): Answer {
  return { error: { code: CONNECTION_LOST, message: why, data: { reason: "not_served", retry: "safe" } } };
}

function timeoutAnswer({ method }: CallRequest, { ms, setting }: TimeLimit): Answer {
  const message = `The server did not answer ${method} within ${ms / 1000} s; see ${setting}`;
  return { error: { code: REQUEST_TIMEOUT, message, data: { reason: "timeout" } } };
}

/** The same parameters with the call's id as progress token, if they have one. */
function withToken(params: CallRequest["params"], id: number): CallRequest["params"] {
  const meta = params?.["_meta"];
  if (!isObject(meta) || meta["progressToken"] === undefined) return params;
  return { ...params, _meta: { ...meta, progressToken: id } };
}
