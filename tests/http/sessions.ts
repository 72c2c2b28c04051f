/** Several clients on one server: what is one's own stays one's own, and what was lost on the way comes again. */
import assert from "node:assert/strict";
import { until } from "../_support/deadline.ts";
import { EventReader } from "../_support/clients/event_reader.ts";
import { HttpClient } from "../_support/clients/http_client.ts";
import { HttpServerProcess, initializeMessage } from "../_support/servers/http_server.ts";
import { type RpcMessage, toolAnswer } from "../_support/json_rpc.ts";
import { sharing } from "../_support/sharing.ts";
import { Workbench } from "../_support/workbench.ts";
import { test } from "./servers.ts";

const SHELL = "sandboxed_shell";

/** It says everything on stderr: its end fails its tests when stdout carried anything. */
const testTalkative = sharing((bench) =>
  HttpServerProcess.start(bench, { flags: ["--debug", "--log-to-stderr", "--dashboard"] })
);

function callMessage(id: string | number, command: string, progressToken?: string): object {
  const _meta = progressToken === undefined ? {} : { progressToken };
  return {
    jsonrpc: "2.0",
    id,
    method: "tools/call",
    params: { name: SHELL, arguments: { command, execution_mode: "Synchronous" }, _meta },
  };
}

test("H2 C3 fault 18: two clients with the same id and the same progress token, and nothing crosses, over HTTP", async ({ bench, server }) => {
  const names = ["alpha", "beta"];
  const clients = await Promise.all(names.map(() => HttpClient.connect(server)));
  const seen = await Promise.all(clients.map(async (client, index) => {
    const name = names[index] ?? "";
    const command = `touch ${name}; until [ -e alpha ] && [ -e beta ]; do sleep 0.05; done; ` +
      `for i in 1 2 3 4; do echo ${name} $i; until [ -e heard-${name} ]; do sleep 0.05; done; done`;
    await using reader = new EventReader(await client.send(callMessage(1, command, "tok")));
    const progress = await reader.message(({ method }) => method === "notifications/progress");
    bench.write(`heard-${name}`, "");
    return [progress, ...await reader.rest()].map(({ message }) => message).filter((message) => message !== undefined);
  }));
  for (const [index, messages] of seen.entries()) {
    const [own, other] = [names[index] ?? "", names[1 - index] ?? ""];
    const text = JSON.stringify(messages);
    assert.ok(text.includes(`${own} 4`) && !text.includes(other), text);
    assert.strictEqual(messages.at(-1)?.id, 1);
    assert.ok(messages.length >= 2, "progress came");
    assert.deepStrictEqual(
      new Set(messages.slice(0, -1).map((one) => one?.params?.["progressToken"])),
      new Set(["tok"]),
    );
  }
  assert.ok(clients.every((client) => !JSON.stringify(client.heard).includes("progress")));
  for (const client of clients) await client[Symbol.asyncDispose]();
});

test("H2 X11 the operations of one session cannot be seen, waited for or cancelled from another", async ({ bench, server }) => {
  await using one = await HttpClient.connect(server);
  await using other = await HttpClient.connect(server);
  const started = await one.start("echo secret; touch begun; until [ -e go ]; do sleep 0.05; done");
  const id = started.operation?.operation_id ?? "";
  await bench.appears("begun");
  const unknown = new RegExp(`Operation "${id}" is unknown`);
  for (const tool of ["await", "cancel", "status"]) {
    assert.match((await other.call(tool, { operation_id: id })).text, unknown, tool);
  }
  assert.match((await other.call("status")).text, /^0 running, 0 queued, 0 ended/);
  assert.match((await one.call("status")).text, /^1 running/);
  bench.write("go", "");
  const ended = await one.hears("notifications/message");
  assert.match(JSON.stringify(ended), new RegExp(id));
  // The other session hears of nothing, and its next result carries no news.
  assert.doesNotMatch((await other.shell("echo mine")).text, /secret|Ended since/);
  assert.match((await one.shell("echo mine")).text, /Ended since[^]*secret/);
  assert.deepStrictEqual(other.heard.filter(({ method }) => method === "notifications/message"), []);
});

test("H2 H4 requests without a session find an operation by its id only", async ({ server }) => {
  const call = async (name: string, args: object) => {
    const response = await server.modern("tools/call", { name, arguments: args }, { accept: "application/json" });
    assert.strictEqual(response.status, 200);
    return toolAnswer(await response.json());
  };
  const started = await call(SHELL, { command: "echo done", execution_mode: "AsyncResultPush" });
  const id = started.operation?.operation_id ?? "";
  assert.match((await call("await", { operation_id: id })).text, /done/);
  assert.match((await call("status", { operation_id: id })).text, /completed/);
  assert.doesNotMatch((await call("status", {})).text, new RegExp(id));
  const blind = await call("await", {});
  assert.deepStrictEqual([blind.isError, /operation_id/.test(blind.text)], [true, true]);
});

