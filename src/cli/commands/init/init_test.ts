import assert from "node:assert/strict";
import { loadCatalogFromTexts } from "../../../catalog/load/load.ts";
import { EXAMPLE_TOOL_TEXT } from "./init.ts";

Deno.test("T3 EXAMPLE_TOOL_TEXT is a tool file without any fault", async () => {
  const catalog = await loadCatalogFromTexts([{ file: "hello.json", text: EXAMPLE_TOOL_TEXT }]);
  assert.deepStrictEqual(catalog.diagnostics, []);
  assert.deepStrictEqual(catalog.leaves.map(({ name, argv }) => [name, argv]), [["hello_greet", ["echo", "Hello,"]]]);
});
