/** Attacks of scripts on the bridge to the server, each with its control: they end the script at most. */
import assert from "node:assert/strict";
import { type AttackGroup, ATTACKS } from "./_support/scripts/bridge_attacks.ts";
import { ServerProcess } from "./_support/server_process.ts";
import { Workbench } from "./_support/workbench.ts";

const FLAGS = ["--bundles", "files", "--code-mode", "all", "--sync", "--timeout"];

/** Titles of the attacks whose result is another, with that result. */
async function surprises(server: ServerProcess, { rows, isLarge }: AttackGroup): Promise<readonly string[]> {
  const found: string[] = [];
  const left = rows.values();
  const tryOnes = async () => {
    for (const [title, code, seen] of left) {
      const { text } = await server.call("run_script", { code }, { deadline: 120_000 });
      if (!seen.test(text)) found.push(`${title}: ${text.slice(0, 500)}`);
    }
  };
  await Promise.all(Array.from({ length: isLarge === true ? 1 : 4 }, tryOnes));
  return found;
}

for (const group of ATTACKS) {
  Deno.test(`K11 attacks on the bridge by ${group.title} end at most their own script, and the server continues to serve`, async () => {
    using bench = new Workbench();
    bench.write("kept.txt", "kept\n");
    bench.write("large.bin", "x".repeat(900_000));
    await using server = await ServerProcess.start(bench, { flags: [...FLAGS, String(group.seconds)] });
    const [title, code, seen] = group.control;
    const { text, isError } = await server.call("run_script", { code });
    assert.ok(!isError && seen.test(text), `${title}: ${text}`);
    assert.deepStrictEqual(await surprises(server, group), []);
    const names = (await Array.fromAsync(Deno.readDir(bench.scope))).map(({ name }) => name);
    assert.deepStrictEqual(names.filter((name) => name !== "by-control.txt").toSorted(), ["kept.txt", "large.bin"]);
    const { result } = await server.call("call_tool", { name: "files_read", arguments: { path: "kept.txt" } });
    assert.deepStrictEqual([result["isError"], JSON.stringify(result["content"]).includes("kept")], [undefined, true]);
  });
}
