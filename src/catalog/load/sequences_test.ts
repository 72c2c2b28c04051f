import assert from "node:assert/strict";
import { loadCatalogFromTexts } from "./load.ts";

const LEAF = { description: "d", synchronous: true };

async function diagnosticsOf(...tools: readonly object[]): Promise<readonly string[]> {
  const texts = tools.map((tool, at) => ({ file: `${at}.json`, text: JSON.stringify({ ...LEAF, ...tool }) }));
  return (await loadCatalogFromTexts(texts)).diagnostics.map(({ file, message }) => `${file} ${message}`);
}

Deno.test("T4 a file that calls a refused one is refused, and of many wrong steps the first are told", async () => {
  const chain = Array.from({ length: 5 }, (_, at) => ({
    name: `t${at}`,
    command: "sequence",
    sequence: [{ tool: at === 4 ? "none" : `t${at + 1}` }],
  }));
  assert.deepStrictEqual(await diagnosticsOf(...chain), [
    '0.json Step 0 of "t0" has no target: Cannot call "t1": its file is refused',
    '1.json Step 0 of "t1" has no target: Cannot call "t2": its file is refused',
    '2.json Step 0 of "t2" has no target: Cannot call "t3": its file is refused',
    '3.json Step 0 of "t3" has no target: Cannot call "t4": its file is refused',
    '4.json Step 0 of "t4" has no target: Cannot call "none": there is no such tool',
  ]);
  const wrong = Array.from({ length: 900 }, (_, at) => ({ tool: `none${at}` }));
  const diagnostics = await diagnosticsOf({ name: "t", command: "sequence", sequence: wrong });
  assert.equal(diagnostics.filter((one) => one.includes("has no target")).length, 50);
  assert.ok(diagnostics.includes("0.json The file has more mistakes than these 50: fix them first"));
});
