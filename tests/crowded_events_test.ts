/** Servers at an address that answer with very many members, in bodies and in events: the connection lives on (O6, C2). */
import assert from "node:assert/strict";
import { HTTP_PERMISSIONS } from "../scripts/permissions.ts";
import { MOST_MEMBERS } from "../src/wire/message_bounds.ts";
import { until } from "./_support/deadline.ts";
import { workOf } from "./_support/kernel/thread_work.ts";
import { namesOf, withServers } from "./_support/servers/upstream.ts";
import { Workbench } from "./_support/workbench.ts";

const LIMIT = `more than ${MOST_MEMBERS} keys and list items`;
const MANY = `{${Array.from({ length: MOST_MEMBERS + 1_000 }, (_, at) => `"k${at}":1`).join(",")}}`;
/** Within the bounds, and far more than the SDK explains in reasonable time. */
const PARTS = 6_000;
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
class Crowded implements AsyncDisposable {
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
    return new Response(`{"jsonrpc":"2.0","id":${message.id},"result":{"content":[],"structuredContent":${MANY}}}`, {
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
      return `event: message\ndata: {"jsonrpc":"2.0",\ndata: "result":{"content":[],"_meta":${MANY}},"id":${id}}\n\n`;
    case "notification":
      return `data: {"jsonrpc":"2.0","method":"notifications/message","params":${MANY}}\r\n\r\n${done}`;
    case "question":
      return `data: {"jsonrpc":"2.0","id":"ask","method":"elicitation/create","params":${MANY}}\n\n${done}`;
    default:
      return done;
  }
}

function event(message: object): string {
  return `event: message\ndata: ${JSON.stringify({ jsonrpc: "2.0", ...message })}\n\n`;
}

for (const type of ["http", "sse"] as const) {
  Deno.test(`O6 C2 events with very many members are taken out by the program, and its connection lives on, ${type}`, async () => {
    using bench = new Workbench();
    await using crowded = new Crowded();
    const url = type === "sse" ? `${crowded.url}/sse` : crowded.url;
    await using server = await withServers(bench, { far: { type, url } }, { permissions: HTTP_PERMISSIONS });
    assert.deepStrictEqual(await namesOf(server, "far_"), ["far_say"]);
    const say = async (what: string) => {
      const [{ isError, text }, pong] = await Promise.all([server.call("far_say", { what }), server.request("ping")]);
      assert.deepStrictEqual(pong.result, {});
      return { isError, text };
    };
    const tooMany = {
      isError: true,
      text: `far: The server answered with ${LIMIT}, which is not read: ask it for less`,
    };
    const done = { isError: false, text: "done" };
    assert.deepStrictEqual(await say("result"), tooMany);
    if (type === "http") assert.deepStrictEqual(await say("body"), tooMany);
    for (const what of ["notification", "question", "nothing"]) assert.deepStrictEqual(await say(what), done, what);
    const message = `Invalid request: the message has ${LIMIT}, the limit`;
    await until(() => crowded.refused.length > 0, 20_000, "the answer to its question");
    assert.deepStrictEqual(crowded.refused, [["ask", { code: -32600, message }]]);
    assert.strictEqual(crowded.opened, type === "sse" ? 1 : 0);
  });
}

Deno.test("O6 C2 malformed content of a server of 2026-07-28 takes no more of the program's time than good content", async () => {
  using bench = new Workbench();
  await using crowded = new Crowded();
  const entry = { type: "http", url: `${crowded.url}/modern` };
  await using server = await withServers(bench, { far: entry }, { permissions: HTTP_PERMISSIONS });
  assert.deepStrictEqual(await namesOf(server, "far_"), ["far_say"]);
  const say = async (what: string) => {
    const { isError, result: { content } } = await server.call("far_say", { what });
    return { isError, content };
  };
  const text = "far: The server answered with malformed content (item 1)";
  const good = { isError: false, content: Array(PARTS).fill({ type: "text", text: "x" }) };
  const rows = { good, odd: { isError: true, content: [{ type: "text", text }] } };
  const took = { good: 0, odd: 0 };
  // The first turn warms both up.
  for (const turn of [0, 1, 2]) {
    for (const what of ["good", "odd"] as const) {
      const { ms, value } = await workOf(server, () => say(what));
      assert.deepStrictEqual(value, rows[what], what);
      if (turn > 0) took[what] += ms;
    }
  }
  assert.ok(took.odd < 3 * took.good, JSON.stringify(took));
});
