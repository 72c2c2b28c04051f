/** Work that a third-party server continues after its answer: its messages are passed on, and keep the session (H10, H8). */
import assert from "node:assert/strict";
import { until } from "../../_support/deadline.ts";
import { HttpClient } from "../../_support/clients/http_client.ts";
import { HttpServerProcess } from "../../_support/servers/http_server.ts";
import { type SharedTest, sharing } from "../../_support/sharing.ts";
import { Workbench } from "../../_support/workbench.ts";
import { facts, STDIO_SERVER } from "../stdio_server.ts";

async function connect(server: HttpServerProcess, bench: Workbench): Promise<HttpClient> {
  return await HttpClient.connect(server, { roots: [bench.scope] });
}

/** Sessions that have ended, as the log tells: each request of a client would have the server look for its process. */
function endedIn({ stderr }: HttpServerProcess): number {
  return stderr.split("Session ends").length - 1;
}

/** What work tells, and the status of a request of its session when others that did nothing have ended. */
const WORK = { progress: [200, 200], log: [404, 200], nothing: [404, 404] } as const;
const WORKERS = Object.keys(WORK).length;
const ROOM = WORKERS + 1;

/** The progress that has come to a client, by its tokens. */
function tokensOf({ heard }: HttpClient): readonly unknown[] {
  const progress = heard.filter(({ method }) => method === "notifications/progress");
  return progress.map(({ params }) => params?.["progressToken"]);
}

/** A server that frees the place of a session which is not in use for a while. */
function begun(mode: readonly string[]): SharedTest<HttpServerProcess> {
  return sharing((bench) => {
    const script = bench.write(`${bench.elsewhere}/server.py`, STDIO_SERVER);
    const behind = ["--server-command", "python3", "--server-args", script, "--read", bench.elsewhere];
    const flags = [...behind, ...mode, "--log-to-stderr", "--session-idle", "8", "--max-sessions", String(ROOM)];
    return HttpServerProcess.start(bench, { flags });
  });
}

const [testShared, testIsolated] = [begun([]), begun(["--session-isolation"])];

testIsolated(
  "H3 H10 with --session-isolation each client has its own, and is asked what the server asks",
  async ({ bench, server }) => {
    const roots = ["one", "two"].map((name) => bench.write(`${name}/.keep`, "").replace("/.keep", ""));
    const clients = await Promise.all(roots.map((root) => HttpClient.connect(server, { roots: [root] })));
    const seen = await Promise.all(clients.map(facts));
    assert.deepStrictEqual(seen.map(({ cwd, client }) => [cwd, client]), roots.map((root) => [root, ["wire"]]));
    assert.notStrictEqual(seen[0]?.["born"], seen[1]?.["born"]);
    const [one, other] = clients;
    assert.ok(one !== undefined && other !== undefined);
    assert.match((await one.call("write", { path: `${roots[1]}/x` })).text, /refused/);
    assert.strictEqual((await one.call("write", { path: `${roots[0]}/x` })).text, "written");
    // It gets its own roots from the bridge, and what else it asks goes to the one client it has.
    assert.match((await one.call("ask", { method: "roots/list" })).text, new RegExp(`file://${roots[0]}`));
    const asking = one.call("ask", { method: "sampling/createMessage" });
    const asked = await one.hears("sampling/createMessage");
    await (await one.send({ jsonrpc: "2.0", id: asked.id, result: { said: "by the client" } })).body?.cancel();
    assert.match((await asking).text, /by the client/);
    await one.call("tell", { word: "mine" });
    await one.hears("notifications/message");
    assert.deepStrictEqual(other.heard.filter(({ method }) => method === "notifications/message"), []);
    for (const client of clients) {
      assert.strictEqual((await client.fetch("DELETE")).status, 204);
      await client[Symbol.asyncDispose]();
    }
    await until(() => endedIn(server) === clients.length, 20_000, "the end of both sessions");
  },
);

for (const [index, test] of [testShared, testIsolated].entries()) {
  const where = index === 1 ? "its progress and its log, isolated" : "its progress, and not its log, shared";
  test(`H10 H8 X6 work of a third-party server keeps its session in use by ${where}, and its client alone hears it`, async ({ bench, server }) => {
    const before = endedIn(server);
    const clients = await Promise.all(
      Object.keys(WORK).map(async (tells) => {
        const client = await connect(server, bench);
        const params = { name: "begin", arguments: { tells, until: "end" }, _meta: { progressToken: `of ${tells}` } };
        assert.deepStrictEqual((await client.request("tools/call", params)).error, undefined);
        return client;
      }),
    );
    const [working, ...others] = clients;
    await working?.hears("notifications/progress");
    for (const other of others) await other.request("ping");
    for (const client of clients) await client[Symbol.asyncDispose]();
    assert.deepStrictEqual(clients.map((client) => [...new Set(tokensOf(client))]), [["of progress"], [], []]);
    // Even if all work had ended, the last has room only when one that came after it was idle for the whole time.
    for (let begun = WORKERS; begun <= WORKERS + ROOM; begun++) {
      await until(() => begun + before - endedIn(server) < ROOM, 30_000, "room for a session");
      await (await connect(server, bench))[Symbol.asyncDispose]();
    }
    const statuses = await Promise.all(clients.map(async (client) => {
      const response = await client.send({ jsonrpc: "2.0", id: "still", method: "ping" });
      await response.body?.cancel();
      return response.status;
    }));
    assert.deepStrictEqual(statuses, Object.values(WORK).map((status) => status[index]));
    bench.write("end", "");
  });
}

const LINES = await Deno.readTextFile(new URL("../../attacks/servers/hostile_server.py", import.meta.url));

Deno.test("H10 S24 a repository that a third-party server makes is set aside while it runs, and the log tells of it", async () => {
  using bench = new Workbench();
  const script = bench.write(`${bench.elsewhere}/lines.py`, LINES);
  const behind = ["--server-command", "python3", "--server-args", script, "--server-args", "shell"];
  const flags = [...behind, "--read", bench.elsewhere, "--log-to-stderr"];
  await using server = await HttpServerProcess.start(bench, { flags });
  await using client = await HttpClient.connect(server);
  const call = (line: string) => client.call("run", { line });
  await call("git init -q plain && git init -q made && echo touch ran > made/.git/hooks/post-checkout; touch .exrc");
  const isAside = (name: string) => Deno.lstatSync(`${bench.scope}/${name}/.git`).isSymlink;
  await until(() => isAside("made"), 3000, "the repository to be set aside");
  await until(
    () => /changed protected paths.*\/\.exrc/.test(server.stderr) || undefined,
    20_000,
    "the line of the log",
  );
  assert.deepStrictEqual([isAside("plain"), (await call("git -C made rev-parse --git-dir")).text], [false, ".git\n"]);
});
