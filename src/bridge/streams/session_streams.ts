/**
 * Decides which response carries a message (H7): an answer its request's, a related message that request's, any other
 * one of GET. None goes to two; one without a stream waits.
 */
import type { JSONRPCMessage } from "@modelcontextprotocol/server";
import type { WireId } from "../../wire/json_rpc_message.ts";
import {
  EventLog,
  forgottenStream,
  type Loss,
  MISSING_COMMENT,
  missingMessage,
  noSuchEvent,
  type Replay,
} from "./event_log.ts";
import { EVENT_STREAM_HEADERS, EventStream, eventText, HEAD_MS, type StreamEvent } from "../../http/event_stream.ts";
import { type OpenRequest, OpenRequests } from "./open_requests.ts";
import type { AnswerForm } from "../../http/accept_header.ts";
import { BAD_REQUEST, type Refusal, refuse } from "../../http/refusal.ts";
import { ServerMessages } from "./server_messages.ts";

interface SessionStreamsOptions {
  /** Headers of every response. */
  readonly headers: Readonly<Record<string, string>>;
  /** Silence after which a stream gets a comment, milliseconds. */
  readonly keepAliveMs: number;
  /** Whether streams begin with an event that only has an id: since 2025-11-25. */
  readonly primes: boolean;
  /** Whether the client accepts a warning as a log message. */
  readonly takesWarnings: () => boolean;
  /** Called when the client has closed a stream. */
  readonly onLeft: () => void;
}

/** Unread bytes beyond which a stream gets no more progress; the next message says the same and more. */
const BACKLOG_WITHOUT_PROGRESS = 256 * 1024;
/** Unread bytes beyond which a stream is closed; the client may resume it with `Last-Event-ID`. */
const LARGEST_BACKLOG = 32 * 1024 * 1024;
/** Streams that a client may open with GET. */
const MOST_STANDALONE = 4;

export class SessionStreams {
  readonly #options: SessionStreamsOptions;
  readonly #log = new EventLog();
  readonly #openRequests = new OpenRequests();
  /** Streams opened with GET, by number; the last one gets the messages. */
  readonly #standalone = new Map<number, EventStream>();
  readonly #messages = new ServerMessages();
  readonly #numbers = new StreamNumbers();
  #closed = false;

  constructor(options: SessionStreamsOptions) {
    this.#options = options;
  }

  /** Whether a request or a stream is open. */
  get isUsed(): boolean {
    return this.#openRequests.size > 0 || this.#standalone.size > 0;
  }

  /** Whether the request `id` waits for its answer. */
  has(id: WireId): boolean {
    return this.#openRequests.get(id) !== undefined;
  }

