import { strict as assert } from "node:assert";
import { gzipSync } from "node:zlib";
import { MOST_MEMBERS } from "../../wire/message_bounds.ts";
import { boundedFetch } from "./bounded_fetch.ts";

const LONG = "x".repeat(17 * 1024 * 1024);
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
  for (const body of [`"${LONG}"`, new Uint8Array(gzipSync(`"${LONG}"`))]) {
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
  const events = `data: ${"y".repeat(1024 * 1024)}\r\n\r\n`.repeat(20);
  assert.deepStrictEqual(await read(typed("text/event-stream", events)), [200, events]);
  assert.deepStrictEqual(await read(typed("application/json", "{}"), { id: 1 }), [200, "{}"]);
  assert.deepStrictEqual(await read(() => new Response(null, { status: 202 })), [202, ""]);
  const [status, text] = await read(() => new Response(LONG, { status: 500 }));
  assert.deepStrictEqual([status, text.length <= 64 * 1024], [500, true]);
});
