import assert from "node:assert/strict";
import { hideNodeOptions, showNodeOptions } from "./node_options.ts";

Deno.test("S26 options of Node.js are hidden from the runtime, and shown again as they were", () => {
  for (const variables of [{ PATH: "/bin", NODE_OPTIONS: "--require x" }, { NODE_OPTIONS: "" }, { PATH: "/bin" }]) {
    const changed: Record<string, string> = { ...variables };
    hideNodeOptions(changed);
    assert.ok(!("NODE_OPTIONS" in changed));
    showNodeOptions(changed);
    assert.deepStrictEqual(changed, variables);
  }
});
