import assert from "node:assert/strict";
import fc from "fast-check";
import { headingTree, scriptsOf } from "./outline_text.ts";
import type { OutlineSymbol } from "./symbols.ts";

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

Deno.test("K4 headingTree() nests headings by level and leaves out what only looks like one", () => {
  const text = "# A\n### B\n~~~\n# no\n```\n~~~\n## C\n#no\n# D\n";
  const shown = ({ name, from, to, children }: OutlineSymbol): unknown => [name, from, to, children.map(shown)];
  assert.deepEqual(headingTree(text).map(shown), [
    ["A", 1, 8, [["B", 2, 6, []], ["C", 7, 8, []]]],
    ["D", 9, 9, []],
  ]);
});
