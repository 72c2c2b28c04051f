/**
 * The HTTP side of one session of the first era: which response carries which message (H7). An answer goes to its own
 * request, what belongs to a request goes to that request's stream, all else to one stream that the client opened with
 * GET; no message goes to two. What finds no stream waits for the next.
 */
import type { JSONRPCMessage } from "@modelcontextprotocol/server";
import type { WireId } from "../service/wire_message.ts";
import { EventLog } from "./event_log.ts";
import { EVENT_STREAM_HEADERS, EventStream } from "./event_stream.ts";
import type { AnswerForm } from "./negotiate.ts";
import { BAD_REQUEST, type Refusal } from "./refusal.ts";

export interface ClientStreamsOptions {
  /** Go with every response. */
  readonly headers: Readonly<Record<string, string>>;
  /** Milliseconds. */
  readonly keepAliveMs: number;
  /** The client has left a stream. */
  readonly onLeft?: () => void;
}

/** Beyond this a client that does not read gets no more progress; the next message tells the same and more. */
const BACKLOG_WITHOUT_PROGRESS = 256 * 1024;
/** Beyond this a stream is closed; the client may come back and name the last event it has seen. */
const LARGEST_BACKLOG = 32 * 1024 * 1024;
/** Messages kept while no stream is open. */
const MOST_WAITING = 256;
/** The characters of all of them. */
const LARGEST_WAITING = 1024 * 1024;
/** Streams a client may open with GET. */
const MOST_STANDALONE = 4;

type StreamKind = "exchange" | "standalone";

function kindOf(number: number): StreamKind {
  return number % 2 === 0 ? "standalone" : "exchange";
}

/** A request of the client that has no answer yet. */
interface Exchange {
  readonly id: WireId;
  /** Of its events. */
  readonly number: number;
  /** Undefined: one JSON body. */
  readonly json: ((response: Response) => void) | undefined;
  /** Undefined: JSON, or the client has left the stream. */
  stream: EventStream | undefined;
}

/** A request of the server that the client has not answered. */
interface Asked {
  readonly message: JSONRPCMessage;
  /** The stream that carries it, or did last. */
  stream: number | undefined;
  /** Whether that stream is still open. */
  carried: boolean;
}

export class ClientStreams {
  readonly #options: ClientStreamsOptions;
  readonly #log = new EventLog();
  readonly #exchanges = new Map<WireId, Exchange>();
  /** Opened with GET, by number; the last one gets the messages. */
  readonly #standalone = new Map<number, EventStream>();
  readonly #asked = new Map<WireId, Asked>();
  #waiting: { readonly message: JSONRPCMessage; readonly size: number }[] = [];
  /** Of the newest stream of each kind: an even one, an odd one. */
  readonly #newest: Record<StreamKind, number> = { standalone: 0, exchange: -1 };
  #closed = false;
  #onAnswered: (() => void) | undefined;
  /** Whether streams begin with an event that only tells its id: since 2025-11-25. */
  primes = false;

  constructor(options: ClientStreamsOptions) {
    this.#options = options;
  }

  /** Whether the client waits for anything or listens. */
  get isUsed(): boolean {
    return this.#exchanges.size > 0 || this.#standalone.size > 0;
  }

  /** Whether the request `id` waits for its answer. */
  has(id: WireId): boolean {
    return this.#exchanges.has(id);
  }

