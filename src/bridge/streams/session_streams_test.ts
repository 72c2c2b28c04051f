import { strict as assert } from "node:assert";
import { SessionStreams, StreamNumbers } from "./session_streams.ts";

const ASK = { jsonrpc: "2.0" as const, id: 1, method: "roots/list" };
const TELL = { jsonrpc: "2.0" as const, method: "notifications/tools/list_changed" };

const PRIMES = true;

function setUp(takesWarnings = () => true, primes = false): SessionStreams {
  return new SessionStreams({
    headers: { "Mcp-Session-Id": "s" },
    keepAliveMs: 60_000,
    primes,
    takesWarnings,
    onLeft() {},
  });
}

/** Reads what a response holds already; `leave` closes its connection. */
function reading(response: unknown): { readonly next: () => Promise<string>; readonly leave: () => Promise<void> } {
  assert.ok(response instanceof Response && response.body !== null);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  return { next: async () => (await reader.read()).value ?? "(end)", leave: () => reader.cancel() };
}

function idIn(event: string): string {
  return /^id: (.*)$/m.exec(event)?.[1] ?? "";
}

Deno.test("H7 SessionStreams keeps a message without a stream, and sends a request of the server on any stream", async () => {
  const streams = setUp();
  streams.send(TELL);
  streams.send(ASK);
  const request = reading(await streams.open("c", "stream"));
  assert.match(await request.next(), /^: open/);
  assert.match(await request.next(), /roots\/list/);
  const standalone = reading(streams.listen(null));
  assert.match(await standalone.next(), /^: open/);
  // The question is on its way already: only the news comes here.
  assert.match(await standalone.next(), /list_changed/);
  streams.close("over");
  assert.match(await request.next(), /"code":-32000,"message":"over"/);
  assert.deepStrictEqual([await request.next(), await standalone.next()], ["(end)", "(end)"]);
});

Deno.test("H7 SessionStreams sends a request of the server again on another stream when its own is closed", async () => {
  const streams = setUp();
  const first = reading(streams.listen(null));
  await first.next();
  streams.send(ASK);
  assert.match(await first.next(), /roots\/list/);
  await first.leave();
  const second = reading(streams.listen(null));
  await second.next();
  assert.match(await second.next(), /roots\/list/);
  assert.deepStrictEqual([streams.answered(1), streams.answered(1)], [true, false]);
  await second.leave();
  const third = reading(streams.listen(null));
  await third.next();
  streams.send(TELL);
  assert.match(await third.next(), /list_changed/, "an answered question is not asked again");
  streams.close("over");
});

Deno.test("H7 SessionStreams resumes a stream after the event named, and repeats no request of the server", async () => {
  const streams = setUp();
  const first = reading(streams.listen(null));
  await first.next();
  streams.send(TELL);
  const seen = await first.next();
  streams.send(ASK);
  await first.leave();
  const again = reading(streams.listen(idIn(seen)));
  await again.next();
  assert.match(await again.next(), /roots\/list/);
  streams.send(TELL);
  assert.match(await again.next(), /list_changed/, "the question came once");
  streams.close("over");
});

Deno.test("H7 SessionStreams writes an answer that comes first as a whole, and replays it as one of a stream", async () => {
  const streams = setUp(undefined, PRIMES);
  const [whole, streamed] = [streams.open("a", "stream"), streams.open("b", "stream")];
  // Its stream has begun when the answer comes.
  streams.send({ jsonrpc: "2.0", method: "notifications/progress", params: { progress: 1 } }, "b");
  for (const id of ["a", "b"]) streams.send({ jsonrpc: "2.0", id, result: {} });
  const [first, second] = await Promise.all([whole, streamed].map(async (response) => await (await response).text()));
  const answer = (id: string) => `data: {"jsonrpc":"2.0","id":"${id}","result":{}}\n\n`;
  assert.strictEqual(first, `event: message\nid: 1-3\ndata: \n\nevent: message\nid: 1-4\n${answer("a")}`);
  assert.match(second ?? "", /^: open\n\nevent: message\nid: 3-1\ndata: \n\n[^]*id: 3-5\n/);
  const again = streams.listen("1-3");
  assert.ok(again instanceof Response);
  assert.strictEqual(await again.text(), `: open\n\nevent: message\nid: 1-4\n${answer("a")}`);
  assert.ok(!streams.isUsed);
});

Deno.test("H7 SessionStreams closes a cancelled request without an answer, and drops a late one", async () => {
  const streams = setUp();
  const json = streams.open("a", "json");
  const stream = reading(await streams.open("b", "stream"));
  await stream.next();
  for (const id of ["a", "b"]) {
    streams.cancel(id);
    streams.send({ jsonrpc: "2.0", id, result: {} });
  }
  const { status, body } = await json;
  assert.deepStrictEqual([status, body, await stream.next(), streams.isUsed], [202, null, "(end)", false]);
});

Deno.test("H7 SessionStreams gives a client that does not read no more progress, and then its answer", async () => {
  const streams = setUp();
  const response = await streams.open("c", "stream");
  const params = { progressToken: 1, progress: 1, message: "x".repeat(1000) };
  for (let index = 0; index < 2000; index++) {
    streams.send({ jsonrpc: "2.0", method: "notifications/progress", params }, "c");
  }
  streams.send({ jsonrpc: "2.0", id: "c", result: { done: 1 } });
  const text = await response.text();
  assert.ok(text.length < 400_000, String(text.length));
  assert.match(text, /"result":\{"done":1\}/);
});

