/** Servers at an address that answer with very many members, in bodies and in events. */
import { MOST_MEMBERS } from "../../../src/wire/message_bounds.ts";

const OBJECT = `{${Array.from({ length: MOST_MEMBERS + 1_000 }, (_, at) => `"k${at}":1`).join(",")}}`;
/** Within the bounds, and far more than the SDK explains in reasonable time. */
export const PARTS = 6_000;
const CAPABILITIES = { tools: {} };
const IN_2026 = { resultType: "complete", ttlMs: 0, cacheScope: "private" };
const INITIALIZED = {
  protocolVersion: "2025-11-25",
  capabilities: CAPABILITIES,
  serverInfo: { name: "crowded", version: "1" },
};
const TOOLS = { tools: [{ name: "say", inputSchema: { type: "object" } }] };

interface Message {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: { readonly arguments?: { readonly what?: string } };
  readonly error?: unknown;
}

/** A server at an address, by the current transport or the older one. */
export class Crowded implements AsyncDisposable {
  readonly #server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, (one) => this.#serve(one));
  /** Of the older transport: where all answers go. */
  #stream: ReadableStreamDefaultController<Uint8Array> | undefined;
  /** Streams of the older transport that were opened. */
  opened = 0;
  /** What it was told about its own questions. */
  readonly refused: unknown[] = [];

  get url(): string {
    return `http://127.0.0.1:${this.#server.addr.port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.shutdown();
  }

  async #serve(request: Request): Promise<Response> {
    if (new URL(request.url).pathname === "/modern") return modernAnswer(await request.json());
    if (request.method === "GET") return new URL(request.url).pathname === "/sse" ? this.#open() : refused(405);
    if (request.method !== "POST") return new Response();
    const message: Message = await request.json();
    if (message.method === undefined) this.refused.push([message.id, message.error]);
    if (message.id === undefined || message.method === undefined) return new Response(null, { status: 202 });
    if (this.#stream === undefined) return answerOf(message);
    this.#stream.enqueue(new TextEncoder().encode(eventsOf(message)));
    return new Response(null, { status: 202 });
  }

  #open(): Response {
    this.opened++;
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        this.#stream = controller;
        controller.enqueue(new TextEncoder().encode("event: endpoint\ndata: /messages\n\n"));
      },
    });
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  }
}

function refused(status: number): Response {
  return new Response(null, { status });
}

/** By the current transport: a body, or events where the call asks for them. */
function answerOf(message: Message): Response {
  const what = message.params?.arguments?.what;
  if (what === "body") {
    const headers = { "content-type": "application/json" };
    return new Response(`{"jsonrpc":"2.0","id":${message.id},"result":{"content":[],"structuredContent":${OBJECT}}}`, {
      headers,
    });
  }
  return new Response(eventsOf(message), { headers: { "content-type": "text/event-stream" } });
}

/** By 2026-07-28: a list of parts, good ones or such as do not exist. */
function modernAnswer({ id, method, params }: Message): Response {
  const part = params?.arguments?.what === "odd" ? { type: "odd", text: "x" } : { type: "text", text: "x" };
  const results: Readonly<Record<string, object>> = {
    "server/discover": { supportedVersions: ["2026-07-28"], capabilities: CAPABILITIES },
    "tools/list": TOOLS,
    "tools/call": { content: Array(PARTS).fill(part) },
  };
  return Response.json({ jsonrpc: "2.0", id, result: { ...IN_2026, ...results[method ?? ""] } });
}

function eventsOf({ id, method, params }: Message): string {
  if (method === "initialize") return event({ id, result: INITIALIZED });
  if (method === "tools/list") return event({ id, result: TOOLS });
  if (method !== "tools/call") return event({ id, error: { code: -32601, message: "unknown" } });
  const what = params?.arguments?.what;
  const done = event({ id, result: { content: [{ type: "text", text: "done" }] } });
  switch (what) {
    case "result":
      return `event: message\ndata: {"jsonrpc":"2.0",\ndata: "result":{"content":[],"_meta":${OBJECT}},"id":${id}}\n\n`;
    case "notification":
      return `data: {"jsonrpc":"2.0","method":"notifications/message","params":${OBJECT}}\r\n\r\n${done}`;
    case "question":
      return `data: {"jsonrpc":"2.0","id":"ask","method":"elicitation/create","params":${OBJECT}}\n\n${done}`;
    default:
      return done;
  }
}

function event(message: object): string {
  return `event: message\ndata: ${JSON.stringify({ jsonrpc: "2.0", ...message })}\n\n`;
}
