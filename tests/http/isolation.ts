/** `--session-isolation`: each client in a process and a scope of its own. */
import assert from "node:assert/strict";
import { until } from "../_support/deadline.ts";
import { EventReader } from "../_support/clients/event_reader.ts";
import { HttpClient } from "../_support/clients/http_client.ts";
import { initializeMessage } from "../_support/servers/http_server.ts";
import { toolAnswer } from "../_support/json_rpc.ts";
import { processesWith, type SeenProcess } from "../_support/processes.ts";
import type { Workbench } from "../_support/workbench.ts";
import { hasItsOwn, keepsItsWork, rootWithFiles } from "./own_work.ts";
import { testCeiling, testIsolated as test } from "./servers.ts";

const SHELL = "sandboxed_shell";
const CHANGED = "notifications/roots/list_changed";

interface Session {
  readonly bench: Workbench;
  readonly client: HttpClient;
  readonly root: string;
}

/** A directory below the bench's scope, for a root. */
function rootIn(bench: Workbench, name: string): string {
  bench.write(`${name}/.keep`, "");
  return `${bench.scope}/${name}`;
}

async function sessionProcesses(bench: Workbench, root: string): Promise<readonly SeenProcess[]> {
  return (await processesWith(bench.marker)).filter(({ command, directory }) =>
    command.includes("--mode=stdio") && directory === root
  );
}

async function errorOf(client: HttpClient): Promise<string> {
  const { error } = await client.request("resources/list");
  return error?.message ?? "no error";
}

test("H3 X5 X6 Q1 K2 K11 two sessions with different roots write the same relative file: each in its own root, with its prompts, files and scripts, and the progress of a task reaches its client", async ({ bench, server }) => {
  const roots = ["one", "two"].map((name) => rootWithFiles(bench, name));
  const clients = await Promise.all(roots.map((root) => HttpClient.connect(server, { roots: [root] })));
  const [one] = clients;
  assert.ok(one !== undefined);
  const answers = await Promise.all(
    clients.map((client, index) =>
      client.shell(
        `echo ${index} > file; cat file; for d in ${roots.join(" ")}; do ls $d && echo x > $d/touched; done; true`,
      )
    ),
  );
  for (const [index, root] of roots.entries()) {
    const sibling = roots[1 - index] ?? "";
    assert.strictEqual(await Deno.readTextFile(`${root}/file`), `${index}\n`);
    assert.match(answers[index]?.text ?? "", new RegExp(`${sibling}.*(Permission denied|No such file)`));
    const names = (await Array.fromAsync(Deno.readDir(root))).map(({ name }) => name).toSorted();
    assert.deepStrictEqual(names, [".ahma", "file", "own.txt", "touched"]);
    assert.strictEqual((await sessionProcesses(bench, root)).length, 1);
  }
  const outside = await one.call(SHELL, { command: "pwd", working_directory: roots[1] });
  assert.deepStrictEqual([outside.isError, /outside the scope/.test(outside.text)], [true, true]);
  const { result } = await one.request("tools/call", {
    name: SHELL,
    arguments: { command: "echo word; until [ -e end ]; do sleep 0.05; done" },
    task: {},
    _meta: { progressToken: "mine" },
  });
  const task = result?.["task"] as { readonly taskId: string };
  const { params } = await one.hears("notifications/progress");
  assert.deepStrictEqual(
    [params?.["progressToken"], params?.["_meta"]],
    ["mine", { "io.modelcontextprotocol/related-task": { taskId: task.taskId } }],
  );
  bench.write("one/end", "");
  await hasItsOwn({ clients, roots });
  for (const client of clients) await client[Symbol.asyncDispose]();
});

