import assert from "node:assert/strict";
import fc from "fast-check";
import { scriptsOf } from "./outline_text.ts";

Deno.test("K4 scriptsOf() leaves only scripts, each on its lines", () => {
  assert.equal(scriptsOf("<p>\n<SCRIPT a>b\nc</SCRIPT> d\n<script>e"), "   \n          b\nc           \n        e");
});

Deno.test("K4 scriptsOf() keeps every line end where it is", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "\n", "<script", ">", "</script", "İ"), maxLength: 60 });
  fc.assert(fc.property(text, (text) => {
    const shown = scriptsOf(text);
    assert.equal(shown.length, text.length);
    assert.deepEqual(shown.split("\n").map((line) => line.length), text.split("\n").map((line) => line.length));
  }));
});
