import assert from "node:assert/strict";
import { pluginFiles } from "./package_plugin.ts";

Deno.test("D4 .claude-plugin/ is what deno task package:plugin writes", async () => {
  for (const [path, text] of pluginFiles()) {
    const there: unknown = JSON.parse(await Deno.readTextFile(new URL(`../../../${path}`, import.meta.url)));
    assert.deepStrictEqual(there, JSON.parse(text), `${path} is stale: run deno task package:plugin`);
  }
});
