/**
 * Requests of 2026-07-28, which know no sessions: each is served by a fresh SDK server over one service. They are always
 * streamed: the client's leaving closes the stream, and that is how this era cancels (H4). A client that takes no stream
 * gets the answer taken out of it.
 */
import { encodeText } from "../../base/text.ts";
import { withTimeout } from "../../base/time.ts";
import {
  createMcpHandler,
  type JSONRPCMessage,
  type Server,
  SUPPORTED_PROTOCOL_VERSIONS,
  UnsupportedProtocolVersionError,
} from "@modelcontextprotocol/server";
import { Emitter } from "../../base/emitter.ts";
import { messageOf } from "../../base/errors.ts";
import type { Logger } from "../../base/log.ts";
import type { Echo } from "../traffic_echo.ts";
import { taskWishes } from "../../service/tasks/subscriptions.ts";
import type { Service } from "../../service/service.ts";
import type { AnswerForm } from "../accept.ts";
import { refusalResponse } from "../http_error.ts";
import { askedOfSdk, withTasks } from "./task_stream.ts";

/** Serves one request whose body has been read and parsed. */
export interface StatelessHandler {
  handle(request: Request, message: JSONRPCMessage, form: AnswerForm): Promise<Response>;
  /** Tells those who subscribed. */
  toolsChanged(): void;
  resourcesChanged(): void;
  resourceUpdated(uri: string): void;
  /** Ends every request and subscription. */
  close(): Promise<void>;
}

interface StatelessOptions {
  /** A server of its own for every request. */
  readonly makeServer: () => Server;
  /** Whose tasks clients may listen to; absent: of none. */
  readonly tasksOf?: Service;
  readonly keepAliveMs: number;
  readonly echo: Echo;
  readonly log: Logger;
}

/** Serves the era. */
export function serveStateless(options: StatelessOptions): StatelessHandler {
  const { makeServer, keepAliveMs, echo, log } = options;
  const open = new OpenServers(log);
  const handler = createMcpHandler(() => open.track(makeServer()), {
    legacy: "reject",
    responseMode: "sse",
    keepAliveMs,
    onerror: (error) => log.debug("MCP request", { error: messageOf(error) }),
  });
  return {
    async handle(request, message, form) {
      echo.in(NO_SESSION, message);
      // The runtime's own signal tells nothing before there is a response; the stream's end tells all.
      const leaving = new AbortController();
      const head = new Request(request.url, { method: "POST", headers: request.headers, signal: leaving.signal });
      const tasks = options.tasksOf === undefined ? undefined : taskWishes(message);
      const asked = tasks?.ok === true ? askedOfSdk(message) : message;
      const response = await handler.fetch(head, { parsedBody: asked });
      const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") === true;
      if (!isStream || response.body === null) return response;
      if (tasks?.ok === false) {
        await response.body.cancel();
        return Response.json(tasks.answer, { status: 400 });
      }
      const events = options.tasksOf === undefined || tasks === undefined
        ? response.body
        : withTasks(response.body, { service: options.tasksOf, subscription: tasks.id, taskIds: tasks.taskIds });
      const started = await startOf(events, (chunk) => echo.events(NO_SESSION, chunk));
      const refused = refusalIn(started.first);
      if (refused !== undefined) {
        await started.body.cancel();
        return Response.json(refused, { status: 400 });
      }
      if (form === "stream") return new Response(started.body, { headers: response.headers });
      return new Response(answerIn(started.body), { headers: { "Content-Type": "application/json" } });
    },
    toolsChanged: () => handler.notify.toolsChanged(),
    resourcesChanged: () => handler.notify.resourcesChanged(),
    resourceUpdated: (uri) => handler.notify.resourceUpdated(uri),
    async close() {
      await open.closed(LAST_ANSWERS_MS);
      await handler.close();
    },
  };
}

/** Answers are sent right after their operations end; this only guards against a bug. */
const LAST_ANSWERS_MS = 2_000;

/** The servers of requests that are not answered yet. */
class OpenServers {
  readonly #open = new Set<Server>();
  readonly #idle: Emitter<void>;

  constructor(log: Logger) {
    this.#idle = new Emitter((thrown) => log.error("A listener threw", { error: messageOf(thrown) }));
  }

