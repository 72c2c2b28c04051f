/** Work that a third-party server continues after its answer: its messages are passed on, and keep the session (H10, H8). */
import assert from "node:assert/strict";
import { until } from "./_support/deadline.ts";
import { HttpClient } from "./_support/clients/http_client.ts";
import { HttpServerProcess } from "./_support/servers/http_server.ts";
import { Workbench } from "./_support/workbench.ts";

const SCRIPT = await Deno.readTextFile(new URL("fixtures/stdio_server.py", import.meta.url));
const ISOLATED = "--session-isolation";

async function connect(server: HttpServerProcess, bench: Workbench): Promise<HttpClient> {
  return await HttpClient.connect(server, { roots: [bench.scope] });
}

/** A client that begins as soon as there is room, does nothing, and leaves. */
async function comeAndLeave(server: HttpServerProcess, bench: Workbench): Promise<void> {
  const client = await until(
    () => connect(server, bench).catch((thrown) => String(thrown).includes("503") ? undefined : Promise.reject(thrown)),
    30_000,
    "room for a session",
  );
  await client[Symbol.asyncDispose]();
}

function start(bench: Workbench, mode: readonly string[], more: readonly string[] = []): Promise<HttpServerProcess> {
  const script = bench.write(`${bench.elsewhere}/server.py`, SCRIPT);
  const behind = ["--server-command", "python3", "--server-args", script, "--read", bench.elsewhere];
  return HttpServerProcess.start(bench, { flags: [...behind, ...mode, ...more] });
}

/** What work tells, and the status of a request of its session when others that did nothing have ended. */
const WORK = { progress: [200, 200], log: [404, 200], nothing: [404, 404] } as const;
const WORKERS = Object.keys(WORK).length;
const ROOM = WORKERS + 1;

for (const [index, mode] of [[], [ISOLATED]].entries()) {
  const where = mode.length > 0 ? "its progress and its log, isolated" : "its progress, and not its log, shared";
  Deno.test(`H10 H8 work of a third-party server keeps its session in use by ${where}`, async () => {
    using bench = new Workbench();
    await using server = await start(bench, mode, ["--session-idle", "8", "--max-sessions", String(ROOM)]);
    const clients = await Promise.all(
      Object.keys(WORK).map(async (tells) => {
        const client = await connect(server, bench);
        const params = { name: "begin", arguments: { tells, until: "end" }, _meta: { progressToken: "mine" } };
        assert.deepStrictEqual((await client.request("tools/call", params)).error, undefined);
        return client;
      }),
    );
    for (const client of clients) await client[Symbol.asyncDispose]();
    // Even if all work had ended, the last has room only when one that came after it was idle for the whole time.
    for (let other = 0; other <= ROOM; other++) await comeAndLeave(server, bench);
    const statuses = await Promise.all(clients.map(async (client) => {
      const response = await client.send({ jsonrpc: "2.0", id: "still", method: "ping" });
      await response.body?.cancel();
      return response.status;
    }));
    assert.deepStrictEqual(statuses, Object.values(WORK).map((status) => status[index]));
    bench.write("end", "");
  });
}

for (const mode of [[], [ISOLATED]]) {
  Deno.test(`H10 X6 progress that comes after the answer has its client's token ${mode.join("")}`, async () => {
    using bench = new Workbench();
    await using server = await start(bench, mode);
    await using client = await connect(server, bench);
    await using other = await connect(server, bench);
    const params = { name: "begin", arguments: { tells: "progress", until: "end" }, _meta: { progressToken: "mine" } };
    await client.request("tools/call", params);
    assert.strictEqual((await client.hears("notifications/progress")).params?.["progressToken"], "mine");
    await other.request("ping");
    assert.deepStrictEqual(other.heard.filter(({ method }) => method === "notifications/progress"), []);
    bench.write("end", "");
  });
}

Deno.test("X5 X6 H3 the progress of a task reaches the client of an isolated session", async () => {
  using bench = new Workbench();
  await using server = await HttpServerProcess.start(bench, { flags: [ISOLATED] });
  await using client = await connect(server, bench);
  const { result } = await client.request("tools/call", {
    name: "sandboxed_shell",
    arguments: { command: "echo word; until [ -e end ]; do sleep 0.05; done" },
    task: {},
    _meta: { progressToken: "mine" },
  });
  const task = result?.["task"] as { readonly taskId: string };
  const { params } = await client.hears("notifications/progress");
  assert.deepStrictEqual(
    [params?.["progressToken"], params?.["_meta"]],
    ["mine", { "io.modelcontextprotocol/related-task": { taskId: task.taskId } }],
  );
  bench.write("end", "");
});