test("H7 an event stream that broke goes on after the last event seen, and nothing comes twice", async ({ bench, server }) => {
  await using client = await HttpClient.connect(server, { listens: false });
  const command = "echo one; touch broke; until [ -e broke.go ]; do sleep 0.05; done; echo two";
  const response = await client.send(callMessage("c", command, "tok"));
  await using reader = new EventReader(response);
  const opening = await reader.message(({ method }) => method === "notifications/progress");
  // The client goes, the command does not (first era), and the answer is kept.
  await reader[Symbol.asyncDispose]();
  bench.write("broke.go", "");
  const again = await client.fetch("GET", { accept: "text/event-stream", "last-event-id": opening.id ?? "" });
  await using resumed = new EventReader(again);
  const rest = await resumed.rest();
  assert.strictEqual(rest.at(-1)?.message?.id, "c");
  assert.match(JSON.stringify(rest.at(-1)?.message), /one\\ntwo/);
  assert.ok(rest.every(({ id }) => id !== opening.id));
  assert.strictEqual(new Set(rest.map(({ id }) => id)).size, rest.length);
  // From the answer on there is nothing more, and the stream is over.
  const after = await client.fetch("GET", { accept: "text/event-stream", "last-event-id": rest.at(-1)?.id ?? "" });
  await using empty = new EventReader(after);
  assert.deepStrictEqual(await empty.rest(), []);
  const wrong = await client.fetch("GET", { accept: "text/event-stream", "last-event-id": "no such" });
  assert.strictEqual(wrong.status, 400);
  await wrong.body?.cancel();
});

test("H7 a stream is replayed to its own client only, and by its own events only", async ({ server }) => {
  await using client = await HttpClient.connect(server, { listens: false });
  const streams = await Promise.all(["a", "b"].map(async (name) => {
    await using reader = new EventReader(await client.send(callMessage(name, `echo ${name}${name}`)));
    return await reader.rest();
  }));
  const [first] = streams[0] ?? [];
  const again = await client.fetch("GET", { accept: "text/event-stream", "last-event-id": first?.id ?? "" });
  await using reader = new EventReader(again);
  const text = JSON.stringify((await reader.rest()).map(({ message }) => message));
  assert.ok(text.includes("aa") && !text.includes("bb"), text);
});

test("H7 C3 fault 8: each message of the server goes to one stream only, however many are open, over HTTP", async ({ server }) => {
  await using client = await HttpClient.connect(server);
  await using second = new EventReader(await client.fetch("GET", { accept: "text/event-stream" }));
  const { operation } = await client.start("true");
  const event = await second.message(({ method }) => method === "notifications/message");
  assert.match(JSON.stringify(event.message), new RegExp(operation?.operation_id ?? "none"));
  await client.request("ping");
  assert.deepStrictEqual(client.heard.filter(({ method }) => method === "notifications/message"), []);
});

test("H4 C3 fault 15: a client that leaves cancels its request in the newest era, and not in a session, over HTTP", async ({ bench, server }) => {
  await using client = await HttpClient.connect(server);
  // More than the few hundred bytes below which the runtime would tell of the leaving by itself.
  const padding = ` # ${"x".repeat(4000)}`;
  const leave = async (file: string, post: (signal: AbortSignal) => Promise<Response>) => {
    const abort = new AbortController();
    const gone = post(abort.signal).then((response) => response.text()).catch((error: unknown) => {
      if (!(error instanceof DOMException)) throw error;
    });
    await bench.appears(file);
    abort.abort();
    await gone;
  };
  for (const accept of ["application/json", "application/json, text/event-stream"]) {
    const file = `modern${accept.length}`;
    const args = { command: `touch ${file}; sleep 4444${padding}`, execution_mode: "Synchronous" };
    await leave(file, (signal) => server.modern("tools/call", { name: SHELL, arguments: args }, { signal, accept }));
    await bench.processesGone("sleep 4444", 30_000);
  }
  const stays = `touch legacy; until [ -e left.go ]; do sleep 0.05; done; touch finished${padding}`;
  for (const accept of ["application/json", "text/event-stream"]) {
    await leave("legacy", (signal) => client.send(callMessage(accept, stays), { signal, accept }));
    await Deno.remove(`${bench.scope}/legacy`);
  }
  bench.write("left.go", "");
  await bench.appears("finished");
  const bothEnded = async () => /0 running[^]*completed[^]*completed/.test((await client.call("status")).text);
  await until(bothEnded, 20_000, "both commands to end");
});

