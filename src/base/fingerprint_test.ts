import assert from "node:assert/strict";
import { fingerprint } from "./fingerprint.ts";

Deno.test("fingerprint() is FNV-1a, twice", () => {
  assert.deepStrictEqual(fingerprint("").slice(0, 16), "cbf29ce484222325");
  assert.deepStrictEqual(fingerprint("a").slice(0, 16), "af63dc4c8601ec8c");
  assert.match(fingerprint("é"), /^[0-9a-f]{32}$/);
  assert.notDeepStrictEqual(fingerprint("a"), fingerprint("b"));
});
