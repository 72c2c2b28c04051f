/** How long clients of 2026-07-28 may keep lists (C3): a while where nothing can change them, else not at all. */
import assert from "node:assert/strict";
import { until } from "./_support/deadline.ts";
import { type Era, ServerProcess } from "./_support/server_process.ts";
import { Workbench } from "./_support/workbench.ts";

const FILE = JSON.stringify({
  name: "say",
  description: "d",
  command: "echo",
  subcommand: [{ name: "default", description: "d" }],
});
const LISTS = ["tools/list", "prompts/list", "resources/list", "resources/templates/list"];

async function start(bench: Workbench, era: Era, flags: readonly string[]): Promise<ServerProcess> {
  bench.write(".ahma/tools/say.json", FILE);
  bench.write(".ahma/prompts/one.md", "text");
  return await ServerProcess.start(bench, { era, flags });
}

/** Of each list. */
async function hints(server: ServerProcess): Promise<readonly unknown[]> {
  const answers = await Promise.all(LISTS.map((method) => server.request(method, {})));
  return answers.map(({ result }) => [result?.["ttlMs"], result?.["cacheScope"]]);
}

Deno.test("C3 with --no-hot-reload lists may be kept five minutes, tools once their checks have ended; else not at all", async () => {
  using bench = new Workbench();
  using other = new Workbench();
  await using cold = await start(bench, "2026-07-28", ["--no-hot-reload"]);
  await using hot = await start(other, "2026-07-28", []);
  const tools = async () => (await hints(cold))[0];
  await until(async () => JSON.stringify(await tools()) === '[300000,"private"]', 60_000, "tools that may be kept");
  const kept = [300_000, "private"];
  const not = [0, "private"];
  assert.deepStrictEqual(await hints(cold), [kept, kept, not, kept]);
  assert.deepStrictEqual(await hints(hot), [not, not, not, kept]);
});

Deno.test("C3 clients of earlier versions get no hints", async () => {
  using bench = new Workbench();
  await using server = await start(bench, "2025-11-25", ["--no-hot-reload"]);
  assert.deepStrictEqual(await hints(server), LISTS.map(() => [undefined, undefined]));
});
