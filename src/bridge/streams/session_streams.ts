/**
 * The HTTP side of one session of the first era: which response carries which message (H7). An answer goes to its own
 * request, what belongs to a request goes to that request's stream, all else to one stream that the client opened with
 * GET; no message goes to two. What finds no stream waits for the next.
 */
import type { JSONRPCMessage } from "@modelcontextprotocol/server";
import type { WireId } from "../../wire/json_rpc_message.ts";
import { ServerRequests } from "./server_requests.ts";
import { EventLog, type Loss, type Replay } from "./event_log.ts";
import { EVENT_STREAM_HEADERS, EventStream } from "./event_stream.ts";
import { type OpenRequest, OpenRequests } from "./open_requests.ts";
import { forgottenStream, MISSING_COMMENT, missingMessage, noSuchEvent } from "./replay_gap.ts";
import type { AnswerForm } from "../accept.ts";
import { BAD_REQUEST, type Refusal } from "../http_error.ts";
import { StreamNumbers } from "./stream_numbers.ts";
import { PendingMessages } from "./pending_messages.ts";

interface SessionStreamsOptions {
  /** Go with every response. */
  readonly headers: Readonly<Record<string, string>>;
  /** Milliseconds. */
  readonly keepAliveMs: number;
  /** Whether the client may be told a warning by its log; absent: not. */
  readonly takesWarnings?: () => boolean;
  /** The client has left a stream. */
  readonly onLeft?: () => void;
}

/** Beyond this a client that does not read gets no more progress; the next message tells the same and more. */
const BACKLOG_WITHOUT_PROGRESS = 256 * 1024;
/** Beyond this a stream is closed; the client may come back and name the last event it has seen. */
const LARGEST_BACKLOG = 32 * 1024 * 1024;
/** Streams a client may open with GET. */
const MOST_STANDALONE = 4;

export class SessionStreams {
  readonly #options: SessionStreamsOptions;
  readonly #log = new EventLog();
  readonly #openRequests = new OpenRequests();
  /** Opened with GET, by number; the last one gets the messages. */
  readonly #standalone = new Map<number, EventStream>();
  readonly #serverRequests = new ServerRequests();
  readonly #pending = new PendingMessages();
  readonly #numbers = new StreamNumbers();
  #closed = false;
  /** Whether streams begin with an event that only tells its id: since 2025-11-25. */
  primes = false;

  constructor(options: SessionStreamsOptions) {
    this.#options = options;
  }

  /** Whether the client waits for anything or listens. */
  get isUsed(): boolean {
    return this.#openRequests.size > 0 || this.#standalone.size > 0;
  }

  /** Whether the request `id` waits for its answer. */
  has(id: WireId): boolean {
    return this.#openRequests.get(id) !== undefined;
  }

