import assert from "node:assert/strict";
import { SELECTED } from "./selection.ts";

const ROOT = new URL("../../", import.meta.url);

Deno.test("the selection names files that are there, each once", async () => {
  const kinds = await Promise.all(SELECTED.map(async (path) => (await Deno.stat(new URL(path, ROOT))).isFile));
  assert.ok(kinds.every((isFile) => isFile));
  assert.deepStrictEqual([...new Set(SELECTED)], SELECTED);
});
