/**
 * Requests of 2026-07-28, which know no sessions: each is served by a fresh SDK server over one service. They are always
 * streamed: the client's leaving closes the stream, and that is how this era cancels (H4). A client that takes no stream
 * gets the answer taken out of it.
 */
import {
  createMcpHandler,
  type Server,
  SUPPORTED_PROTOCOL_VERSIONS,
  UnsupportedProtocolVersionError,
} from "@modelcontextprotocol/server";
import { Emitter } from "../base/emitter.ts";
import { messageOf } from "../base/errors.ts";
import type { Logger } from "../base/log.ts";
import type { AnswerForm } from "./negotiate.ts";
import { refusalResponse } from "./refusal.ts";

/** Serves one request whose body has been read and parsed. */
export interface ModernEra {
  handle(request: Request, message: unknown, form: AnswerForm): Promise<Response>;
  /** Tells those who subscribed. */
  toolsChanged(): void;
  /** Ends every request and subscription. */
  close(): Promise<void>;
}

export interface ModernOptions {
  /** A server of its own for every request. */
  readonly makeServer: () => Server;
  readonly keepAliveMs: number;
  readonly log: Logger;
}

/** Serves the era. */
export function servedModernEra({ makeServer, keepAliveMs, log }: ModernOptions): ModernEra {
  const open = new Set<Server>();
  const idle = new Emitter<void>((thrown) => log.error("A listener threw", { error: messageOf(thrown) }));
  const handler = createMcpHandler(() => {
    const server = makeServer();
    const { onclose } = server;
    open.add(server);
    server.onclose = () => {
      onclose?.();
      if (open.delete(server) && open.size === 0) idle.emit();
    };
    return server;
  }, {
    legacy: "reject",
    responseMode: "sse",
    keepAliveMs,
    onerror: (error) => log.debug("MCP request", { error: messageOf(error) }),
  });
  return {
    async handle(request, message, form) {
      // The runtime's own signal tells nothing before there is a response; the stream's end tells all.
      const leaving = new AbortController();
      const head = new Request(request.url, { method: "POST", headers: request.headers, signal: leaving.signal });
      const response = await handler.fetch(head, { parsedBody: message });
      const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") === true;
      if (!isStream || response.body === null) return response;
      // Closing the stream reaches the SDK as it is, and cancels.
      if (form === "stream") return response;
      return new Response(answerIn(response.body), { headers: { "Content-Type": "application/json" } });
    },
    toolsChanged: () => handler.notify.toolsChanged(),
    async close() {
      if (open.size > 0) await emitted(idle, LAST_ANSWERS_MS);
      await handler.close();
    },
  };
}

/** Answers are sent right after their operations end; this only guards against a bug. */
const LAST_ANSWERS_MS = 2_000;

async function emitted(emitter: Emitter<void>, timeoutMs: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const unsubscribe = emitter.subscribe(resolve);
  const timer = setTimeout(resolve, timeoutMs);
  await promise;
  clearTimeout(timer);
  unsubscribe();
}

/** Refuses the era in a way that makes clients of both fall back to a session. */
export function refusedModernEra(why: string): ModernEra {
  return {
    handle(_request, message) {
      const requested = typeof message === "object" && message !== null && "id" in message ? message.id : null;
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
    close: () => Promise.resolve(),
  };
}

const NEWEST = "2026-07-28";
const ENCODER = new TextEncoder();

/** The last message of a stream of events, which is the answer, as a body that begins when it is there. */
function answerIn(events: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  const reader = events.pipeThrough(new TextDecoderStream()).getReader();
  return new ReadableStream({
    async pull(controller) {
      let text = "";
      for (let read = await reader.read(); !read.done; read = await reader.read()) {
        // Only the last event counts: what is complete and not the last goes at once.
        text += read.value;
        const last = text.lastIndexOf("\ndata: ");
        if (last > 0) text = text.slice(last);
      }
      const data = /^data: (.*)$/m.exec(text.slice(Math.max(0, text.lastIndexOf("data: "))))?.[1] ?? "";
      controller.enqueue(ENCODER.encode(data));
      controller.close();
    },
    cancel: (reason) => reader.cancel(reason),
  });
}