  /** The response to a request that has just come; its content comes with `send`. The id must not be in use. */
  open(id: WireId, form: AnswerForm): Promise<Response> {
    const number = this.#numbers.next("request");
    if (form === "json") {
      const { promise, resolve } = Promise.withResolvers<Response>();
      this.#openRequests.add({ id, number, json: resolve, stream: undefined });
      return promise;
    }
    const request: OpenRequest = { id, number, json: undefined, stream: undefined };
    const stream = this.#attach(request);
    this.#openRequests.add(request);
    if (this.primes) stream.write(this.#log.add(number, "", "nothing"));
    this.#offerAsked(number, stream);
    return Promise.resolve(this.#streamResponse(stream));
  }

  /** The response to a GET: a new stream, or the rest of the one that `lastEventId` names. */
  listen(lastEventId: string | null): Response | Refusal {
    if (lastEventId !== null && lastEventId !== "") return this.#resume(lastEventId);
    if (this.#standalone.size >= MOST_STANDALONE) return tooManyStreams();
    return this.#streamResponse(this.#openStandalone(this.#numbers.next("standalone")));
  }

  /** Sends a message of the server; `relatedTo` names the request it belongs to. An answer nobody waits for is dropped. */
  send(message: JSONRPCMessage, relatedTo?: WireId): void {
    if (this.#closed) return;
    if (!("method" in message)) return this.#answer(message);
    const asks = "id" in message;
    if (asks) this.#serverRequests.add(message.id, message);
    const request = relatedTo === undefined ? undefined : this.#openRequests.get(relatedTo);
    if (request !== undefined && request.json === undefined) {
      this.#write(request.number, request.stream, message);
      return;
    }
    const [number, stream] = this.#newestStandalone() ?? (asks ? this.#openRequests.open() : undefined) ?? [];
    if (number !== undefined && stream !== undefined) return this.#write(number, stream, message);
    // Progress of a request that wants one body has no place to go.
    if (message.method === "notifications/progress") return;
    // Requests wait among the asked ones.
    if (!asks) this.#pending.add(message);
  }

  /** The client has answered a request of the server. False: there is none with this id. */
  answered(id: WireId): boolean {
    return this.#serverRequests.answered(id);
  }

  /** The client has taken a request back: it gets no answer, and its response ends. */
  cancel(id: WireId): void {
    const request = this.#openRequests.get(id);
    if (request === undefined) return;
    this.#openRequests.forget(request);
    request.stream?.close();
    request.json?.(new Response(null, { status: 202, headers: this.#options.headers }));
  }

  /** Resolves when no request waits for its answer, or after `timeoutMs`. */
  whenAnswered(timeoutMs: number): Promise<void> {
    return this.#openRequests.whenNone(timeoutMs);
  }

  /** Ends every response. Requests without an answer get the error `reason`. */
  close(reason: string): void {
    for (const id of this.#openRequests.ids) {
      this.send({ jsonrpc: "2.0", id, error: { code: BAD_REQUEST, message: reason } });
    }
    this.#closed = true;
    for (const stream of this.#standalone.values()) stream.close();
    this.#standalone.clear();
    this.#serverRequests.clear();
    this.#pending.take();
  }

  #answer(message: JSONRPCMessage & { readonly id?: WireId | undefined }): void {
    const request = message.id === undefined ? undefined : this.#openRequests.get(message.id);
    if (request === undefined) return;
    this.#openRequests.forget(request);
    if (request.json !== undefined) {
      request.json(Response.json(message, { headers: this.#options.headers }));
      return;
    }
    this.#write(request.number, request.stream, message);
    request.stream?.close();
  }

  #write(number: number, stream: EventStream | undefined, message: JSONRPCMessage): void {
    const open = stream?.isOpen === true ? stream : undefined;
    const backlog = open?.backlog ?? 0;
    const progress = "method" in message && message.method === "notifications/progress";
    if (progress && (open === undefined || backlog > BACKLOG_WITHOUT_PROGRESS)) return;
    const event = this.#log.add(number, JSON.stringify(message), progress ? "nothing" : lossOf(message));
    open?.write(event);
    this.#serverRequests.written(message, number, open !== undefined);
    if (open === undefined || backlog <= LARGEST_BACKLOG || !("method" in message)) return;
    open.close();
    this.#gone(number);
  }

  #resume(lastEventId: string): Response | Refusal {
    const replay = this.#log.after(lastEventId);
    const kind = replay === undefined ? undefined : this.#numbers.kindOf(replay.stream);
    if (replay === undefined || kind === undefined) return noSuchEvent(lastEventId);
    const { stream: number, missing } = replay;
    const request = this.#openRequests.streamed(number);
    const opensAnother = kind === "standalone" && !this.#standalone.has(number);
    if (opensAnother && this.#standalone.size >= MOST_STANDALONE) return tooManyStreams();
    const finished = request === undefined && kind === "request";
    if (finished && missing === "unknown") return forgottenStream(lastEventId);
    this.#standalone.get(number)?.close();
    this.#standalone.delete(number);
    request?.stream?.close();
    const stream = request !== undefined
      ? this.#attach(request)
      : new EventStream({ keepAliveMs: this.#options.keepAliveMs, onGone: () => this.#gone(number) });
    this.#replay(replay, stream);
    if (finished) stream.close();
    else this.#goOn(replay);
    if (kind === "standalone") this.#addStandalone(number, stream);
    else if (!finished) this.#offerAsked(number, stream);
    return this.#streamResponse(stream);
  }

  #replay({ events, missing }: Replay, stream: EventStream): void {
    if (missing !== undefined) {
      stream.comment(MISSING_COMMENT);
      const message = missingMessage(missing, this.#options.takesWarnings?.() === true);
      if (message !== undefined) stream.writeOnce(JSON.stringify(message));
    }
    for (const event of events) stream.write(event);
  }

  /** What a stream carried the client has seen, or sees now; what is gone is asked again. */
  #goOn({ stream: number, events, missing }: Replay): void {
    const replayed = new Set(events.map(({ data }) => data));
    this.#serverRequests.resumed(number, (message) => missing !== undefined && !replayed.has(JSON.stringify(message)));
  }

  #openStandalone(number: number): EventStream {
    const { keepAliveMs } = this.#options;
    const stream = new EventStream({ keepAliveMs, onGone: () => this.#gone(number) });
    if (this.primes) stream.write(this.#log.add(number, "", "nothing"));
    this.#addStandalone(number, stream);
    return stream;
  }

  #addStandalone(number: number, stream: EventStream): void {
    this.#standalone.set(number, stream);
    for (const message of this.#pending.take()) this.#write(number, stream, message);
    this.#offerAsked(number, stream);
  }

  #attach(request: OpenRequest): EventStream {
    const { keepAliveMs } = this.#options;
    const stream = new EventStream({
      keepAliveMs,
      onGone: () => {
        if (request.stream === stream) request.stream = undefined;
        this.#gone(request.number);
      },
    });
    request.stream = stream;
    return stream;
  }

  /** The client has left a stream: what it carried and has no answer is offered to the next. */
  #gone(number: number): void {
    this.#options.onLeft?.();
    this.#standalone.delete(number);
    const [next, stream] = this.#newestStandalone() ?? this.#openRequests.open() ?? [];
    for (const message of this.#serverRequests.left(number)) {
      if (next !== undefined && stream !== undefined) this.#write(next, stream, message);
    }
  }

  #offerAsked(number: number, stream: EventStream): void {
    for (const message of this.#serverRequests.uncarried()) this.#write(number, stream, message);
  }

  #newestStandalone(): readonly [number, EventStream] | undefined {
    return [...this.#standalone].at(-1);
  }

  #streamResponse(stream: EventStream): Response {
    return new Response(stream.body, { headers: { ...this.#options.headers, ...EVENT_STREAM_HEADERS } });
  }
}

function lossOf(message: JSONRPCMessage): Loss {
  return "method" in message || message.id === undefined ? "message" : { answerTo: message.id };
}

function tooManyStreams(): Refusal {
  const message = `Conflict: this session has ${MOST_STANDALONE} open streams already; close one`;
  return { status: 409, code: BAD_REQUEST, message };
}
