import { strict as assert } from "node:assert";
import { gzipSync } from "node:zlib";
import { MOST_MEMBERS } from "../../wire/message_bounds.ts";
import { boundedFetch, busyFor, BusyServer, type Fetch, fetchWithRetryAfter } from "./server_fetch.ts";

const LONG = "x".repeat(16 * 1024 * 1024);
const MESSAGE = "The server answered with more than 16 MiB, which is not read: ask it for less";

/** What is read when a server answers so to this request. */
async function read(response: () => Response, request?: object): Promise<readonly [number, string]> {
  const ended = new AbortController();
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, signal: ended.signal, onListen() {} }, response);
  try {
    const init = request === undefined ? {} : { method: "POST", body: JSON.stringify(request) };
    const answer = await boundedFetch(`http://127.0.0.1:${server.addr.port}/`, init);
    return [answer.status, await answer.text()];
  } finally {
    ended.abort();
    await server.finished;
  }
}

function typed(type: string, body: BodyInit, more: Readonly<Record<string, string>> = {}): () => Response {
  return () => new Response(body, { headers: { "content-type": type, ...more } });
}

Deno.test("O6 boundedFetch() answers a request itself whose answer is more than a message may be, however it comes", async () => {
  const request = { jsonrpc: "2.0", id: 7, method: "tools/call" };
  const refused = { jsonrpc: "2.0", id: 7, error: { code: -32603, message: MESSAGE } };
  for (const body of [`"${LONG}"`, new Uint8Array(gzipSync(`"${LONG}"`, { level: 1 }))]) {
    const coding = typeof body === "string" ? {} : { "content-encoding": "gzip" };
    const [status, text] = await read(typed("application/json", body, coding), request);
    assert.deepStrictEqual([status, JSON.parse(text)], [200, refused]);
  }
  const many = await read(typed("application/json", `[${"1,".repeat(MOST_MEMBERS)}1]`), request);
  const error = { code: -32603, message: MESSAGE.replace("16 MiB", `${MOST_MEMBERS} keys and list items`) };
  assert.deepStrictEqual([many[0], JSON.parse(many[1])], [200, { ...refused, error }]);
  const events = `data: 1\n\ndata: ${LONG}\n\n`;
  const [, text] = await read(typed("Text/Event-Stream; charset=utf-8", events), request);
  assert.deepStrictEqual(text.slice(0, 9), "data: 1\n\n");
  const [, data = ""] = text.split("\n\nevent: message\ndata: ");
  assert.deepStrictEqual(JSON.parse(data), refused);
  await assert.rejects(read(typed("text/event-stream", events)), { message: MESSAGE });
});

Deno.test("O6 boundedFetch() leaves whole what is short: events of any number, bodies, and the start of a refusal", async () => {
  const events = `data: ${"y".repeat(1024 * 1024)}\r\n\r\n`.repeat(17);
  assert.deepStrictEqual(await read(typed("text/event-stream", events)), [200, events]);
  assert.deepStrictEqual(await read(typed("application/json", "{}"), { id: 1 }), [200, "{}"]);
  assert.deepStrictEqual(await read(() => new Response(null, { status: 202 })), [202, ""]);
  const [status, text] = await read(() => new Response(LONG, { status: 500 }));
  assert.deepStrictEqual([status, text.length <= 64 * 1024], [500, true]);
});

/** What comes of a POST to a server that answers so, and how often it was asked. */
async function ask(answers: readonly [status: number, retryAfter?: string][], init: RequestInit = { method: "POST" }) {
  let asked = 0;
  const server: Fetch = () => {
    const [status, retryAfter] = answers[Math.min(asked++, answers.length - 1)] ?? [200];
    return Promise.resolve(new Response("body", { status, headers: retryAfter ? { "retry-after": retryAfter } : {} }));
  };
  const [ended] = await Promise.allSettled([
    fetchWithRetryAfter(server, () => Date.parse("2026-01-01T00:00:00Z"))("http://x", init),
  ]);
  return [ended.status === "fulfilled" ? ended.value.status : ended.reason.message, asked];
}

Deno.test("O2 fetchWithRetryAfter() repeats what a busy server refused, as often and as long as it says, within bounds", async () => {
  const busy = (seconds: number, status = 503) =>
    `The server is busy (HTTP ${status}) and takes requests again in ${seconds} s`;
  const table = [
    [await ask([[200]]), [200, 1]],
    [await ask([[503, "0"], [429, "0"], [200]]), [200, 3]],
    [await ask([[503, "0"]]), [busy(0), 4]],
    [await ask([[429, "11"]]), [busy(11, 429), 1]],
    [await ask([[503, "Thu, 01 Jan 2026 00:01:00 GMT"]]), [busy(60), 1]],
    [await ask([[503, "Wed, 31 Dec 2025 00:00:00 GMT"], [200]]), [200, 2]],
    [await ask([[503, "soon"]]), [503, 1]],
    [await ask([[429]]), [429, 1]],
    [await ask([[500, "0"]]), [500, 1]],
    [await ask([[503, "0"]], { method: "GET" }), [503, 1]],
    [await ask([[503, "5"]], { method: "POST", signal: AbortSignal.abort(new Error("taken back")) }), [
      "taken back",
      1,
    ]],
  ];
  assert.deepStrictEqual(table.map(([is]) => is), table.map(([, expected]) => expected));
});

Deno.test("O2 busyFor() finds the time in the causes of a failure", () => {
  const busy = new Error("outer", { cause: new Error("inner", { cause: new BusyServer(429, 7_000) }) });
  assert.deepStrictEqual([busyFor(busy), busyFor(new Error("other")), busyFor(undefined)], [
    7_000,
    undefined,
    undefined,
  ]);
});
