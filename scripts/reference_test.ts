import assert from "node:assert/strict";
import { referenceText } from "./reference.ts";

Deno.test("D3 docs/reference.md is what the tables of flags say; deno task reference writes it", async () => {
  assert.strictEqual(await Deno.readTextFile(new URL("../docs/reference.md", import.meta.url)), await referenceText());
});
