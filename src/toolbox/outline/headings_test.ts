import assert from "node:assert/strict";
import { headingTree } from "./headings.ts";
import type { OutlineSymbol } from "./symbols.ts";

Deno.test("K4 headingTree() nests headings by level and leaves out what only looks like one", () => {
  const text = "# A\n### B\n~~~\n# no\n```\n~~~\n## C\n#no\n# D\n";
  const shown = ({ name, from, to, children }: OutlineSymbol): unknown => [name, from, to, children.map(shown)];
  assert.deepEqual(headingTree(text).map(shown), [
    ["A", 1, 8, [["B", 2, 6, []], ["C", 7, 8, []]]],
    ["D", 9, 9, []],
  ]);
});
