/**
 * One session over HTTP (versions up to 2025-11-25): the client's streams on one side, the backend on the other. It
 * opens with `initialize` and ends once: by DELETE, by its backend, because it is idle, or with the server.
 */
import { type InitializeRequest, isJSONRPCResultResponse, type JSONRPCMessage } from "@modelcontextprotocol/server";
import { messageOf } from "../../base/errors.ts";
import type { Logger } from "../../base/log.ts";
import { INVALID_REQUEST, takesBatches } from "../../wire/json_rpc_message.ts";
import type { Backend, ClientLink, ClientMessage, OpenBackend } from "./backend.ts";
import { SessionStreams } from "../streams/session_streams.ts";
import type { AnswerForm } from "../../http/accept_header.ts";
import { type Refusal, refuse, SESSION_NOT_FOUND } from "../../http/refusal.ts";
import { member } from "../../wire/json_value.ts";

export const SESSION_HEADER = "Mcp-Session-Id";

/** Since this version a stream begins with an event that only has an id. */
const FIRST_WITH_PRIMING = "2025-11-25";

/** Time for the last answers, which follow the end of their operations at once; a guard against a bug. */
const LAST_ANSWERS_MS = 2_000;

/** Shows the traffic of the server on a terminal (H9). */
export interface Echo {
  /** Shows a message to the server; `session` is the id, of which the beginning is shown. */
  in(session: string, message: unknown): void;
  /** Shows a message of the server. */
  out(session: string, message: JSONRPCMessage): void;
  /** Shows a part of a stream of events to a client. */
  events(session: string, chunk: Uint8Array): void;
  /** Shows a line of a server's stderr. */
  error(session: string, line: string): void;
}

export interface SessionOptions {
  readonly open: OpenBackend;
  /** The parameters of its `initialize`. */
  readonly client: InitializeRequest["params"];
  readonly keepAliveMs: number;
  /** Undefined: nothing is shown. */
  readonly echo: Echo | undefined;
  /** Called once, when the session begins to end; `ended` resolves when nothing of it runs any more. */
  readonly onEnd: (session: HttpSession, ended: Promise<void>) => void;
  readonly log: Logger;
}

export class HttpSession {
  /** UUID version 4 (H4). */
  readonly id = crypto.randomUUID();
  readonly #options: SessionOptions;
  readonly #streams: SessionStreams;
  readonly #logging = new ClientLogging();
  readonly #backend: Backend;
  #ended: Promise<void> | undefined;
  /** HTTP requests that are being served, without streams. */
  #serving = 0;
  #lastUse = performance.now();