  track(server: Server): Server {
    const { onclose } = server;
    const close = server.close.bind(server);
    this.#open.add(server);
    server.onclose = () => {
      onclose?.();
      this.#forget(server);
    };
    // One that was never connected closes without a call of `onclose`: the SDK asks the server of a subscription what
    // it can, no more.
    server.close = async () => {
      await close();
      this.#forget(server);
    };
    return server;
  }

  /** Resolves when all are closed, or after `timeoutMs`. */
  async closed(timeoutMs: number): Promise<void> {
    if (this.#open.size === 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const unsubscribe = this.#idle.subscribe(resolve);
    await withTimeout(promise, timeoutMs);
    unsubscribe();
  }

  #forget(server: Server): void {
    if (this.#open.delete(server) && this.#open.size === 0) this.#idle.emit();
  }
}

/** Refuses the era in a way that makes clients of both fall back to a session. */
export function refuseStateless(why: string): StatelessHandler {
  return {
    handle(_request, message) {
      const requested = "id" in message ? message.id : null;
      const error = new UnsupportedProtocolVersionError({
        supported: [...SUPPORTED_PROTOCOL_VERSIONS],
        requested: NEWEST,
      });
      return Promise.resolve(refusalResponse({
        status: 400,
        code: error.code,
        message: `${error.message}. ${why}`,
        data: error.data,
        id: typeof requested === "string" || typeof requested === "number" ? requested : null,
      }));
    },
    toolsChanged() {},
    resourcesChanged() {},
    resourceUpdated() {},
    close: () => Promise.resolve(),
  };
}

/**
 * How long the head of a response waits for its first event, milliseconds: an error that comes at once is told by its
 * HTTP status. Longer would hide from us that the client has left.
 */
const HEAD_MS = 50;
/** The specification wants it as 400; what else has a status of its own never becomes a stream. */
const MISSING_CAPABILITY = -32021;

interface StartedStream {
  /** Undefined: nothing came in time. */
  readonly first: Uint8Array | undefined;
  /** The whole stream, the first part included. Cancelling it reaches the SDK, and cancels the request. */
  readonly body: ReadableStream<Uint8Array>;
}

async function startOf(
  stream: ReadableStream<Uint8Array>,
  onChunk: (chunk: Uint8Array) => void,
): Promise<StartedStream> {
  const reader = stream.getReader();
  let next: Promise<ReadableStreamReadResult<Uint8Array>> | undefined = reader.read();
  const first = await withTimeout(next, HEAD_MS);
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await (next ?? reader.read());
      next = undefined;
      if (done) return controller.close();
      onChunk(value);
      controller.enqueue(value);
    },
    cancel: (reason) => reader.cancel(reason),
  }, { highWaterMark: 0 });
  return { first: first?.value, body };
}

/** The error that the first event is, where the whole answer is an error with a status of its own. */
function refusalIn(first: Uint8Array | undefined): object | undefined {
  const data = DATA_REGEXP.exec(new TextDecoder().decode(first))?.[1];
  if (data === undefined || !data.includes(`"code":${MISSING_CAPABILITY}`)) return undefined;
  const message: unknown = JSON.parse(data);
  if (typeof message !== "object" || message === null || !("error" in message)) return undefined;
  const { error } = message;
  const missing = typeof error === "object" && error !== null && "code" in error && error.code === MISSING_CAPABILITY;
  return missing ? message : undefined;
}

/** Not a dot: a line of JSON may hold U+2028, which ends a line for a regular expression, and for nobody else. */
const DATA_REGEXP = /\ndata: ([^\n]*)/;
/** What the echo shows in place of a session. */
const NO_SESSION = "--------";
const NEWEST = "2026-07-28";

/** The last message of a stream of events, which is the answer, as a body that begins when it is there. */
function answerIn(events: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  const reader = events.pipeThrough(new TextDecoderStream()).getReader();
  return new ReadableStream({
    async pull(controller) {
      let text = "\n";
      for (let read = await reader.read(); !read.done; read = await reader.read()) {
        // Only the last event counts: what is complete and not the last goes at once.
        text += read.value;
        const last = text.lastIndexOf("\ndata: ");
        if (last > 0) text = text.slice(last);
      }
      controller.enqueue(encodeText(DATA_REGEXP.exec(text)?.[1] ?? ""));
      controller.close();
    },
    cancel: (reason) => reader.cancel(reason),
  });
}
