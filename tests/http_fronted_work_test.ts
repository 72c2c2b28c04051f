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

/** Sessions that have ended, as the log tells: each request of a client would have the server look for its process. */
function endedIn({ stderr }: HttpServerProcess): number {
  return stderr.split("Session ends").length - 1;
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

/** The progress that has come to a client, by its tokens. */
function tokensOf({ heard }: HttpClient): readonly unknown[] {
  const progress = heard.filter(({ method }) => method === "notifications/progress");
  return progress.map(({ params }) => params?.["progressToken"]);
}

for (const [index, mode] of [[], [ISOLATED]].entries()) {
  const where = mode.length > 0 ? "its progress and its log, isolated" : "its progress, and not its log, shared";
  Deno.test(`H10 H8 X6 work of a third-party server keeps its session in use by ${where}, and its client alone hears it`, async () => {
    using bench = new Workbench();
    await using server = await start(bench, mode, [
      "--log-to-stderr",
      "--session-idle",
      "8",
      "--max-sessions",
      String(ROOM),
    ]);
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
      await until(() => begun - endedIn(server) < ROOM, 30_000, "room for a session");
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

const LINES = await Deno.readTextFile(new URL("./attacks/servers/hostile_server.py", import.meta.url));

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
