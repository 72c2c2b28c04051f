/** The reference client over stdio; http_inspector_test.ts does in each era what is not done in it here. */
import assert from "node:assert/strict";
import { inspect, shell } from "./_support/clients/inspector.ts";
import { programStart } from "./_support/program.ts";
import { Workbench } from "./_support/workbench.ts";

function ours(bench: Workbench, era: string): readonly string[] {
  const { command, args } = programStart(bench, []);
  return [command, ...args, "--protocol-era", era];
}

Deno.test("C1 the inspector lists the tools over stdio in the modern era", async () => {
  using bench = new Workbench();
  const { code, text } = await inspect(bench, [...ours(bench, "modern"), "--method", "tools/list", "--strict"]);
  assert.equal(code, 0, text);
  for (const tool of ["sandboxed_shell", "status", "await", "cancel"]) {
    assert.match(text, new RegExp(`"name":\\s*"${tool}"`));
  }
});

Deno.test("C1 X3 the inspector calls tools over stdio in the legacy era", async () => {
  using bench = new Workbench();
  const good = await inspect(bench, [
    ...ours(bench, "legacy"),
    ...shell("echo seen by $((40 + 2)) > file; cat file"),
  ]);
  assert.equal(good.code, 0, good.text);
  assert.match(good.text, /seen by 42/);
  assert.equal(await Deno.readTextFile(`${bench.scope}/file`), "seen by 42\n");
  const failing = await inspect(bench, [...ours(bench, "legacy"), ...shell("sleep 9", 0.2)]);
  assert.equal(failing.code, 5, "a tool error, by the inspector's codes");
});
