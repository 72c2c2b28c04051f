/**
 * Stateless requests (2026-07-28): a new SDK server over one service answers each. The SDK always streams, because a
 * client of this version cancels by closing the stream (H4). A client that takes no stream gets the answer from it.
 */
import { withTimeout } from "../../base/time.ts";
import {
  createMcpHandler,
  type JSONRPCMessage,
  type Result,
  type Server,
  SUPPORTED_PROTOCOL_VERSIONS,
  UnsupportedProtocolVersionError,
} from "@modelcontextprotocol/server";
import { messageOf } from "../../base/errors.ts";
import type { Logger } from "../../base/log.ts";
import type { Echo } from "../session/session.ts";
import { requestedTasks } from "../../service/tasks/subscriptions.ts";
import type { Service } from "../../service/service.ts";
import { member } from "../../wire/json_value.ts";
import type { AnswerForm } from "../../http/accept_header.ts";
import { refusalResponse } from "../../http/refusal.ts";
import { HEAD_MS } from "../../http/event_stream.ts";
import { answerDirectly, type PlainCalls } from "./direct_calls.ts";
import { encodeText } from "../../base/text.ts";
import { askedOfSdk, withEnd, withTasks } from "./task_stream.ts";

/** Serves one request whose body has been read and parsed. */
export interface StatelessHandler {
  handle(request: Request, message: JSONRPCMessage, form: AnswerForm): Promise<Response>;
  /** True: none is served. */
  readonly refuses?: true;
  /** Ends every request and subscription. */
  close(): Promise<void>;
}

interface NotifyingHandler extends StatelessHandler {
  /** Notifies the clients that subscribed. */
  readonly notify: ReturnType<typeof createMcpHandler>["notify"];
}

interface StatelessOptions {
  /** Makes the server of one request; `outcome`: what its call gave, which was done without the server. */
  readonly makeServer: (outcome: Promise<Result> | undefined) => Server;
  /** Absent: the SDK serves all calls. */
  readonly calls?: PlainCalls;
  /** The service whose tasks clients may subscribe to; absent: none. */
  readonly tasksOf?: Service;
  /** Called with each message, to subscribe elsewhere too; returns a function that ends that. Absent: not needed. */
  readonly follow?: (message: JSONRPCMessage) => Promise<() => void> | undefined;
  readonly keepAliveMs: number;
  /** Undefined: nothing is shown. */
  readonly echo: Echo | undefined;
  readonly log: Logger;
}

/** Serves stateless requests. */
export function serveStateless(options: StatelessOptions): NotifyingHandler {
  const { makeServer, keepAliveMs, echo, log } = options;
  const open = new OpenServers();
  const outcomes = new WeakMap<Request, Promise<Result>>();
  const handler = createMcpHandler(({ requestInfo: head }) => open.track(makeServer(head && outcomes.get(head))), {
    legacy: "reject",
    responseMode: "sse",
    keepAliveMs,
    onerror: (error) => log.debug("MCP request", { error: messageOf(error) }),
  });
  const direct = {
    ...options,
    track: <Value>(call: Promise<Value>) => open.add(call),
    onEvent: (event: string) => echo?.events(NO_SESSION, encodeText(event)),
  };
  async function bySdk(request: Request, message: JSONRPCMessage, form: AnswerForm, outcome?: Promise<Result>) {
    // The runtime's signal fires only after a response; the end of the stream tells when the client leaves.
    const leaving = new AbortController();
    const head = new Request(request.url, { method: "POST", headers: request.headers, signal: leaving.signal });
    if (outcome !== undefined) outcomes.set(head, outcome);
    const tasks = options.tasksOf === undefined ? undefined : requestedTasks(message);
    const asked = tasks?.ok === true ? askedOfSdk(message) : message;
    const unfollow = await options.follow?.(message);
    const response = await handler.fetch(head, { parsedBody: asked });
    const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") === true;
    if (!isStream || response.body === null) {
      unfollow?.();
      return response;
    }
    if (tasks?.ok === false) {
      unfollow?.();
      await response.body.cancel();
      return Response.json(tasks.answer, { status: 400 });
    }
    const told = unfollow === undefined ? response.body : withEnd(response.body, unfollow);
    const events = options.tasksOf === undefined || tasks === undefined
      ? told
      : withTasks(told, { service: options.tasksOf, subscription: tasks.id, taskIds: tasks.taskIds });
    const started = await startOf(events, (chunk) => echo?.events(NO_SESSION, chunk));
    return await responseOf(started, form, response.headers);
  }
  return {
    handle(request, message, form) {
      echo?.in(NO_SESSION, message);
      const asked = { headers: request.headers, message, form };
      return answerDirectly(direct, asked, (outcome, its) => bySdk(request, message, its, outcome)) ??
        bySdk(request, message, form);
    },
    notify: handler.notify,
    async close() {
      await open.closed(LAST_ANSWERS_MS);
      await handler.close();
    },
  };
}

