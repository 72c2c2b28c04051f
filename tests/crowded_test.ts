/**
 * Messages of very many members, of clients and of servers, in bodies and in events of an address too: each is refused
 * before it is parsed, and answered under its id where it has one. The connection lives on (C2, O6).
 */
import assert from "node:assert/strict";
import { HTTP_PERMISSIONS } from "../scripts/permissions.ts";
import { LONGEST_MESSAGE, MOST_MEMBERS } from "../src/wire/message_bounds.ts";
import { HttpClient } from "./_support/clients/http_client.ts";
import { until } from "./_support/deadline.ts";
import type { RpcMessage } from "./_support/json_rpc.ts";
import { workOf } from "./_support/kernel/thread_work.ts";
import { ServerProcess } from "./_support/server_process.ts";
import { HttpServerProcess } from "./_support/servers/http_server.ts";
import { Crowded, PARTS } from "./_support/servers/crowded.ts";
import { namesOf, withServers } from "./_support/servers/upstream.ts";
import { Workbench } from "./_support/workbench.ts";

/** So many that parsing them shows in memory and time. */
const MANY = 900_000;
/** Enough to be refused. */
const ENOUGH = MOST_MEMBERS + 1_000;
/** Held for a text of a client, and for one of a server that is passed on, in sizes of it: 8 and 7 before. */
const MOST_COPIES = { read: 5, passed: 6 };
const LIMIT = `more than ${MOST_MEMBERS} keys and list items`;
const REFUSAL = `Invalid request: the message has ${LIMIT}, the limit`;
/** What the program may have held at once, MiB: such a message took 500 and more when it was parsed. */
const MOST_HELD = 300;
/** Processor time of a refused message, in that of a text of the same size that is served: parsed it took fifty times as much. */
const MOST_WORK = 5;

/** So many members of an object. */
function members(count: number): string {
  return Array.from({ length: count }, (_, at) => `"k${at}":1`).join(",");
}

const CROWD = members(MANY);
const SOME = members(ENOUGH);

/** The most that a process has held, MiB. */
async function peakOf({ pid }: { readonly pid: number }): Promise<number> {
  return Number(/^VmHWM:\s+(\d+)/m.exec(await Deno.readTextFile(`/proc/${pid}/status`))?.[1]) / 1024;
}

/** The memory that a process took for `work` beyond what it had, in sizes of a message. */
async function copiesOf({ pid }: { readonly pid: number }, length: number, work: () => Promise<unknown>) {
  const status = await Deno.readTextFile(`/proc/${pid}/status`);
  const before = Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]) / 1024;
  await Deno.writeTextFile(`/proc/${pid}/clear_refs`, "5"); // the peak begins again
  await work();
  return (await peakOf({ pid }) - before) * 1024 * 1024 / length;
}

/** The value of `work`, during which a ping of another request is answered. */
async function pinged<Value>(ping: () => Promise<RpcMessage>, work: Promise<Value>): Promise<Value> {
  const [value, pong] = await Promise.all([work, ping()]);
  assert.deepStrictEqual(pong.result, {});
  return value;
}

/** Many thousands of members, and legitimate. */
const HONEST_ROWS = JSON.stringify(
  Array.from({ length: 3_000 }, (_, at) => ({ id: at, name: "row", ok: true, price: 1.5 })),
);

