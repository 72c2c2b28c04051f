/** A third-party stdio server behind our HTTP, shared by all clients or one for each, always in the sandbox (H10). */
import assert from "node:assert/strict";
import { HTTP_PERMISSIONS } from "../../../scripts/permissions.ts";
import { until, withDeadline } from "../../_support/deadline.ts";
import { EventReader } from "../../_support/clients/event_reader.ts";
import { HttpClient } from "../../_support/clients/http_client.ts";
import { HttpServerProcess } from "../../_support/servers/http_server.ts";
import { toolAnswer } from "../../_support/json_rpc.ts";
import { holdingsOf, killIfThere, lowestResident, processesWith, type SeenProcess } from "../../_support/processes.ts";
import { programStart } from "../../_support/program.ts";
import { sharing } from "../../_support/sharing.ts";
import { Workbench } from "../../_support/workbench.ts";
import { facts, STDIO_SERVER } from "../stdio_server.ts";

function fronted(bench: Workbench, ...more: readonly string[]): Promise<HttpServerProcess> {
  const script = bench.write("server.py", STDIO_SERVER);
  return HttpServerProcess.start(bench, { flags: ["--server-command", "python3", "--server-args", script, ...more] });
}

/** `--debug`: what the server behind writes is shown. */
const test = sharing((bench) => fronted(bench, "--debug"));
/** Times of requests have to do with no sandbox. */
const testUnconfined = sharing((bench) => fronted(bench, "--request-timeout", "6", "--no-sandbox-server"));

function isPython(command: string): boolean {
  return /^\S*python3 /.test(command);
}

test("H10 H2 C3 fault 18: one server for all clients, same ids and tokens, and nothing crosses, over HTTP", async ({ bench, server }) => {
  await using one = await HttpClient.connect(server);
  await using other = await HttpClient.connect(server, { protocolVersion: "2025-03-26" });
  const versions = [one, other].map(({ initialized }) => initialized.result?.["protocolVersion"]);
  assert.deepStrictEqual(versions, ["2025-06-18", "2025-03-26"]);
  const said = await Promise.all([[one, "alpha"] as const, [other, "beta"] as const].map(async ([client, word]) => {
    const params = { name: "progress", arguments: { word }, _meta: { progressToken: "tok" } };
    await using reader = new EventReader(await client.send({ jsonrpc: "2.0", id: 1, method: "tools/call", params }));
    return (await reader.rest()).map(({ message }) => message).filter((message) => message !== undefined);
  }));
  for (const [index, word] of ["alpha", "beta"].entries()) {
    const messages = said[index] ?? [];
    const progress = messages.slice(0, -1).map(({ params }) => [params?.["progressToken"], params?.["message"]]);
    assert.deepStrictEqual(progress, [["tok", word], ["tok", word], ["tok", word]]);
    assert.deepStrictEqual([messages.at(-1)?.id, toolAnswer(messages.at(-1) ?? {}).text], [1, word]);
  }
  const [a, b] = [await facts(one), await facts(other)];
  assert.deepStrictEqual([a["born"], a["cwd"], a["client"]], [b["born"], bench.scope, ["ahma_mcp"]]);
});

test("H10 C3 fault 14: a server behind this one is asked with ids of our own, and clients get theirs, over HTTP", async ({ server }) => {
  await using client = await HttpClient.connect(server);
  const ids = [0, "0", "", -1, 9_007_199_254_740_991, 'a"b\u2028'];
  const answers = await Promise.all(
    ids.map((id) => client.request("tools/call", { name: "facts", arguments: {} }, { id })),
  );
  assert.deepStrictEqual(answers.map(({ id }) => id), ids);
  const inner = answers.map((answer) => JSON.parse(toolAnswer(answer).text).id);
  assert.strictEqual(new Set(inner).size, ids.length, JSON.stringify(inner));
});