/** Time for the last answers, which follow the end of their operations at once; a guard against a bug. */
const LAST_ANSWERS_MS = 2_000;

/** The servers of open requests, and calls without one. */
class OpenServers {
  /** Each settles when its server is closed, or its call has ended. */
  readonly #open = new Set<Promise<unknown>>();

  add<Value>(ends: Promise<Value>): Promise<Value> {
    this.#open.add(ends);
    const remove = () => void this.#open.delete(ends);
    ends.then(remove, remove);
    return ends;
  }

  track(server: Server): Server {
    const { onclose } = server;
    const close = server.close.bind(server);
    const { promise, resolve } = Promise.withResolvers<void>();
    void this.add(promise);
    server.onclose = () => {
      onclose?.();
      resolve();
    };
    // A server that was never connected closes without a call of `onclose`: the SDK only reads the capabilities of the
    // server of a subscription.
    server.close = async () => {
      await close();
      resolve();
    };
    return server;
  }

  /** Resolves when all servers are closed, or after `timeoutMs`. */
  async closed(timeoutMs: number): Promise<void> {
    await withTimeout(Promise.allSettled(this.#open), timeoutMs);
  }
}

/** Refuses stateless requests, so that a client that also knows sessions begins one. */
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
    refuses: true,
    close: () => Promise.resolve(),
  };
}

/** The specification asks for status 400; other errors with a status of their own never become a stream. */
const MISSING_CAPABILITY = -32021;

interface StartedStream {
  /** Undefined: nothing came in time. */
  readonly first: Uint8Array | undefined;
  /** The whole stream with its first part. Cancelling it cancels the request in the SDK. */
  readonly body: ReadableStream<Uint8Array>;
}

/** Waits for the first event, because an early error sets the HTTP status. */
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

/** The response with this stream, or with the answer in it; an early error gets its own HTTP status. */
async function responseOf(started: StartedStream, form: AnswerForm, headers: Headers): Promise<Response> {
  const refused = refusalIn(started.first);
  if (refused !== undefined) {
    await started.body.cancel();
    return Response.json(refused, { status: 400 });
  }
  if (form === "stream") return new Response(started.body, { headers });
  return new Response(answerIn(started.body), { headers: { "Content-Type": "application/json" } });
}

/** Of the event with an error that the SDK makes, bytes. */
const LONGEST_REFUSAL = 64 * 1024;
/** The error in the first event, if the whole answer is an error with its own HTTP status; undefined: none. */
function refusalIn(first: Uint8Array | undefined): object | undefined {
  if (first === undefined || first.length > LONGEST_REFUSAL) return undefined;
  const data = DATA_REGEXP.exec(new TextDecoder().decode(first))?.[1];
  if (data === undefined || !data.includes(`"code":${MISSING_CAPABILITY}`)) return undefined;
  const message = JSON.parse(data);
  return member(member(message, "error"), "code") === MISSING_CAPABILITY ? message : undefined;
}

/** Not a dot: a line of JSON may contain U+2028, which ends a line only for regular expressions. */
const DATA_REGEXP = /\ndata: ([^\n]*)/;
/** Shown by the echo in place of a session id. */
const NO_SESSION = "--------";
const NEWEST = "2026-07-28";

const NEWLINE = 10;
const COLON = 0x3a;

/** The last message of a stream of events, which is the answer, as a body. The SDK gives each event in one part. */
function answerIn(events: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  const reader = events.getReader();
  return new ReadableStream({
    async pull(controller) {
      let last: Uint8Array = new Uint8Array(0);
      for (let read = await reader.read(); !read.done; read = await reader.read()) {
        if (read.value[0] !== COLON) last = read.value; // no comment
      }
      const end = last.length - "\n\n".length;
      controller.enqueue(last.subarray(last.lastIndexOf(NEWLINE, end - 1) + 1 + "data: ".length, end));
      controller.close();
    },
    cancel: (reason) => reader.cancel(reason),
  });
}
