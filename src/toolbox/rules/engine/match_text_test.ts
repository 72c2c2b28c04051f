import assert from "node:assert/strict";
import fc from "fast-check";
import type { MatchEngine } from "../format/rule.ts";
import { findPlaces, MOST_PLACES } from "./match_text.ts";

const PLAIN: MatchEngine = { kind: "match", pattern: "", not: undefined, multiline: false, fix: undefined };

Deno.test("K8 a match has line, column in characters and proposal; `not` and single lines bound it", () => {
  const text = "a TODO b\r\n𝒳 TODO(#1) TODO\nTO\nDO";
  const places = findPlaces(text, { ...PLAIN, pattern: "TODO(?<number>\\(.*?\\))?", fix: "$$[$&] $1 $<number>" });
  assert.deepEqual(places, [
    { line: 1, column: 3, fix: "$[TODO]  " },
    { line: 2, column: 3, fix: "$[TODO(#1)] (#1) (#1)" },
    { line: 2, column: 12, fix: "$[TODO]  " },
  ]);
  assert.deepEqual(findPlaces(text, { ...PLAIN, pattern: "TODO", not: "#\\d" }).map(({ line }) => line), [1]);
  assert.deepEqual(findPlaces(text, { ...PLAIN, pattern: "TO\\s*DO", multiline: true, not: "TODO" }), [
    { line: 3, column: 1, fix: undefined },
  ]);
  assert.deepEqual(findPlaces("x\nX", { ...PLAIN, pattern: "(?i)^x$" }).map(({ line }) => line), [1, 2]);
  assert.equal(findPlaces("x".repeat(500), { ...PLAIN, pattern: "x" }).length, MOST_PLACES + 1);
});

Deno.test("K8 both ways of matching find the same words at the same places", () => {
  fc.assert(fc.property(fc.string({ unit: fc.constantFrom("a", "b", "𝒳", "\n", " "), maxLength: 60 }), (text) => {
    const engine = { ...PLAIN, pattern: "ab?" };
    const expected = text.split("\n").flatMap((line, index) =>
      [...line.matchAll(/ab?/g)].map((match) => ({
        line: index + 1,
        column: [...line.slice(0, match.index)].length + 1,
        fix: undefined,
      }))
    );
    assert.deepEqual(findPlaces(text, engine), expected);
    assert.deepEqual(findPlaces(text, { ...engine, multiline: true }), expected);
  }));
});