/** A server whose one tool says what it is asked to say; \`ID\` and \`TOKEN\` are those of the call. */
const SERVER = `
import json, sys
def say(text):
    sys.stdout.write(text + "\\n")
    sys.stdout.flush()
def send(message):
    say(json.dumps({"jsonrpc": "2.0", **message}))
def members(count):
    return ",".join('"k%d":1' % n for n in range(count))
MANY, SOME = members(${MANY}), members(${ENOUGH})
LINES = {
    "structuredContent": ['"id":ID,"result":{"content":[],"structuredContent":{MANY}}'],
    "_meta": ['"result":{"content":[],"_meta":{SOME}},"id":ID'],
    "list": ['"id":ID,"result":{"content":[' + '{"type":"text","text":""},' * ${ENOUGH} + '7]}'],
    "odd": ['"id":ID,"result":{"content":[' + '{"type":"odd"},' * 8000 + '7]}'],
    "deep": ['"id":ID,"result":{"content":' + "[" * 100000],
    "elicitation": ['"id":"ask%d","method":"elicitation/create","params":{"message":"x","requestedSchema":{SOME}}' % n for n in range(3)],
    "progress": ['"method":"notifications/progress","params":{"progressToken":TOKEN,"progress":%d,SOME}' % n for n in range(3)],
    "log": ['"method":"notifications/message","params":{"level":"error","data":{SOME}}'] * 3,
    "rows": ['"id":ID,"result":{"content":[],"structuredContent":{"rows":${HONEST_ROWS}}}'],
    "text": ['"id":ID,"result":{"content":[{"type":"text","text":"%s"}]}' % ("x" * len(MANY))],
}
refused = []
for line in sys.stdin:
    message = json.loads(line)
    method, params, id = message.get("method"), message.get("params") or {}, message.get("id")
    if method == "initialize":
        send({"id": id, "result": {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}},
              "serverInfo": {"name": "x", "version": "1"}}})
    elif method == "tools/list":
        send({"id": id, "result": {"tools": [{"name": "say", "inputSchema": {"type": "object"}}]}})
    elif method == "tools/call":
        what = params["arguments"]["what"]
        for text in LINES.get(what, []):
            text = text.replace("ID", str(id)).replace("TOKEN", json.dumps(params["_meta"]["progressToken"]))
            say('{"jsonrpc":"2.0",' + text.replace("MANY", MANY).replace("SOME", SOME) + "}")
        if what in ("elicitation", "progress", "log"):
            send({"id": id, "result": {"content": [{"type": "text", "text": what}]}})
        elif what == "refused":
            send({"id": id, "result": {"content": [{"type": "text", "text": json.dumps(refused)}]}})
    elif method is None:
        refused.append([id, message.get("error")])
`;

/** Ten MB of text and many thousands of members are served, without many copies; gives the processor time of the text. */
async function servesLegitimate(server: ServerProcess): Promise<number> {
  const say = (what: string) => server.call("crowded_say", { what });
  const { result } = await say("rows");
  assert.deepStrictEqual(result["structuredContent"], { rows: JSON.parse(HONEST_ROWS) });
  const copies = await copiesOf(server, CROWD.length, async () => {
    assert.strictEqual((await say("text")).text, "x".repeat(CROWD.length));
  });
  assert.ok(copies < MOST_COPIES.passed, `${copies} times the message`);
  assert.deepStrictEqual((await say("rows")).result["structuredContent"], { rows: JSON.parse(HONEST_ROWS) });
  return (await workOf(server, () => say("text"))).ms;
}

Deno.test("O6 C2 answers, questions and notifications of a server with very many members end as errors, other requests are answered meanwhile, and large but legitimate answers are served", async () => {
  using bench = new Workbench();
  const crowded = { command: "python3", args: [bench.write("crowded.py", SERVER)] };
  await using server = await withServers(bench, { crowded });
  assert.deepStrictEqual(await namesOf(server, "crowded_"), ["crowded_say"]);
  const say = async (what: string) => {
    const { isError, text } = await server.call("crowded_say", { what }, { deadline: 60_000 });
    return { isError, text };
  };
  const served = await servesLegitimate(server);
  const tooMany = `crowded: The server answered with ${LIMIT}, which is not read: ask it for less`;
  const tooDeep = tooMany.replace(LIMIT, "more than 500 objects and lists inside each other");
  const rows: readonly (readonly [what: string, text: string, isError: boolean])[] = [
    ["structuredContent", tooMany, true],
    ["_meta", tooMany, true],
    ["list", tooMany, true],
    ["deep", tooDeep, true],
    ["odd", "crowded: The server answered with malformed content (item 1)", true],
    ["elicitation", "elicitation", false],
    ["progress", "progress", false],
    ["log", "log", false],
  ];
  for (const [what, text, isError] of rows) {
    assert.deepStrictEqual(await pinged(() => server.request("ping"), say(what)), { isError, text });
  }
  for (const what of ["structuredContent", "odd"]) {
    const { ms } = await workOf(server, () => say(what));
    assert.ok(ms < MOST_WORK * served, `${what}: ${ms} ms, and ${served} ms for a text`);
  }
  const refused = JSON.parse((await say("refused")).text);
  const error = { code: -32600, message: REFUSAL };
  assert.deepStrictEqual(refused, [["ask0", error], ["ask1", error], ["ask2", error]]);
  const peak = await peakOf(server);
  assert.ok(peak < MOST_HELD, `${peak} MiB`);
});