test("H10 H2 what a shared server says by itself goes to the sessions it concerns, and its log to none", async ({ server }) => {
  await using one = await HttpClient.connect(server);
  await using other = await HttpClient.connect(server);
  const capabilities = Object.keys(one.initialized.result?.["capabilities"] as object);
  assert.deepStrictEqual(capabilities.toSorted(), ["resources", "tools"]);
  assert.strictEqual((await one.request("tasks/list")).error?.code, -32601);
  await one.request("resources/subscribe", { uri: "x://word" });
  assert.strictEqual((await other.call("tell", { word: "word" })).text, "told");
  await one.hears("notifications/resources/updated");
  await other.hears("notifications/tools/list_changed");
  const methods = (client: HttpClient) => client.heard.map(({ method }) => method);
  assert.deepStrictEqual(methods(one), ["notifications/tools/list_changed", "notifications/resources/updated"]);
  assert.deepStrictEqual(methods(other), ["notifications/tools/list_changed"]);
  // Progress that was not asked for has no token to come under.
  const call = {
    jsonrpc: "2.0",
    id: "meta",
    method: "tools/call",
    params: { name: "tell", arguments: { word: "" }, _meta: {} },
  };
  await using reader = new EventReader(await one.send(call));
  assert.deepStrictEqual((await reader.rest()).flatMap(({ message }) => message?.id ?? message?.method ?? []), [
    "meta",
  ]);
  // No client can be asked for all.
  assert.match((await one.call("ask", { method: "sampling/createMessage" })).text, /-32601/);
  await one.request("resources/unsubscribe", { uri: "x://word" });
  await other.call("tell", { word: "word" });
  await one.request("ping");
  assert.strictEqual(methods(one).filter((method) => method === "notifications/resources/updated").length, 1);
});

test("H10 a server that asks without end and reads no answer is not read on, and the bridge serves others meanwhile", async ({ server }) => {
  await using client = await HttpClient.connect(server);
  const asking = client.call("asks");
  assert.deepStrictEqual((await client.request("ping")).result, {});
  const taken = Number((await asking).text);
  assert.ok(taken > 0 && taken < 10_000_000, `${taken}`);
  // It reads again, and so it is served again.
  assert.strictEqual((await client.call("tell", { word: "word" })).text, "told");
});

test("H10 S3 a third-party server runs in the sandbox", async ({ bench, server }) => {
  await using client = await HttpClient.connect(server);
  assert.match((await client.call("write", { path: `${bench.elsewhere}/file` })).text, /refused/);
  assert.strictEqual((await client.call("write", { path: `${bench.scope}/inside` })).text, "written");
});

testUnconfined(
  "H10 S3 a third-party server runs outside of the sandbox when a person says so",
  async ({ bench, server }) => {
    await using client = await HttpClient.connect(server);
    assert.strictEqual((await client.call("write", { path: `${bench.elsewhere}/file` })).text, "written");
    assert.match(server.stderr, /Sandbox off/);
  },
);

test("H6 a shared server that dies takes its requests with it, and the next serves what comes", async ({ bench, server }) => {
  await using one = await HttpClient.connect(server);
  await using other = await HttpClient.connect(server);
  const before = await facts(one);
  const slow = other.request("tools/call", { name: "slow", arguments: { file: "begun" } });
  await bench.appears("begun");
  const died = await one.request("tools/call", { name: "die" });
  for (const { error } of [died, await slow]) {
    assert.match(error?.message ?? "", /ended while this request ran: It ended with exit code 3.*asked to die/);
    assert.deepStrictEqual(error?.data, { reason: "server_process_ended", retry: "unsafe" });
  }
  const after = await Promise.all([facts(one), facts(other)]);
  assert.ok(after.every(({ born }) => born !== before["born"]));
  assert.strictEqual(after[0]?.["born"], after[1]?.["born"]);
});