test("H2 H3 H5 S1 X5a C4 requests before the lock wait, the roots are asked for on the stream there is, no process is born before, another session finds none of its work, and other roots end the session", async ({ bench, server }) => {
  const root = rootIn(bench, "early");
  await using client = await HttpClient.connect(server, { roots: [root], listens: false });
  const params = { name: SHELL, arguments: { command: "pwd", execution_mode: "Synchronous" } };
  const early = await client.send({ jsonrpc: "2.0", id: "early", method: "tools/call", params });
  const asJson = client.request("tools/list", {}, { id: "json" });
  assert.deepStrictEqual((await client.request("ping")).result, {});
  assert.deepStrictEqual(await sessionProcesses(bench, root), []);
  assert.strictEqual(await client.notify("notifications/initialized"), 202);
  await using reader = new EventReader(early);
  const asked = await reader.message(({ method }) => method === "roots/list");
  assert.deepStrictEqual(await sessionProcesses(bench, root), []);
  const answer = await client.send({
    jsonrpc: "2.0",
    id: asked.message?.id,
    result: { roots: [{ uri: `file://${root}` }] },
  });
  assert.deepStrictEqual([answer.status, await answer.text()], [202, ""]);
  const served = await reader.message(({ id, method }) => id === "early" && method === undefined);
  assert.match(toolAnswer(served.message ?? {}).text, new RegExp(root));
  assert.match(JSON.stringify((await asJson).result), /sandboxed_shell/);
  await client.listen();
  const { params: told } = await client.hears("notifications/sandbox/configured");
  assert.deepStrictEqual([told?.["scope"], Number(told?.["abi"]) >= 1], [root, true]);
  await endsWithOtherRoots({ bench, client, root });
});

/** Its work is its own, and other roots after the lock end the session: 403 once, then 404. The same roots again do nothing. */
async function endsWithOtherRoots({ bench, client, root: one }: Session): Promise<void> {
  const { server } = client;
  const two = rootIn(bench, "later");
  await using other = await HttpClient.connect(server, { roots: [one] });
  await keepsItsWork({ bench, one: client, other, at: "early/" });
  assert.match((await client.shell("pwd")).text, new RegExp(one));
  assert.strictEqual(await client.notify(CHANGED), 202);
  client.roots = [one, two];
  assert.strictEqual(await client.notify(CHANGED), 202);
  assert.match((await client.shell("pwd")).text, new RegExp(one));
  client.roots = [two];
  assert.strictEqual(await client.notify(CHANGED), 403);
  assert.strictEqual(await client.notify(CHANGED), 404);
  const late = await client.send({ jsonrpc: "2.0", id: 1, method: "tools/list" });
  assert.deepStrictEqual([late.status, (await late.json()).error.code], [404, -32001]);
  assert.match((await other.shell("pwd")).text, new RegExp(one));
  await until(
    async () => (await sessionProcesses(bench, one)).length === 1,
    20_000,
    "the process of the session to end",
  );
}

test("H3 a client without roots, or without any root, hears what to do", async ({ server }) => {
  await using client = await HttpClient.connect(server);
  assert.match(await errorOf(client), /declares no roots.*--sandbox-scope DIR/);
  assert.match(JSON.stringify(await client.hears("notifications/sandbox/failed")), /declares no roots/);
  // Most clients show that error to no one: they are offered a tool that says what to do.
  const problem = await errorOf(client);
  assert.deepStrictEqual((await client.request("tools/list")).result, {
    tools: [{
      name: "status",
      title: "Why there are no tools",
      description: `The tools of this server cannot be used: ${problem}`,
      inputSchema: { type: "object", properties: {}, additionalProperties: false },
      annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    }],
  });
  assert.deepStrictEqual((await client.request("tools/call", { name: "status", arguments: {} })).result, {
    content: [{ type: "text", text: `The tools of this server cannot be used: ${problem}` }],
  });
  const { error } = await client.request("tools/call", { name: SHELL, arguments: { command: "true" } });
  assert.equal(error?.message, problem);
  await using empty = await HttpClient.connect(server, { roots: [] });
  assert.match(await errorOf(empty), /list of roots is empty.*--sandbox-scope DIR/);
});

testCeiling(
  "H3 H8 roots that are too broad, outside the ceiling or no directory are refused with the reason",
  async ({ bench, server }) => {
    const inner = rootIn(bench, "inner");
    bench.write("file", "");
    await Deno.symlink("/", `${bench.scope}/everything`);
    await Deno.symlink(inner, `${bench.scope}/link`);
    const rows: readonly (readonly [root: string, problem: RegExp])[] = [
      ["/", /whole file system/],
      [bench.home, /home directory/],
      [bench.parent, /holds the home directory/],
      [bench.elsewhere, /outside .*--sandbox-scope/],
      [`${bench.scope}/everything`, /whole file system/],
      [`${bench.scope}/missing`, /not an existing directory/],
      [`${bench.scope}/file`, /not an existing directory/],
      [`file://${bench.scope}/inner/%2e%2e/..`, /"\.\."/],
      ["http://localhost/x", /file: URI/],
      ["file://host/share", /another machine/],
      [`file://${bench.scope}/%00`, /NUL/],
    ];
    for (const [root, problem] of rows) {
      await using client = await HttpClient.connect(server, { roots: [root] });
      assert.match(await errorOf(client), problem, root);
    }
    await using client = await HttpClient.connect(server, { roots: [`${bench.scope}/link`, "/etc"] });
    assert.match((await client.shell("pwd")).text, new RegExp(`^${inner}$`, "m"));
  },
);

