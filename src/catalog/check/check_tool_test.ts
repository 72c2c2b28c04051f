import assert from "node:assert/strict";
import { loadCatalogFromTexts } from "../load/load.ts";

const LEAF = { description: "d", synchronous: true };

async function diagnosticsOf(...tools: readonly object[]): Promise<readonly string[]> {
  const texts = tools.map((tool, at) => ({ file: `${at}.json`, text: JSON.stringify({ ...LEAF, ...tool }) }));
  return (await loadCatalogFromTexts(texts)).diagnostics.map(({ file, message }) => `${file} ${message}`);
}

Deno.test("T4 what every subcommand inherits is bounded, at the tool and below", async () => {
  const long = "x ".repeat(20_000);
  const subcommand = [{ name: "a", ...LEAF, install_instructions: long }, { name: "b", ...LEAF }];
  assert.deepStrictEqual(await diagnosticsOf({ name: "t", command: long, subcommand }), [
    '0.json "command" has 40002 characters, at most 16384: shorten it',
    '0.json "install_instructions" has 40002 characters, at most 16384: shorten it',
  ]);
  assert.deepStrictEqual(
    await diagnosticsOf({ name: "t", command: "x", install_instructions: "y".repeat(16_000) }),
    [],
  );
});
