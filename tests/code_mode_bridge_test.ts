/** Attacks of scripts on the bridge to the server, each with its control: they end the script at most. */
import assert from "node:assert/strict";
import { type AttackGroup, ATTACKS, within as asOneScript } from "./_support/scripts/bridge_attacks.ts";
import { until } from "./_support/deadline.ts";
import { ServerProcess } from "./_support/server_process.ts";
import { Workbench } from "./_support/workbench.ts";

/** With less memory what takes all of it ends earlier. */
const FLAGS = ["--bundles", "files", "--code-mode", "all", "--sync", "--timeout", "60", "--limit-memory", "800M"];

async function run(server: ServerProcess, code: string): Promise<string> {
  return (await server.call("run_script", { code }, { deadline: 120_000 })).text;
}

/** Titles of the attacks whose result is another, with that result. */
async function surprises(
  server: ServerProcess,
  { rows, within = [], isLarge }: AttackGroup,
): Promise<readonly string[]> {
  const found: string[] = [];
  const left = rows.values();
  const tryOnes = async () => {
    for (const [title, code, seen] of left) {
      const text = await run(server, code);
      if (!seen.test(text)) found.push(`${title}: ${text.slice(0, 500)}`);
    }
  };
  await Promise.all(Array.from({ length: isLarge === true ? 1 : 4 }, tryOnes));
  if (within.length === 0) return found;
  const text = await run(server, asOneScript(within));
  const values: readonly (string | null)[] = JSON.parse(text.split("\n")[0] ?? "");
  assert.strictEqual(values.length, within.length, text);
  for (const [number, [title, , seen]] of within.entries()) {
    if (!seen.test(values[number] ?? "")) found.push(`${title}: ${values[number]?.slice(0, 500)}`);
  }
  return found;
}

/** What goes on without an end is cancelled as soon as it runs, and its process with it. */
async function cancelEndless(server: ServerProcess, { endless = [] }: AttackGroup): Promise<void> {
  for (const [title, code] of endless) {
    const sent = { name: "run_script", arguments: { code: `console.log("begun");\n${code}` } };
    const params = { ...sent, _meta: { progressToken: title } };
    await server.send({ jsonrpc: "2.0", id: title, method: "tools/call", params });
    await server.notification("notifications/progress", ({ progressToken }) => progressToken === title);
    assert.match((await server.call("status")).text, /^1 running/, title);
    await server.send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: title } });
    const none = async () => /^0 running, 0 queued/.test((await server.call("status")).text);
    await until(none, 10_000, `the end of ${title}`);
  }
}

async function tryGroup(bench: Workbench, server: ServerProcess, group: AttackGroup): Promise<void> {
  const [title, code, seen] = group.control;
  const { text, isError } = await server.call("run_script", { code });
  assert.ok(!isError && seen.test(text), `${title}: ${text}`);
  assert.deepStrictEqual(await surprises(server, group), []);
  await cancelEndless(server, group);
  const names = (await Array.fromAsync(Deno.readDir(bench.scope))).map(({ name }) => name);
  assert.deepStrictEqual(names.filter((name) => name !== "by-control.txt").toSorted(), ["kept.txt", "large.bin"]);
  const { result } = await server.call("call_tool", { name: "files_read", arguments: { path: "kept.txt" } });
  assert.deepStrictEqual([result["isError"], JSON.stringify(result["content"]).includes("kept")], [undefined, true]);
}

Deno.test("K11 attacks on the bridge end at most their own script, and the server continues to serve", async (t) => {
  using bench = new Workbench();
  bench.write("kept.txt", "kept\n");
  bench.write("large.bin", "x".repeat(900_000));
  await using server = await ServerProcess.start(bench, { flags: FLAGS });
  for (const group of ATTACKS) await t.step(`attacks by ${group.title}`, () => tryGroup(bench, server, group));
});
