/**
 * The requests that one server process has not answered, under ids and progress tokens of the bridge's own: those of
 * two clients may be equal, and a restarted process must not meet an old one.
 */
import type { JSONRPCMessage } from "@modelcontextprotocol/server";
import { builtinTraits } from "../catalog/format/builtin_traits.ts";

export type Answer =
  | { readonly result: Readonly<Record<string, unknown>> }
  | { readonly error: { readonly code: number; readonly message: string; readonly data?: unknown } };

export interface CallRequest {
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>> | undefined;
  /** Gets the parameters of each progress notification, the token being the one of `params`. */
  readonly onProgress?: (params: Readonly<Record<string, unknown>>) => void;
  /** Milliseconds, anew with each progress; absent or undefined: no limit (H10). */
  readonly timeoutMs?: number | undefined;
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
  readonly #onTimeout: (call: PendingCall) => void;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #sent = false;
  #answered = false;
  #late = false;

  constructor(id: number, request: CallRequest, onTimeout: (call: PendingCall) => void) {
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

  /** Whether its time was over before an answer came. */
  get isLate(): boolean {
    return this.#late;
  }

  /** The process has it now, and its time runs. */
  markSent(): void {
    this.#sent = true;
    this.restartTimer();
  }

  restartTimer(): void {
    clearTimeout(this.#timer);
    const { timeoutMs } = this.request;
    if (timeoutMs === undefined) return;
    this.#timer = setTimeout(() => {
      this.#late = true;
      this.#onTimeout(this);
    }, timeoutMs);
  }

  /** Only the first answer counts. */
  answer(answer: Answer): void {
    this.end();
    this.#resolve(answer);
  }

  /** No answer is wanted any more. */
  end(): void {
    this.#answered = true;
    clearTimeout(this.#timer);
  }
}

export class PendingCalls {
  readonly #calls = new Map<number, PendingCall>();
  readonly #onTimeout: (call: PendingCall) => void;
  #lastId = 0;

  /** `onTimeout` hears of each call whose time is over; it is answered already. */
  constructor(onTimeout: (call: PendingCall) => void) {
    this.#onTimeout = onTimeout;
  }

  get size(): number {
    return this.#calls.size;
  }

  add(request: CallRequest): PendingCall {
    const call = new PendingCall(++this.#lastId, request, (late) => {
      this.#calls.delete(late.id);
      late.answer(timeoutAnswer(late));
      this.#onTimeout(late);
    });
    this.#calls.set(call.id, call);
    return call;
  }

  /** Forgets a call that was taken back. */
  remove(call: PendingCall): void {
    this.#calls.delete(call.id);
    call.end();
  }

  /** An answer of the process; one to nothing that is pending is dropped. */
  answer(message: JSONRPCMessage): void {
    if (!("id" in message) || typeof message.id !== "number") return;
    const call = this.#calls.get(message.id);
    this.#calls.delete(message.id);
    if ("result" in message) call?.answer({ result: message.result });
    else if ("error" in message) call?.answer({ error: message.error });
  }

  /** Whether the notification is progress of a pending call; it then went to whoever made the call and asked for it. */
  progress(message: JSONRPCMessage): boolean {
    if (!("method" in message) || message.method !== "notifications/progress") return false;
    const token = message.params?.["progressToken"];
    const call = typeof token === "number" ? this.#calls.get(token) : undefined;
    const asked = call?.request.params?.["_meta"];
    if (call === undefined) return false;
    // One that asked for no progress has no token to give it under.
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

/** For a call whose process ended while it worked on it (H6). */
export function lostAnswer({ request }: PendingCall, how: string): Answer {
  const safe = SAFE_METHODS.test(request.method) ||
    (request.method === "tools/call" && builtinTraits(String(request.params?.["name"]))?.readOnly === true);
  const advice = safe
    ? "It changes nothing, so sending it again is safe."
    : "What it had started was ended with the process; it may have taken effect in part, so look before you repeat it.";
  return {
    error: {
      code: CONNECTION_LOST,
      message: `The server process ended while this request ran: ${how} It is being restarted. ${advice}`,
      data: { reason: "server_process_ended", retry: safe ? "safe" : "unsafe" },
    },
  };
}

/** For a call that never reached a process. */
export function refusedAnswer(why: string): Answer {
  return { error: { code: CONNECTION_LOST, message: why, data: { reason: "not_served", retry: "safe" } } };
}

function timeoutAnswer({ request: { timeoutMs, method } }: PendingCall): Answer {
  const message = `The server did not answer ${method} within ${(timeoutMs ?? 0) / 1000} s; see --request-timeout`;
  return { error: { code: REQUEST_TIMEOUT, message, data: { reason: "timeout" } } };
}

/** The same parameters with the call's id for a token, where there is one. */
function withToken(params: CallRequest["params"], id: number): CallRequest["params"] {
  const meta = params?.["_meta"];
  if (!isObject(meta) || meta["progressToken"] === undefined) return params;
  return { ...params, _meta: { ...meta, progressToken: id } };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