/** What a client sends, and the id and the reason of its refusal. */
type Row = readonly [what: string, text: () => string, id: unknown, reason: string];

const TOO_DEEP = "Invalid request: the message has more than 500 objects and lists inside each other, the limit";
/** In turn over stdio and HTTP, where the same code decides; the first over both. */
const ROWS: readonly Row[] = [
  ["arguments", () => request("tools/call", `{"name":"status","arguments":{${CROWD}}}`), 7, REFUSAL],
  ["parameters of ping", () => request("ping", `{${SOME}}`), 7, REFUSAL],
  ["_meta", () => request("ping", `{"_meta":{${SOME}}}`), 7, REFUSAL],
  ["items", () => request("ping", `{"a":[${"1,".repeat(ENOUGH)}1]}`), 7, REFUSAL],
  ["nothing but brackets", () => "[".repeat(5_000_000), null, TOO_DEEP],
  ["deep parameters", () => request("ping", `{"a":${"[".repeat(100_000)}${"]".repeat(100_000)}}`), 7, TOO_DEEP],
  ["a batch", () => `[${Array(ENOUGH).fill('{"jsonrpc":"2.0","id":1,"method":"ping"}').join(",")}]`, null, REFUSAL],
];

function request(method: string, params: string): string {
  return `{"jsonrpc":"2.0","method":"${method}","params":${params},"id":7}`;
}

/** The same size, and served. */
function textRequest(length: number): string {
  return request("ping", `{"a":"${"x".repeat(length)}"}`);
}

Deno.test("C2 a client over stdio gets very many members back as an error, and what it asks next is answered", async () => {
  using bench = new Workbench();
  await using server = await ServerProcess.start(bench);
  const exchange = async (text: string) => {
    const answer = server.message(({ method }) => method === undefined, { what: "the answer" });
    await server.write(`${text}\n`);
    return await answer;
  };
  for (const [what, text, id, reason] of ROWS.filter((_, at) => at % 2 === 0)) {
    const [answer, pong] = await Promise.all([exchange(text()), server.request("ping", {}, { id: `after ${what}` })]);
    assert.deepStrictEqual(answer, { jsonrpc: "2.0", id, error: { code: -32600, message: reason } }, what);
    assert.deepStrictEqual(pong.result, {}, what);
  }
  const many = request("ping", `{${CROWD}}`);
  const served = await workOf(server, () => exchange(textRequest(many.length)));
  assert.deepStrictEqual(served.value.result, {});
  const { ms } = await workOf(server, () => exchange(many));
  assert.ok(ms < MOST_WORK * served.ms, `${ms} ms, and ${served.ms} ms for a text`);
  const peak = await peakOf(server);
  assert.ok(peak < MOST_HELD, `${peak} MiB`);
});