  constructor(options: SessionOptions) {
    this.#options = options;
    this.#streams = new SessionStreams({
      headers: { [SESSION_HEADER]: this.id },
      keepAliveMs: options.keepAliveMs,
      primes: options.client.protocolVersion >= FIRST_WITH_PRIMING,
      takesWarnings: () => this.#logging.takesWarnings,
      onLeft: () => this.#used(),
    });
    const link: ClientLink = {
      send: (message, relatedTo) => {
        options.echo?.out(this.id, message);
        this.#logging.told(message);
        this.#streams.send(message, relatedTo);
        if (!("method" in message)) this.#used();
      },
      used: () => this.#used(),
      end: (reason) => void this.end(reason),
    };
    this.#backend = options.open(link, options.client);
  }

  /** Whether its version has batches. */
  get takesBatches(): boolean {
    return takesBatches(this.#options.client.protocolVersion);
  }

  /** Milliseconds since the last use; 0 while the session is in use. */
  get idleMs(): number {
    const inUse = this.#serving > 0 || this.#streams.isUsed || this.#backend.isBusy;
    if (inUse) this.#used();
    return performance.now() - this.#lastUse;
  }

  /** Serves one message of a POST. */
  async post(message: ClientMessage, form: AnswerForm): Promise<Response | Refusal> {
    if (this.#ended !== undefined) return sessionNotFound();
    this.#options.echo?.in(this.id, message.message);
    this.#logging.asked(message.message);
    this.#serving++;
    try {
      if (message.kind === "request") return await this.#request(message, form);
      if (message.kind === "response" && !this.#takesAnswer(message)) return accepted();
      const refusal = await this.#backend.receive(message);
      if (message.kind === "notification" && message.cancels !== undefined) this.#streams.cancel(message.cancels);
      return refusal ?? accepted();
    } finally {
      this.#serving--;
      this.#used();
    }
  }

  /** Serves a GET. */
  listen(lastEventId: string | null): Response | Refusal {
    return this.#ended === undefined ? this.#streams.listen(lastEventId) : sessionNotFound();
  }

  /** Ends the session; resolves when nothing of it runs any more. Requests without an answer get `reason`. */
  end(reason: string): Promise<void> {
    if (this.#ended !== undefined) return this.#ended;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#ended = promise;
    this.#options.onEnd(this, promise);
    void this.#finish(reason).then(resolve);
    return promise;
  }

  /** Never rejects, so that a failure does not touch other sessions. */
  async #finish(reason: string): Promise<void> {
    try {
      await this.#backend.finish();
      await this.#streams.whenAnswered(LAST_ANSWERS_MS);
      await this.#backend.close(reason);
    } catch (thrown) {
      this.#options.log.error("Cannot end a session cleanly", { error: messageOf(thrown) });
    }
    this.#streams.close(reason);
  }

  #request(message: Extract<ClientMessage, { kind: "request" }>, form: AnswerForm): Promise<Response | Refusal> {
    const { id } = message;
    if (this.#streams.has(id)) {
      const problem = `Invalid request: the id ${JSON.stringify(id)} belongs to a request without an answer yet`;
      return Promise.resolve({ status: 400, code: INVALID_REQUEST, message: problem, id });
    }
    const response = this.#streams.open(id, form);
    void this.#backend.receive(message);
    return response;
  }

  #used(): void {
    this.#lastUse = performance.now();
  }

  /** Takes an answer of the client; an answer to no open request is dropped, as a late one is. */
  #takesAnswer({ message }: ClientMessage): boolean {
    return "id" in message && message.id !== undefined && this.#streams.answered(message.id);
  }
}

/** The refusal for an unknown or ended session; the client begins a new one (H4). */
export function sessionNotFound(): Refusal {
  const message = "Session not found: it never existed or has ended; send initialize to begin a new one";
  return { status: 404, code: SESSION_NOT_FOUND, message };
}

/** The refusal of a request that names no session. */
export function sessionMissing(): Refusal {
  return refuse(
    400,
    `Bad request: the header ${SESSION_HEADER} is missing; send initialize first, its answer carries the id`,
  );
}

function accepted(): Response {
  return new Response(null, { status: 202 });
}

/** Log levels that exclude warnings. */
const ABOVE_WARNING: readonly unknown[] = ["error", "critical", "alert", "emergency"];

/** Decides whether a client gets log messages, by the server's capabilities and the level that the client set. */
export class ClientLogging {
  #initialize: unknown;
  #declared = false;
  #least: unknown;

  /** Takes note of a message of the client. */
  asked(message: JSONRPCMessage): void {
    if (!("method" in message) || !("id" in message)) return;
    if (message.method === "initialize") this.#initialize = message.id;
    if (message.method === "logging/setLevel") this.#least = message.params?.["level"];
  }

  /** Takes note of a message of the server. */
  told(message: JSONRPCMessage): void {
    if (this.#initialize === undefined || !isJSONRPCResultResponse(message) || message.id !== this.#initialize) return;
    this.#initialize = undefined;
    this.#declared = member(message.result["capabilities"], "logging") !== undefined;
  }

  /** Whether the client accepts a warning. */
  get takesWarnings(): boolean {
    return this.#declared && !ABOVE_WARNING.includes(this.#least);
  }
}
