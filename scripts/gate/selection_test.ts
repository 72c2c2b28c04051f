import assert from "node:assert/strict";
import { SELECTED, WITH_EXECUTABLE } from "./selection.ts";
import { wholeTestFiles } from "./whole.ts";

const ROOT = new URL("../../", import.meta.url);

Deno.test("the selections name what is there, each once", async () => {
  for (const selection of [SELECTED, WITH_EXECUTABLE, wholeTestFiles()]) {
    for (const path of selection) await Deno.stat(new URL(path, ROOT));
    assert.deepStrictEqual([...new Set(selection)], selection);
  }
});