test("H10 H9 what a server writes to stderr is shown as it comes, and fills neither the disk nor the memory", async ({ server }) => {
  await using client = await HttpClient.connect(server);
  const { residentMiB: before } = await holdingsOf(server.pid);
  // It waits until what it has written is gone from the disk.
  assert.strictEqual((await client.call("flood")).text, "flooded");
  // A terminal that does not keep up misses some; it is told how many, and sees what comes then.
  await until(
    async () => {
      await client.call("say", { word: "the last words" });
      return server.stderr.includes("the last words");
    },
    30_000,
    "the last words, while the server runs",
  );
  // It wrote 200 MB.
  const enough = before + 100;
  const after = await lowestResident(server.pid, enough);
  assert.ok(after < enough, `from ${before.toFixed(0)} to ${after.toFixed(0)} MiB`);
});

testUnconfined("H10 a request has its time, which a flag sets", async ({ server }) => {
  await using client = await HttpClient.connect(server);
  const late = await client.request("tools/call", { name: "slow", arguments: { file: "begun" } });
  assert.match(late.error?.message ?? "", /did not answer tools\/call within 6 s; see --request-timeout/);
  assert.match(JSON.stringify(await facts(client)), /"born"/);
});

testUnconfined(
  "H10 H8 a server that does not read is sent so much, and then nothing more",
  async ({ bench, server }) => {
    await using client = await HttpClient.connect(server);
    const sizes = [...Array<number>(5).fill(13 * 1024 * 1024), 1];
    const answers = [client.request("tools/call", { name: "deaf" })];
    for (const [count, size] of sizes.entries()) {
      const params = { name: "facts", arguments: { x: "x".repeat(size) } };
      const sent = await client.send({ jsonrpc: "2.0", id: `sent ${count}`, method: "tools/call", params });
      answers.push(new EventReader(sent).rest().then((events) => events.at(-1)?.message ?? {}));
    }
    const errors = (await Promise.all(answers)).map(({ error }) => error?.message ?? "");
    assert.deepStrictEqual(errors.map((error) => /did not answer|does not read/.exec(error)?.[0]), [
      ...Array(6).fill("did not answer"),
      "does not read",
    ]);
    // It does not see the end of its input either, and would have the whole grace at the end.
    for (const { pid, command } of await processesWith(bench.marker)) if (isPython(command)) killIfThere(pid);
  },
);

// A start tries the server in the same way with isolated sessions.
Deno.test("H11 X14 a stop takes effect while a third-party server never answers initialize", async () => {
  using bench = new Workbench();
  const script = bench.write(`${bench.elsewhere}/mute.py`, "import sys\nsys.stdin.read()\n");
  const behind = ["--server-command=python3", "--server-args", script, "--read", bench.elsewhere];
  const flags = ["--mode=http", "--http-port=0", ...behind];
  const { command, args, environment } = programStart(bench, flags, [], HTTP_PERMISSIONS);
  const child = new Deno.Command(command, {
    args: [...args],
    cwd: bench.scope,
    clearEnv: true,
    env: { ...environment },
    stdout: "null",
    stderr: "null",
  }).spawn();
  const isMute = (one: SeenProcess) => /^\S*python3 \S*mute\.py/.test(one.command);
  await until(async () => (await processesWith(bench.marker)).some(isMute), 20_000, "the server behind to start");
  child.kill("SIGTERM");
  const { code } = await withDeadline(child.status, 30_000, "the end");
  assert.deepStrictEqual([code, (await processesWith(bench.marker)).length], [0, 0]);
});

test("H1 H4 a third-party server has no server card, and is offered in sessions only", async ({ server }) => {
  const card = await fetch(`${server.url}/server-card`);
  assert.strictEqual(card.status, 404);
  assert.match(await card.text(), /does not know the card of the server behind it/);
  const response = await server.modern("tools/list", {});
  assert.deepStrictEqual([response.status, (await response.json()).error.code], [400, -32022]);
});