  /** The response to a new request. An answer that comes soon, before other messages, is written whole. */
  open(id: WireId, form: AnswerForm): Promise<Response> {
    const { promise, resolve: respond } = Promise.withResolvers<Response>();
    const request: OpenRequest = {
      id,
      number: this.#numbers.next("request"),
      form,
      respond,
      timer: form === "json" ? undefined : setTimeout(() => this.#begun(request), HEAD_MS),
      stream: undefined,
    };
    this.#openRequests.add(request);
    if (form === "stream" && this.#messages.uncarried().length > 0) {
      this.#offerAsked(request.number, this.#begun(request));
    }
    return promise;
  }

  /** The response to a GET: a new stream, or the rest of the one that `lastEventId` names. */
  listen(lastEventId: string | null): Response | Refusal {
    if (lastEventId !== null && lastEventId !== "") return this.#resume(lastEventId);
    if (this.#standalone.size >= MOST_STANDALONE) return tooManyStreams();
    const number = this.#numbers.next("standalone");
    const stream = this.#newStream(number);
    for (const event of this.#priming(number)) stream.write(event);
    this.#addStandalone(number, stream);
    return this.#eventResponse(stream.body);
  }

  /** Sends a message of the server; `relatedTo` names its request. An answer to no open request is dropped. */
  send(message: JSONRPCMessage, relatedTo?: WireId): void {
    if (this.#closed) return;
    if (!("method" in message)) return this.#answer(message);
    const asks = "id" in message;
    if (asks) this.#messages.add(message);
    const request = relatedTo === undefined ? undefined : this.#openRequests.get(relatedTo);
    if (request?.form === "stream") return this.#write(request.number, this.#begun(request), message);
    const [number, stream] = this.#newestStandalone() ?? (asks ? this.#oldestOpen() : undefined) ?? [];
    if (number !== undefined && stream !== undefined) return this.#write(number, stream, message);
    // A JSON response cannot carry progress.
    if (message.method === "notifications/progress") return;
    if (!asks) this.#messages.add(message);
  }

  /** Takes the client's answer to a request of the server. False: no request has this id. */
  answered(id: WireId): boolean {
    return this.#messages.answered(id);
  }

  /** Ends the response of a cancelled request, without an answer. */
  cancel(id: WireId): void {
    const request = this.#openRequests.get(id);
    if (request === undefined) return;
    if (request.form === "stream") this.#begun(request).close();
    else request.respond(new Response(null, { status: 202, headers: this.#options.headers }));
    this.#openRequests.forget(request);
  }

  /** Resolves when every request is answered, or after `timeoutMs`. */
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
    this.#messages.clear();
  }

  #answer(message: JSONRPCMessage & { readonly id?: WireId | undefined }): void {
    const request = message.id === undefined ? undefined : this.#openRequests.get(message.id);
    if (request === undefined) return;
    this.#openRequests.forget(request);
    const { number, form, respond, stream } = request;
    if (form === "json") return respond(Response.json(message, { headers: this.#options.headers }));
    if (stream === undefined) return respond(this.#eventResponse(this.#wholeAnswer(number, message)));
    this.#write(number, stream, message);
    stream.close();
  }

  /** All events of a request that is answered before its stream has begun. */
  #wholeAnswer(number: number, message: JSONRPCMessage): string {
    const events = [...this.#priming(number), this.#log.add(number, JSON.stringify(message), lossOf(message))];
    return events.map(eventText).join("");
  }

  /** The stream of a request, whose head is sent now if it was not. */
  #begun(request: OpenRequest): EventStream {
    if (request.stream !== undefined) return request.stream;
    const stream = this.#newStream(request.number);
    request.stream = stream;
    for (const event of this.#priming(request.number)) stream.write(event);
    request.respond(this.#eventResponse(stream.body));
    return stream;
  }

  #oldestOpen(): readonly [number, EventStream] | undefined {
    const request = this.#openRequests.open();
    return request && [request.number, this.#begun(request)];
  }

  /** The event that a stream begins with. */
  #priming(number: number): readonly StreamEvent[] {
    return this.#options.primes ? [this.#log.add(number, "", "nothing")] : [];
  }

  #write(number: number, stream: EventStream | undefined, message: JSONRPCMessage): void {
    const open = stream?.isOpen === true ? stream : undefined;
    const backlog = open?.backlog ?? 0;
    const progress = "method" in message && message.method === "notifications/progress";
    if (progress && (open === undefined || backlog > BACKLOG_WITHOUT_PROGRESS)) return;
    const event = this.#log.add(number, JSON.stringify(message), progress ? "nothing" : lossOf(message));
    open?.write(event);
    this.#messages.written(message, number, open !== undefined);
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
    const stream = this.#newStream(number);
    if (request !== undefined) {
      this.#begun(request).close();
      request.stream = stream;
    }
    this.#replay(replay, stream);
    if (finished) stream.close();
    else this.#goOn(replay);
    if (kind === "standalone") this.#addStandalone(number, stream);
    else if (!finished) this.#offerAsked(number, stream);
    return this.#eventResponse(stream.body);
  }

  #replay({ events, missing }: Replay, stream: EventStream): void {
    if (missing !== undefined) {
      stream.comment(MISSING_COMMENT);
      const message = missingMessage(missing, this.#options.takesWarnings());
      if (message !== undefined) stream.writeOnce(JSON.stringify(message));
    }
    for (const event of events) stream.write(event);
  }

  /** Notes the resumed stream; requests of the server whose events were dropped are sent again. */
  #goOn({ stream: number, events, missing }: Replay): void {
    const replayed = new Set(events.map(({ data }) => data));
    this.#messages.resumed(number, (message) => missing !== undefined && !replayed.has(JSON.stringify(message)));
  }

  #addStandalone(number: number, stream: EventStream): void {
    this.#standalone.set(number, stream);
    for (const message of this.#messages.takeNotifications()) this.#write(number, stream, message);
    this.#offerAsked(number, stream);
  }

  #newStream(number: number): EventStream {
    return new EventStream({ keepAliveMs: this.#options.keepAliveMs, onGone: () => this.#gone(number) });
  }

  /** Offers open requests of the server to another stream, because the client has closed theirs. */
  #gone(number: number): void {
    this.#options.onLeft();
    this.#standalone.delete(number);
    const left = this.#messages.left(number);
    const [next, stream] = left.length === 0 ? [] : this.#newestStandalone() ?? this.#oldestOpen() ?? [];
    if (next === undefined || stream === undefined) return;
    for (const message of left) this.#write(next, stream, message);
  }

  #offerAsked(number: number, stream: EventStream): void {
    for (const message of this.#messages.uncarried()) this.#write(number, stream, message);
  }

  #newestStandalone(): readonly [number, EventStream] | undefined {
    return [...this.#standalone].at(-1);
  }

  #eventResponse(body: BodyInit): Response {
    return new Response(body, { headers: { ...this.#options.headers, ...EVENT_STREAM_HEADERS } });
  }
}

function lossOf(message: JSONRPCMessage): Loss {
  return "method" in message || message.id === undefined ? "message" : { answerTo: message.id };
}

function tooManyStreams(): Refusal {
  return refuse(409, `Conflict: this session has ${MOST_STANDALONE} open streams already; close one`);
}

/** The stream of a request, or one that the client opened with GET. */
type StreamKind = "request" | "standalone";

/** Numbers of a session's streams; a number tells the kind of its stream, even after the stream is closed. */
export class StreamNumbers {
  /** Standalone streams have even numbers, those of requests odd ones. */
  readonly #newest: Record<StreamKind, number> = { standalone: 0, request: -1 };

  next(kind: StreamKind): number {
    return this.#newest[kind] += 2;
  }

  /** The kind of an open or closed stream; undefined: no stream has had this number. */
  kindOf(number: number): StreamKind | undefined {
    const kind = number % 2 === 0 ? "standalone" : "request";
    return number >= 1 && number <= this.#newest[kind] ? kind : undefined;
  }
}