test("H6 S1 C3 C4 a killed process: the next continues the session, unless its scope was replaced", async ({ bench, server }) => {
  const root = rootIn(bench, "root");
  await using client = await HttpClient.connect(server, { roots: [root] });
  const session: Session = { bench, client, root };
  await servesOn(session);
  await keepsWishes(session);
  await staysAway(session);
});

/** What the process worked on gets an error that says so, what waits is served by the next, in the same scope. */
async function servesOn({ bench, client, root }: Session): Promise<void> {
  const running = [1, 2, 3].map((name) =>
    client.request("tools/call", {
      name: SHELL,
      arguments: { command: `touch running${name}; sleep 5555`, execution_mode: "Synchronous" },
    }, { id: `running${name}` })
  );
  for (const name of [1, 2, 3]) await bench.appears(`root/running${name}`);
  const [before] = await sessionProcesses(bench, root);
  assert.ok(before !== undefined);
  // Stopped, it takes what comes without working on it; then it is killed with all of that.
  Deno.kill(before.pid, "SIGKILL");
  const lost = await Promise.all(running);
  const queued = [1, 2, 3].map((name) => client.shell(`echo served ${name}; pwd; ls ${bench.scope} 2>&1`));
  for (const { error, id } of lost) {
    assert.match(error?.message ?? "", /ended while this request ran.*SIGKILL.*restarted.*in part/, String(id));
    assert.deepStrictEqual(error?.data, { reason: "server_process_ended", retry: "unsafe" });
  }
  for (const [index, answer] of (await Promise.all(queued)).entries()) {
    assert.match(answer.text, new RegExp(`served ${index + 1}\n${root}\n.*(Permission denied|cannot open)`));
  }
  const [after] = await sessionProcesses(bench, root);
  assert.ok(after !== undefined && after.pid !== before.pid);
  await bench.processesGone("sleep 5555", 30_000);
}

/** The next process has the log level and the subscriptions that the client asked for. */
async function keepsWishes({ bench, client, root }: Session): Promise<void> {
  const kept = "ahma://operations";
  const started = await client.start("touch begun; sleep 5555");
  const lost = `ahma://operations/${started.operation?.operation_id}`;
  await bench.appears("root/begun");
  for (const uri of [kept, lost]) {
    assert.deepStrictEqual((await client.request("resources/subscribe", { uri })).result, {});
  }
  assert.deepStrictEqual((await client.request("logging/setLevel", { level: "warning" })).result, {});
  await client.request("resources/list");
  client.heard.length = 0;
  const [before] = await sessionProcesses(bench, root);
  assert.ok(before !== undefined);
  Deno.kill(before.pid, "SIGKILL");
  await client.request("tools/list");
  // The operation died with the process: who watched it is sent to look, and sees.
  const { params } = await client.hears("notifications/resources/updated");
  assert.deepStrictEqual(params, { uri: lost });
  assert.match((await client.request("resources/read", { uri: lost })).error?.message ?? "", /not found/i);
  await client.hears("notifications/resources/list_changed");
  client.heard.length = 0;
  await client.start("touch well");
  await bench.appears("root/well");
  await client.start("exit 3");
  const message = await client.hears("notifications/message");
  assert.strictEqual(message.params?.["level"], "warning");
  assert.deepStrictEqual((await client.hears("notifications/resources/updated")).params, { uri: kept });
  const levels = client.heard.filter(({ method }) => method === "notifications/message").map((one) =>
    one.params?.["level"]
  );
  assert.deepStrictEqual(levels, ["warning"]);
}

/** No process comes back when another directory has taken the place of its scope. */
async function staysAway({ bench, client, root }: Session): Promise<void> {
  const [before] = await sessionProcesses(bench, root);
  assert.ok(before !== undefined);
  await Deno.rename(root, `${bench.scope}/moved`);
  await Deno.symlink(bench.home, root);
  Deno.kill(before.pid, "SIGKILL");
  const answer = await client.request("tools/list");
  assert.match(answer.error?.message ?? "", /replaced by another|ended while this request ran/);
}