Deno.test("H8 C2 a client over HTTP that sends very many members, or halves of messages, keeps no other one waiting", async () => {
  using bench = new Workbench();
  await using server = await HttpServerProcess.start(bench);
  await using bad = await HttpClient.connect(server, { listens: false });
  await using good = await HttpClient.connect(server, { listens: false });
  const refusalOf = async (text: string) => {
    const response = await server.post(text, { headers: bad.headers, accept: "application/json" });
    return [response.status, await response.json()];
  };
  const ping = () => good.request("ping");
  for (const [what, text, id, reason] of ROWS.filter((_, at) => at === 0 || at % 2 === 1)) {
    const refused = await pinged(ping, refusalOf(text()));
    assert.deepStrictEqual(refused, [400, { jsonrpc: "2.0", id, error: { code: -32600, message: reason } }], what);
  }
  const unknown = request("tools/call", `{"name":"status","arguments":{"operation_id":"${"x".repeat(15_000_000)}"}}`);
  const copies = await copiesOf(server, unknown.length, () => refusalOf(unknown));
  assert.ok(copies < MOST_COPIES.read, `${copies} times the message`);
  const [status] = await pinged(ping, refusalOf(textRequest(LONGEST_MESSAGE)));
  assert.strictEqual(status, 413);
  const halves = await Promise.all(Array.from({ length: 300 }, () => halfOf(server.port, `${request("ping", "{")}`)));
  assert.deepStrictEqual((await ping()).result, {});
  for (const connection of halves) connection.close();
  const peak = await peakOf(server);
  assert.ok(peak < MOST_HELD, `${peak} MiB`);
});

/** A connection on which a part of a message has been sent. */
async function halfOf(port: number, text: string): Promise<Deno.TcpConn> {
  const connection = await Deno.connect({ hostname: "127.0.0.1", port });
  const head = `POST /mcp HTTP/1.1\r\nHost: localhost:${port}\r\nContent-Type: application/json\r\n` +
    `Content-Length: 100000\r\n\r\n`;
  await connection.write(new TextEncoder().encode(head + text));
  return connection;
}

Deno.test("O6 C2 servers at addresses that send very many members, or malformed content", async (test) => {
  using bench = new Workbench();
  await using http = new Crowded();
  await using sse = new Crowded();
  const entries = {
    http: { type: "http", url: http.url },
    sse: { type: "sse", url: `${sse.url}/sse` },
    modern: { type: "http", url: `${http.url}/modern` },
  };
  await using server = await withServers(bench, entries, { permissions: HTTP_PERMISSIONS });
  for (const [name, crowded] of Object.entries({ http, sse })) {
    await test.step(
      `events with very many members are taken out by the program, and its connection lives on, ${name}`,
      () => takesOut(server, name, crowded),
    );
  }
  await test.step(
    "malformed content of a server of 2026-07-28 takes no more of the program's time than good content",
    () => explainsInTime(server),
  );
});

async function takesOut(server: ServerProcess, name: string, crowded: Crowded): Promise<void> {
  assert.deepStrictEqual(await namesOf(server, `${name}_`), [`${name}_say`]);
  const say = async (what: string) => {
    const [{ isError, text }, pong] = await Promise.all([server.call(`${name}_say`, { what }), server.request("ping")]);
    assert.deepStrictEqual(pong.result, {});
    return { isError, text };
  };
  const text = `${name}: The server answered with ${LIMIT}, which is not read: ask it for less`;
  const tooMany = { isError: true, text };
  const done = { isError: false, text: "done" };
  assert.deepStrictEqual(await say("result"), tooMany);
  if (name === "http") assert.deepStrictEqual(await say("body"), tooMany);
  for (const what of ["notification", "question", "nothing"]) assert.deepStrictEqual(await say(what), done, what);
  const message = `Invalid request: the message has ${LIMIT}, the limit`;
  await until(() => crowded.refused.length > 0, 20_000, "the answer to its question");
  assert.deepStrictEqual(crowded.refused, [["ask", { code: -32600, message }]]);
  assert.strictEqual(crowded.opened, name === "sse" ? 1 : 0);
}

async function explainsInTime(server: ServerProcess): Promise<void> {
  assert.deepStrictEqual(await namesOf(server, "modern_"), ["modern_say"]);
  const say = async (what: string) => {
    const { isError, result: { content } } = await server.call("modern_say", { what });
    return { isError, content };
  };
  const text = "modern: The server answered with malformed content (item 1)";
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
}
