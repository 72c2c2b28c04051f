import assert from "node:assert/strict";
import fc from "fast-check";
import { encodedParts, encodeText, settledText, shownValue, truncate, truncateCounting } from "./text.ts";

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

/** Gives one text after the other, the last one for ever, and counts. */
function reader(...texts: readonly string[]) {
  let reads = 0;
  return { read: () => texts[reads++] ?? texts.at(-1) ?? "", reads: () => reads };
}

Deno.test("X10 settledText() reads until two texts are the same, and an empty one once", () => {
  for (
    const { texts, wanted, reads } of [
      { texts: [""], wanted: "", reads: 1 },
      { texts: ["1 "], wanted: "1 ", reads: 2 },
      { texts: ["1 ", "1 3 ", "3 "], wanted: "3 ", reads: 4 },
      { texts: ["1 2 ", ""], wanted: "", reads: 2 },
    ]
  ) {
    const counted = reader(...texts);
    assert.deepStrictEqual([settledText(counted.read), counted.reads()], [wanted, reads], texts.join("|"));
  }
});

Deno.test("X10 settledText() takes the last text of one that changes each time", () => {
  let reads = 0;
  assert.strictEqual(settledText(() => `${++reads} `), "10 ");
});