test("H7 a client that does not read holds up no other, and a flood of its progress does not fill the memory", async ({ bench, server }) => {
  await using lazy = await HttpClient.connect(server);
  await using busy = await HttpClient.connect(server);
  const lines = "seq -f 'line %g of a long long long long story'";
  const flood =
    `touch flooding; ${lines} 400000; until [ -e quick ]; do ${lines} 1000; sleep 0.02; done; touch flooded`;
  const response = await lazy.send(callMessage("flood", flood, "tok"));
  await bench.appears("flooding");
  assert.match((await busy.shell("touch quick; echo quick")).text, /quick/);
  await bench.appears("flooded", 60_000);
  const pages = Number((await Deno.readTextFile(`/proc/${server.pid}/statm`)).split(" ")[1]);
  assert.ok(pages * 4096 < 400 * 1024 * 1024, `${pages} pages`);
  await using reader = new EventReader(response);
  const answer = await reader.message(({ id }) => id === "flood");
  assert.match(toolAnswer(answer.message ?? {}).text, /completed|exit code 0/);
});

test("H8 the server is reached on the loopback only, and elsewhere not without a token", async ({ server }) => {
  const outer = Deno.networkInterfaces().find(({ family, address }) =>
    family === "IPv4" && !address.startsWith("127.")
  );
  if (outer !== undefined) {
    await assert.rejects(Deno.connect({ hostname: outer.address, port: server.port }), Deno.errors.ConnectionRefused);
  }
  using other = new Workbench();
  await assert.rejects(
    HttpServerProcess.start(other, { flags: ["--http-host", "0.0.0.0"] }),
    /Cannot listen on "0.0.0.0" without --require-token/,
  );
});

testTalkative(
  "H9 C3 fault 2: nothing is written to stdout, whatever commands and clients do, over HTTP",
  async ({ server }) => {
    await using client = await HttpClient.connect(server);
    assert.match((await client.shell("echo out; echo err >&2; exit 3")).text, /out\nerr/);
    const refused = await server.post("{", { headers: client.headers });
    assert.deepStrictEqual([refused.status, (await refused.json()).error?.code], [400, -32700]);
    assert.notEqual(server.stderr, "", "the control: there was something to say");
  },
);

testTalkative(
  "V2 V3 an HTTP server serves the page as well, and what keeps its stderr gets no token",
  async ({ server }) => {
    const line = await until(() => /^Dashboard: (\S+)$/m.exec(server.stderr)?.[1], 20_000, "the address");
    assert.match(line, /^file:\/\/\/.*\/dashboard-\d+\.html$/);
    const path = new URL(line).pathname;
    assert.strictEqual(((await Deno.stat(path)).mode ?? 0) & 0o777, 0o600);
    const [, origin = "", token = ""] =
      /url=(http:\/\/127\.0\.0\.1:\d+)\/#(\w{64})"/.exec(await Deno.readTextFile(path)) ?? [];
    const events = await fetch(`${origin}/api/events`, { headers: { authorization: `Bearer ${token}` } });
    assert.strictEqual(events.status, 200);
    await events.body?.cancel();
    assert.ok(!server.stderr.includes(token));
  },
);

