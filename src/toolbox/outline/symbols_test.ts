import assert from "node:assert/strict";
import fc from "fast-check";
import { type Definition, type OutlineSymbol, symbolTree } from "./symbols.ts";

const FORM = { comment: "//", inBody: false } as const;

Deno.test("K4 symbolTree() puts what lies in a definition below it, and names of one declaration side by side", () => {
  const text = "class A {\n  x, y\n  f() {\n    const z = 1\n  }\n}\n";
  const at = (part: string) => text.indexOf(part);
  const whole = { start: 0, end: text.length - 1, body: at("{") };
  const pair = { start: at("x"), end: at("\n  f"), body: undefined };
  const tree = symbolTree(text, [
    { kind: "field", name: "y", ...pair },
    { kind: "constant", name: "z", start: at("const"), end: at("\n  }"), body: undefined },
    { kind: "function", name: "f", start: at("f()"), end: at("\n}"), body: at("{\n    const") },
    { kind: "field", name: "x", ...pair },
    { kind: "class", name: "A", ...whole },
    { kind: "type", name: "A", ...whole },
  ], FORM);
  const shown = (
    { kind, name, from, to, children }: OutlineSymbol,
  ): unknown => [kind, name, from, to, children.map(shown)];
  assert.deepEqual(tree.map(shown), [
    ["class", "A", 1, 6, [["field", "y", 2, 2, []], ["field", "x", 2, 2, []], ["method", "f", 3, 5, []]]],
  ]);
});

Deno.test("K4 symbolTree() keeps every definition once, below none that begins after it", () => {
  const text = "a b\n".repeat(20);
  const definition = fc.record({
    kind: fc.constantFrom("class", "module"),
    name: fc.constantFrom("a", "b", "c"),
    start: fc.nat(text.length - 2),
    length: fc.nat(40),
  }).map(({ kind, name, start, length }): Definition => (
    { kind, name, start, end: Math.min(text.length, start + length + 1), body: undefined }
  ));
  fc.assert(fc.property(fc.array(definition), (definitions) => {
    const seen: string[] = [];
    const check = (symbols: readonly OutlineSymbol[], first: number) => {
      for (const { name, from, to, children } of symbols) {
        assert.ok(first <= from && from <= to);
        seen.push(name);
        check(children, from);
      }
    };
    check(symbolTree(text, definitions, FORM), 1);
    assert.equal(seen.length, new Set(definitions.map(({ start, name }) => `${start} ${name}`)).size);
  }));
});
