/** What a session of its own process outlives: a client that is away for a while. */
import assert from "node:assert/strict";
import { until } from "./_support/deadline.ts";
import { HttpClient } from "./_support/clients/http_client.ts";
import { HttpServerProcess } from "./_support/servers/http_server.ts";
import { processesWith } from "./_support/processes.ts";
import { Workbench } from "./_support/workbench.ts";

const ISOLATED = "--session-isolation";

function rootIn(bench: Workbench, name: string): string {
  bench.write(`${name}/.keep`, "");
  return `${bench.scope}/${name}`;
}

/** The process of the session whose commands run in `root`. */
async function processOf(bench: Workbench, root: string): Promise<number | undefined> {
  const all = await processesWith(bench.marker);
  return all.find(({ command, directory }) => command.includes("--mode=stdio") && directory === root)?.pid;
}

Deno.test("H8 X11 a session is in use while an operation of its process runs, and ends when no client comes for the result", async () => {
  using bench = new Workbench();
  const [busy, idle] = [rootIn(bench, "busy"), rootIn(bench, "idle")];
  await using server = await HttpServerProcess.start(bench, {
    flags: [ISOLATED, "--session-idle", "5", "--log-to-stderr"],
  });
  const open = async (root: string) => {
    const client = await HttpClient.connect(server, { roots: [root] });
    await client.shell("true");
    return client;
  };
  const client = await open(busy);
  await client.start("touch begun; until [ -e go ]; do sleep 0.5; done; echo finished > result");
  await bench.appears("busy/begun");
  await client[Symbol.asyncDispose]();
  // Sessions that begin later and do nothing come to their end meanwhile: so much time has gone by, at least.
  for (let round = 1; round <= 2; round++) {
    await (await open(idle))[Symbol.asyncDispose]();
    await until(() => server.stderr.split("Session ends").length > round, 30_000, "the end of the idle session");
  }
  assert.notStrictEqual(await processOf(bench, busy), undefined);
  bench.write("busy/go", "");
  await bench.appears("busy/result");
  assert.match((await client.call("status")).text, /completed/);
  await until(async () => await processOf(bench, busy) === undefined, 30_000, "the end of the session that was busy");
});