test("H1 H4 requests without a session are sent to begin one where no scope was given", async ({ server }) => {
  const refused = await server.modern("tools/list", {});
  const { error } = await refused.json();
  assert.deepStrictEqual([refused.status, error.code], [400, -32022]);
  assert.match(error.message, /begin with initialize.*--sandbox-scope/);
  assert.ok(error.data.supported.includes("2025-11-25"));
  const { remotes: [remote] } = await (await fetch(`${server.url}/server-card`)).json();
  assert.strictEqual(remote.supportedProtocolVersions.at(-1), "2025-11-25", "the card offers sessions only");
});

testCeiling("H4 requests without a session are served in the scope that was given", async ({ bench, server }) => {
  const args = { name: SHELL, arguments: { command: "pwd", execution_mode: "Synchronous" } };
  const answer = await server.modern("tools/call", args, { accept: "application/json" });
  assert.match(toolAnswer(await answer.json()).text, new RegExp(bench.scope));
});

testCeiling(
  "H3 initialize is answered before there is a process, with what the process will be",
  async ({ server }) => {
    const response = await server.post(initializeMessage("2025-06-18", { hasRoots: true }), {
      accept: "application/json",
    });
    const { result } = await response.json();
    assert.deepStrictEqual([result.protocolVersion, result.serverInfo.name], ["2025-06-18", "ahma_mcp"]);
    assert.deepStrictEqual(result.capabilities.tools, { listChanged: true });
    assert.match(result.instructions, /Commands run in the first root of the client/);
  },
);

testCeiling(
  "H5 H3 H8 C2 C3 fault 17: a client without a root keeps what was given for such clients until it has one, and one that declares none is not asked, isolated, over HTTP",
  async ({ bench, server }) => {
    bench.write("inner/.keep", "");
    const stays = async (client: HttpClient) => {
      assert.match((await client.shell("pwd")).text, new RegExp(`^${bench.scope}$`, "m"));
      assert.strictEqual(await client.notify(CHANGED), 202);
      assert.match((await client.shell("pwd")).text, new RegExp(`^${bench.scope}$`, "m"));
    };
    await using without = await HttpClient.connect(server);
    await stays(without);
    await takesDeepMessages(without);
    assert.deepStrictEqual(without.heard.filter(({ id }) => id !== undefined), [], "it is not asked for roots");
    await using client = await HttpClient.connect(server, { roots: [] });
    await stays(client);
    client.roots = [`${bench.scope}/inner`];
    assert.deepStrictEqual([await client.notify(CHANGED), await client.notify(CHANGED)], [403, 404]);
  },
);

/** A message that nests deep reaches the session's process, and one too deep to be written again does not. */
async function takesDeepMessages({ server, headers }: HttpClient): Promise<void> {
  for (const [depth, status] of [[100_000, 400], [400, 200]] as const) {
    const nested = '{"1":'.repeat(depth) + "1" + "}".repeat(depth);
    const call =
      `{"jsonrpc":"2.0","id":"deep","method":"tools/call","params":{"name":"x","arguments":{"x":${nested}}}}`;
    const answer = await server.post(call, { headers, accept: "application/json" });
    assert.deepStrictEqual([answer.status, (await answer.json()).id], [status, "deep"]);
  }
}

testCeiling(
  "H3 roots that change while they are asked for are asked for again: the scope is the newest",
  async ({ bench, server }) => {
    for (const name of ["old", "new"]) bench.write(`${name}/.keep`, "");
    await using client = await HttpClient.connect(server, { roots: [], listens: false });
    await using stream = new EventReader(await client.fetch("GET", { accept: "text/event-stream" }));
    await client.notify("notifications/initialized");
    const ids = [];
    for (const name of ["old", "new"]) {
      const { message } = await stream.message(({ method }) => method === "roots/list");
      ids.push(message?.id);
      // It has looked, then its user changes the roots, then its answer goes out.
      if (name === "old") assert.strictEqual(await client.notify(CHANGED), 202);
      const result = { roots: [{ uri: `file://${bench.scope}/${name}` }] };
      await (await client.send({ jsonrpc: "2.0", id: message?.id, result })).body?.cancel();
    }
    assert.strictEqual(new Set(ids).size, 2);
    assert.match((await client.shell("pwd")).text, new RegExp(`^${bench.scope}/new$`, "m"));
  },
);
