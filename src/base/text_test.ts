import assert from "node:assert/strict";
import fc from "fast-check";
import { encodedParts, encodeText, shownValue, truncate, truncateCounting } from "./text.ts";

Deno.test("truncate() and truncateCounting() cut what is longer, and leave no half of a character", () => {
  assert.deepStrictEqual([truncate("abc", 3), truncate("abcd", 3), truncate("ab😀", 3)], ["abc", "abc…", "ab\ufffd…"]);
  assert.deepStrictEqual([truncateCounting("abc", 3), truncateCounting("abcdef", 3)], ["abc", "abc [3 more]"]);
});

Deno.test("shownValue() gives JSON of any value, cut at 80 characters", () => {
  assert.deepStrictEqual([undefined, null, "a", [1]].map(shownValue), ["missing", "null", '"a"', "[1]"]);
  assert.equal(shownValue("x".repeat(100)), `"${"x".repeat(79)}…`);
});

Deno.test("encodedParts() gives the bytes of a text in small parts, and no character in two", () => {
  const text = fc.array(fc.tuple(fc.constantFrom("a", "ü", "日", "💚", "\ud800"), fc.nat({ max: 40_000 })), {
    maxLength: 4,
  }).map((runs) => runs.map(([unit, count]) => unit.repeat(count)).join(""));
  fc.assert(
    fc.property(text, (given) => {
      const parts = encodedParts(given).map((part) => part.slice()).toArray();
      assert.ok(parts.every(({ length }) => length > 0 && length <= 65_536));
      const bytes = new Uint8Array(parts.flatMap((part) => [...part]));
      assert.deepStrictEqual(bytes, encodeText(given));
    }),
    { numRuns: 30 },
  );
});
