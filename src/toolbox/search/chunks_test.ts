import assert from "node:assert/strict";
import fc from "fast-check";
import type { OutlineSymbol } from "../outline/symbols.ts";
import { chunksOf } from "./chunks.ts";

function symbol(
  kind: string,
  name: string,
  [from, to]: readonly [number, number],
  children: OutlineSymbol[] = [],
): OutlineSymbol {
  return { kind, name, from, to, signature: name, doc: "", children };
}

Deno.test("K4 chunksOf() gives each symbol its comment and lines, and what lies in none as pieces", () => {
  const text = "import a\n\n// One.\nclass A {\n  x\n  f() {\n    y\n  }\n}\n";
  const method = symbol("method", "f", [6, 8]);
  const chunks = chunksOf(text, [symbol("class", "A", [4, 9], [symbol("field", "x", [5, 5]), method])]);
  assert.deepEqual(chunks.map(({ kind, name, from, to, body }) => [kind, name, from, to, body]), [
    ["lines", "", 1, 2, "import a\n"],
    ["class", "A", 4, 9, "// One.\nclass A {\n  x\n}"],
    ["field", "x", 5, 5, ""],
    ["method", "f", 6, 8, "  f() {\n    y\n  }"],
  ]);
});

Deno.test("K4 chunksOf() has every line of a source without symbols, and of long symbols", () => {
  fc.assert(fc.property(fc.nat(300), fc.nat(300), (before, inside) => {
    const lines = Array.from({ length: before + inside }, (_, at) => `word${at}`);
    const symbols = inside === 0 ? [] : [symbol("function", "f", [before + 1, before + inside])];
    const bodies = chunksOf(lines.join("\n"), symbols).flatMap(({ body }) => body.split("\n"));
    assert.deepEqual(lines.filter((line) => !bodies.includes(line)), []);
  }));
});
