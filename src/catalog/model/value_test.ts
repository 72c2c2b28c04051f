import assert from "node:assert/strict";
import { loadCatalogFromTexts } from "../load/load.ts";

const LEAF = { description: "d", synchronous: true };

async function diagnosticsOf(...tools: readonly object[]): Promise<readonly string[]> {
  const texts = tools.map((tool, at) => ({ file: `${at}.json`, text: JSON.stringify({ ...LEAF, ...tool }) }));
  return (await loadCatalogFromTexts(texts)).diagnostics.map(({ file, message }) => `${file} ${message}`);
}

// The engine would need hours for these defaults.
Deno.test("T4 T6 defaults are not tried with patterns that take too long, and with others they are", async () => {
  const option = (name: string, pattern: string, value: string) => ({ name, pattern, default: value });
  const hard = Array.from({ length: 100 }, (_, at) => option(`o${at}`, "a*a{1000}a*a{1000}b", "a".repeat(5_000)));
  const diagnostics = await diagnosticsOf({ command: "x", options: [...hard, option("wrong", "^v[0-9]+$", "x1")] });
  assert.deepStrictEqual(diagnostics, [
    '0.json Default of argument "wrong" is "x1", expected a text that matches ^v[0-9]+$',
  ]);
});
