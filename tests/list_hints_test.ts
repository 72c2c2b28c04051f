/** How long clients of 2026-07-28 may keep lists (C3): a while where nothing can change them, else not at all. */
import assert from "node:assert/strict";
import { until } from "./_support/deadline.ts";
import { HttpClient } from "./_support/clients/http_client.ts";
import type { RpcMessage } from "./_support/json_rpc.ts";
import { ServerProcess } from "./_support/server_process.ts";
import { HttpServerProcess } from "./_support/servers/http_server.ts";
import { sharing } from "./_support/sharing.ts";
import { Workbench } from "./_support/workbench.ts";

const FILE = JSON.stringify({
  name: "say",
  description: "d",
  command: "echo",
  subcommand: [{ name: "default", description: "d" }],
});
const LISTS = ["tools/list", "prompts/list", "resources/list", "resources/templates/list"];

function write(bench: Workbench): void {
  bench.write(".ahma/tools/say.json", FILE);
  bench.write(".ahma/prompts/one.md", "text");
}

/** Of each list. */
async function hints(ask: (method: string) => Promise<RpcMessage>): Promise<readonly unknown[]> {
  const answers = await Promise.all(LISTS.map(ask));
  return answers.map(({ result }) => [result?.["ttlMs"], result?.["cacheScope"]]);
}

const [KEPT, NOT] = [[300_000, "private"], [0, "private"]];
const testCold = sharing((bench) => {
  write(bench);
  return HttpServerProcess.start(bench, { flags: ["--no-hot-reload"] });
});

testCold(
  "C3 with --no-hot-reload lists may be kept five minutes, tools once their checks have ended",
  async ({ server }) => {
    const ask = async (method: string) =>
      await (await server.modern(method, {}, { accept: "application/json" })).json();
    const seen = () => hints(ask);
    await until(
      async () => JSON.stringify((await seen())[0]) === JSON.stringify(KEPT),
      60_000,
      "tools that may be kept",
    );
    assert.deepStrictEqual(await seen(), [KEPT, KEPT, NOT, KEPT]);
  },
);

testCold("C3 clients of earlier versions get no hints", async ({ server }) => {
  await using client = await HttpClient.connect(server);
  assert.deepStrictEqual(await hints((method) => client.request(method)), LISTS.map(() => [undefined, undefined]));
});

Deno.test("C3 lists that may change are not to be kept", async () => {
  using bench = new Workbench();
  write(bench);
  await using server = await ServerProcess.start(bench, { era: "2026-07-28" });
  assert.deepStrictEqual(await hints((method) => server.request(method)), [NOT, NOT, NOT, KEPT]);
});