Deno.test("H7 H8 SessionStreams replays only streams that existed, and has no more open than allowed, however asked", async () => {
  const streams = setUp();
  const never = ["2-0", "4-1", "3-1", "-1-1", "0-1", "999999999999999-1"];
  streams.send(TELL);
  const readers = [reading(streams.listen(null))];
  await readers[0]?.next();
  const id = idIn(await readers[0]?.next() ?? "");
  assert.strictEqual(id, "2-1");
  assert.deepStrictEqual(never.map((one) => statusOf(streams.listen(one))), never.map(() => 400));
  await readers[0]?.leave();
  for (let count = 0; count < 4; count++) readers.push(reading(streams.listen(null)));
  assert.deepStrictEqual([statusOf(streams.listen(null)), statusOf(streams.listen(id))], [409, 409]);
  await readers[1]?.leave();
  readers.push(reading(streams.listen(id)));
  // The same once more takes the place of the first.
  const again = reading(streams.listen(id));
  assert.match(await readers.at(-1)?.next() ?? "", /^: open/);
  assert.strictEqual(await readers.at(-1)?.next(), "(end)");
  streams.close("over");
  assert.match(await again.next(), /^: open/);
  assert.strictEqual(await again.next(), "(end)");
});

/** Sends more than is kept. */
function flood(streams: SessionStreams): void {
  for (let index = 0; index < 1100; index++) {
    streams.send({ jsonrpc: "2.0", method: "notifications/message", params: { index } });
  }
}

Deno.test("H7 SessionStreams tells a client that comes back for more than is kept that something is missing", async () => {
  const missing = /^: Some earlier messages of this stream are no longer kept/;
  for (const takesWarnings of [true, false]) {
    const streams = setUp(() => takesWarnings);
    const first = reading(streams.listen(null));
    await first.next();
    streams.send(TELL);
    const id = idIn(await first.next());
    streams.send(ASK);
    assert.match(await first.next(), /roots\/list/);
    await first.leave();
    const again = reading(streams.listen(id));
    const whole = [await again.next(), await again.next()].join("");
    assert.match(whole, /^: open\n\nevent: message\nid: 2-2\ndata: .*roots\/list/, "all there is, and not a word more");
    flood(streams);
    await again.leave();
    const late = reading(streams.listen(id));
    await late.next();
    assert.match(await late.next(), missing);
    const warning =
      `event: message\ndata: {"jsonrpc":"2.0","method":"notifications/message","params":{"level":"warning"`;
    // It has no id, so that a client that resumes once more names the event before it.
    if (takesWarnings) assert.ok((await late.next()).startsWith(warning));
    const kept = [];
    for (let event = await late.next(); !event.includes('"index":1099'); event = await late.next()) kept.push(event);
    assert.ok(
      kept.length > 500 && kept.every((event) => /^event: message\nid: 2-\d+\n/.test(event)),
      String(kept.length),
    );
    assert.match(await late.next(), /roots\/list/, "a question that is gone is asked again");
    streams.close("over");
  }
});

Deno.test("H7 SessionStreams answers a request whose answer is no longer kept with an error, once it is asked for", async () => {
  const streams = setUp(() => true, PRIMES);
  const lost = reading(await streams.open("lost", "stream"));
  await lost.next();
  const id = idIn(await lost.next());
  await lost.leave();
  streams.send({ jsonrpc: "2.0", id: "lost", result: { done: 1 } });
  assert.match(await responseText(streams.listen(id)), /"result":\{"done":1\}/, "it is still kept");
  const standalone = streams.listen(null);
  flood(streams);
  const text = await responseText(streams.listen(id));
  const error = { code: -32000, data: { reason: "answer_not_kept", retry: "unsafe" } };
  const data = JSON.parse(/^data: (\{.*)$/m.exec(text)?.[1] ?? "{}");
  assert.match(data.error?.message, /no longer kept/);
  assert.deepStrictEqual(data, { jsonrpc: "2.0", id: "lost", error: { ...error, message: data.error.message } });
  // A client that has the answer misses nothing.
  const seen = await responseText(streams.listen("1-2"));
  assert.strictEqual(seen, ": open\n\n");
  streams.close("over");
  await responseText(standalone);
});

async function responseText(response: unknown): Promise<string> {
  assert.ok(response instanceof Response);
  return await response.text();
}

function statusOf(answer: { readonly status: number }): number {
  return answer.status;
}

Deno.test("H7 StreamNumbers gives each stream its own, and knows the kind of those it gave", () => {
  const numbers = new StreamNumbers();
  assert.deepStrictEqual(["request", "request", "standalone"].map((kind) => numbers.next(kind as "request")), [
    1,
    3,
    2,
  ]);
  assert.deepStrictEqual([-1, 0, 1, 2, 3, 4, 5].map((number) => numbers.kindOf(number)), [
    undefined,
    undefined,
    "request",
    "standalone",
    "request",
    undefined,
    undefined,
  ]);
});