// The last one of this server.
testTalkative(
  "H9 H11 X14 a stop lets what runs end, answers it, closes the streams and ends with code 0; with --debug all messages were shown, with colours only on a terminal, and without secrets",
  async ({ bench, server }) => {
    await using client = await HttpClient.connect(server);
    await client.shell("echo --token hunter2abc");
    await (await server.modern("tools/call", { name: "status", arguments: {} }, { id: "modern" })).text();
    const working = (begun: string) => ({
      name: SHELL,
      arguments: {
        command: `trap 'touch told' TERM; touch "${begun}"; until [ -e go ]; do sleep 0.05; done; echo finished`,
        execution_mode: "Synchronous",
      },
    });
    const answer = client.request("tools/call", working("begun"));
    await bench.appears("begun");
    const modern = server.modern("tools/call", working("begun too"));
    await bench.appears("begun too");
    server.kill("SIGTERM");
    // A signal takes its way: until the server has heard it, sessions begin. Then they are refused, or the port is closed.
    const refused = async () => {
      const late = await server.post(initializeMessage("2025-11-25")).catch(() => undefined);
      await late?.body?.cancel();
      return late?.status === undefined || late.status === 503;
    };
    await until(refused, 10_000, "new sessions to be refused");
    bench.write("go", "");
    assert.match(toolAnswer(await answer).text, /finished/);
    assert.match(await (await modern).text(), /finished/);
    assert.match(JSON.stringify(await client.hears("notifications/sandbox/terminated")), /shutting down/);
    assert.deepStrictEqual((await server.exit()).code, 0);
    assert.match(server.stderr, /\[[0-9a-f]{8}\] → STDIN: \{\n {2}"jsonrpc": "2.0",\n {2}"id": 1/);
    assert.match(server.stderr, /← STDOUT: \{/);
    assert.match(server.stderr, /→ STDIN: \{\n {2}"jsonrpc": "2.0",\n {2}"id": "modern"/);
    assert.ok(!server.stderr.includes("hunter2abc"), server.stderr);
    // deno-lint-ignore no-control-regex -- the escape character is what is looked for
    assert.doesNotMatch(server.stderr, /\x1b/);
  },
);

test("S17 a session is told its sandbox", async ({ bench, server }) => {
  await using client = await HttpClient.connect(server);
  const { params } = await client.hears("notifications/sandbox/configured");
  assert.deepStrictEqual([params?.["scope"], Number(params?.["abi"]) >= 1], [bench.scope, true]);
});

test("H4 C1 the newest era is served on the same endpoint, and subscriptions hear of changed tools", async ({ bench, server }) => {
  const listen = await server.modern("subscriptions/listen", { notifications: { toolsListChanged: true } }, {
    id: "s",
  });
  await using reader = new EventReader(listen);
  await reader.message(({ method }) => method === "notifications/subscriptions/acknowledged");
  await using client = await HttpClient.connect(server);
  await client.request("tools/list");
  bench.write(".ahma/tools/two.json", JSON.stringify({ name: "two", command: "echo", description: "Two." }));
  const told = await reader.message(({ method }) => method === "notifications/tools/list_changed");
  assert.ok(told.message !== undefined);
  await client.hears("notifications/tools/list_changed");
  const names = (message: RpcMessage) => JSON.stringify(message.result?.["tools"]);
  assert.match(names(await client.request("tools/list")), /"two"/);
});

/** More events than a session keeps: each request has two. */
async function sayMuch(client: HttpClient): Promise<void> {
  for (let id = 0; id < 600; id++) {
    await (await client.send({ jsonrpc: "2.0", id: `much ${id}`, method: "ping" })).text();
  }
}

async function resume(client: HttpClient, lastEventId: string): Promise<EventReader> {
  return new EventReader(
    await client.fetch("GET", { accept: "text/event-stream", "last-event-id": lastEventId }),
  );
}

test("H7 C3 a client that comes back for what is no longer kept is told so: an answer is an error, and a stream goes on with a warning where those are wanted", async ({ server }) => {
  for (const level of ["debug", "error"]) {
    await using client = await HttpClient.connect(server, { listens: false });
    let stream = new EventReader(await client.fetch("GET", { accept: "text/event-stream" }));
    const priming = (await stream.next())?.id ?? (await stream.next())?.id ?? "";
    await client.notify("notifications/initialized");
    await client.request("logging/setLevel", { level });
    await stream.message(({ method }) => method === "notifications/sandbox/configured");
    await stream[Symbol.asyncDispose]();
    await (level === "debug" ? provesAnswer(client) : sayMuch(client));
    stream = await resume(client, priming);
    const [opening, comment] = [await stream.next(), await stream.next()];
    assert.deepStrictEqual([opening?.data, comment?.data], [undefined, undefined]);
    // Something new, which comes after.
    await client.request("resources/subscribe", { uri: "ahma://operations" });
    await client.start("true");
    const next = await stream.message(({ method }) => method !== "notifications/progress");
    if (level === "debug") {
      assert.deepStrictEqual([next.id, next.message?.method], [undefined, "notifications/message"]);
      assert.match(String(next.message?.params?.["data"]), /no longer kept: read again/);
    } else {
      assert.deepStrictEqual([typeof next.id, next.message?.method], ["string", "notifications/resources/updated"]);
    }
    await stream[Symbol.asyncDispose]();
  }
});

/** An answer comes again while it is kept, and is an error later. */
async function provesAnswer(client: HttpClient): Promise<void> {
  await using reader = new EventReader(await client.send({ jsonrpc: "2.0", id: "mine", method: "ping" }));
  const priming = (await reader.next())?.id ?? (await reader.next())?.id ?? "";
  const answer = (await reader.rest()).at(-1);
  await using kept = await resume(client, priming);
  assert.deepStrictEqual((await kept.rest()).map(({ message }) => message), [
    { jsonrpc: "2.0", id: "mine", result: {} },
  ]);
  await sayMuch(client);
  await using late = await resume(client, priming);
  const [lost, ...more] = await late.rest();
  assert.deepStrictEqual([lost?.id, lost?.message?.id, more], [undefined, "mine", []]);
  assert.match(lost?.message?.error?.message ?? "", /was sent and is no longer kept/);
  await using seen = await resume(client, answer?.id ?? "");
  assert.deepStrictEqual(await seen.rest(), []);
}