  /** The response to a request that has just come; its content comes with `send`. The id must not be in use. */
  open(id: WireId, form: AnswerForm): Promise<Response> {
    const number = this.#nextNumber("exchange");
    if (form === "json") {
      const { promise, resolve } = Promise.withResolvers<Response>();
      this.#exchanges.set(id, { id, number, json: resolve, stream: undefined });
      return promise;
    }
    const exchange: Exchange = { id, number, json: undefined, stream: undefined };
    const stream = this.#attach(exchange);
    this.#exchanges.set(id, exchange);
    if (this.primes) stream.write(this.#log.add(number, ""));
    this.#offerAsked(number, stream);
    return Promise.resolve(this.#streamResponse(stream));
  }

  /** The response to a GET: a new stream, or the rest of the one that `lastEventId` names. */
  listen(lastEventId: string | null): Response | Refusal {
    if (lastEventId !== null && lastEventId !== "") return this.#resume(lastEventId);
    if (this.#standalone.size >= MOST_STANDALONE) return tooManyStreams();
    return this.#streamResponse(this.#openStandalone(this.#nextNumber("standalone")));
  }

  /** Sends a message of the server; `relatedTo` names the request it belongs to. An answer nobody waits for is dropped. */
  send(message: JSONRPCMessage, relatedTo?: WireId): void {
    if (this.#closed) return;
    if (!("method" in message)) return this.#answer(message);
    const asks = "id" in message;
    if (asks) this.#asked.set(message.id, { message, stream: undefined, carried: false });
    const exchange = relatedTo === undefined ? undefined : this.#exchanges.get(relatedTo);
    if (exchange !== undefined && exchange.json === undefined) {
      this.#write(exchange.number, exchange.stream, message);
      return;
    }
    const [number, stream] = this.#newestStandalone() ?? (asks ? this.#openExchange() : undefined) ?? [];
    if (number !== undefined && stream !== undefined) return this.#write(number, stream, message);
    // Progress of a request that wants one body has no place to go.
    if (message.method === "notifications/progress") return;
    // Requests wait among the asked ones.
    if (!asks) this.#keep(message);
  }

  /** The client has answered a request of the server. False: there is none with this id. */
  answered(id: WireId): boolean {
    return this.#asked.delete(id);
  }

  /** The client has taken a request back: it gets no answer, and its response ends. */
  cancel(id: WireId): void {
    const exchange = this.#exchanges.get(id);
    if (exchange === undefined) return;
    this.#forget(exchange);
    exchange.stream?.close();
    exchange.json?.(new Response(null, { status: 202, headers: this.#options.headers }));
  }

  /** Resolves when no request waits for its answer, or after `timeoutMs`. */
  async whenAnswered(timeoutMs: number): Promise<void> {
    if (this.#exchanges.size === 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, timeoutMs);
    this.#onAnswered = resolve;
    await promise;
    clearTimeout(timer);
  }

  /** Ends every response. Requests without an answer get the error `reason`. */
  close(reason: string): void {
    for (const { id } of [...this.#exchanges.values()]) {
      this.send({ jsonrpc: "2.0", id, error: { code: BAD_REQUEST, message: reason } });
    }
    this.#closed = true;
    for (const stream of this.#standalone.values()) stream.close();
    this.#standalone.clear();
    this.#asked.clear();
    this.#waiting = [];
  }

  #answer(message: JSONRPCMessage & { readonly id?: WireId | undefined }): void {
    const exchange = message.id === undefined ? undefined : this.#exchanges.get(message.id);
    if (exchange === undefined) return;
    this.#forget(exchange);
    if (exchange.json !== undefined) {
      exchange.json(Response.json(message, { headers: this.#options.headers }));
      return;
    }
    this.#write(exchange.number, exchange.stream, message);
    exchange.stream?.close();
  }

  #forget({ id }: Exchange): void {
    this.#exchanges.delete(id);
    if (this.#exchanges.size === 0) this.#onAnswered?.();
  }

  #write(number: number, stream: EventStream | undefined, message: JSONRPCMessage): void {
    const open = stream?.isOpen === true ? stream : undefined;
    const backlog = open?.backlog ?? 0;
    const progress = "method" in message && message.method === "notifications/progress";
    if (progress && (open === undefined || backlog > BACKLOG_WITHOUT_PROGRESS)) return;
    const event = this.#log.add(number, JSON.stringify(message));
    open?.write(event);
    const asked = "method" in message && "id" in message ? this.#asked.get(message.id) : undefined;
    if (asked !== undefined) {
      asked.stream = number;
      asked.carried = open !== undefined;
    }
    if (open === undefined || backlog <= LARGEST_BACKLOG || !("method" in message)) return;
    open.close();
    this.#gone(number);
  }

  #resume(lastEventId: string): Response | Refusal {
    const replay = this.#log.after(lastEventId);
    if (replay === undefined || replay.stream < 1 || replay.stream > this.#newest[kindOf(replay.stream)]) {
      const message = `Bad request: no event of this session has the id "${lastEventId.slice(0, 40)}"`;
      return { status: 400, code: BAD_REQUEST, message };
    }
    const { stream: number, events } = replay;
    const exchange = [...this.#exchanges.values()].find((one) => one.number === number && one.json === undefined);
    const opensAnother = kindOf(number) === "standalone" && !this.#standalone.has(number);
    if (opensAnother && this.#standalone.size >= MOST_STANDALONE) return tooManyStreams();
    this.#standalone.get(number)?.close();
    this.#standalone.delete(number);
    exchange?.stream?.close();
    const finished = exchange === undefined && kindOf(number) === "exchange";
    const stream = exchange !== undefined
      ? this.#attach(exchange)
      : new EventStream({ keepAliveMs: this.#options.keepAliveMs, onGone: () => this.#gone(number) });
    for (const event of events) stream.write(event);
    // What it carried the client has seen, or sees now.
    for (const asked of this.#asked.values()) asked.carried ||= asked.stream === number && !finished;
    if (finished) stream.close();
    else if (exchange === undefined) this.#addStandalone(number, stream);
    return this.#streamResponse(stream);
  }

  /** The oldest go when there are too many. */
  #keep(message: JSONRPCMessage): void {
    this.#waiting.push({ message, size: JSON.stringify(message).length });
    let size = this.#waiting.reduce((sum, one) => sum + one.size, 0);
    while (this.#waiting.length > MOST_WAITING || size > LARGEST_WAITING) size -= this.#waiting.shift()?.size ?? 0;
  }

  #openStandalone(number: number): EventStream {
    const { keepAliveMs } = this.#options;
    const stream = new EventStream({ keepAliveMs, onGone: () => this.#gone(number) });
    if (this.primes) stream.write(this.#log.add(number, ""));
    this.#addStandalone(number, stream);
    return stream;
  }

  #addStandalone(number: number, stream: EventStream): void {
    this.#standalone.set(number, stream);
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const { message } of waiting) this.#write(number, stream, message);
    this.#offerAsked(number, stream);
  }

  #attach(exchange: Exchange): EventStream {
    const { keepAliveMs } = this.#options;
    const stream = new EventStream({
      keepAliveMs,
      onGone: () => {
        if (exchange.stream === stream) exchange.stream = undefined;
        this.#gone(exchange.number);
      },
    });
    exchange.stream = stream;
    return stream;
  }

  /** The client has left a stream: what it carried and has no answer is offered to the next. */
  #gone(number: number): void {
    this.#options.onLeft?.();
    this.#standalone.delete(number);
    const [next, stream] = this.#newestStandalone() ?? this.#openExchange() ?? [];
    for (const asked of this.#asked.values()) {
      if (!asked.carried || asked.stream !== number) continue;
      asked.carried = false;
      if (next !== undefined && stream !== undefined) this.#write(next, stream, asked.message);
    }
  }

  #offerAsked(number: number, stream: EventStream): void {
    for (const asked of this.#asked.values()) {
      if (!asked.carried) this.#write(number, stream, asked.message);
    }
  }

  /** Numbers tell what kind of stream they belong to, also when it is long gone. */
  #nextNumber(kind: StreamKind): number {
    return this.#newest[kind] += 2;
  }

  #newestStandalone(): readonly [number, EventStream] | undefined {
    return [...this.#standalone].at(-1);
  }

  #openExchange(): readonly [number, EventStream] | undefined {
    for (const { number, stream } of this.#exchanges.values()) {
      if (stream?.isOpen) return [number, stream];
    }
    return undefined;
  }

  #streamResponse(stream: EventStream): Response {
    return new Response(stream.body, { headers: { ...this.#options.headers, ...EVENT_STREAM_HEADERS } });
  }
}

function tooManyStreams(): Refusal {
  const message = `Conflict: this session has ${MOST_STANDALONE} open streams already; close one`;
  return { status: 409, code: BAD_REQUEST, message };
}
