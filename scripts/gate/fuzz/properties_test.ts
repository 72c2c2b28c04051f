import assert from "node:assert/strict";
import fc from "fast-check";

Deno.test("a property is tried with the same values each time", () => {
  const tried = () => {
    const values: number[] = [];
    fc.assert(fc.property(fc.integer(), (value) => void values.push(value)), { numRuns: 10 });
    return values;
  };
  const first = tried();
  assert.deepStrictEqual([first.length >= 4, tried(), fc.sample(fc.integer(), 3)], [true, first, first.slice(0, 3)]);
});

Deno.test("a string of any code points has those of every length, no half of a pair, and names of properties of objects", () => {
  const texts = fc.sample(fc.string({ unit: "binary" }), 1_000);
  const most = Math.max(...texts.flatMap((text) => Array.from(text, (unit) => unit.codePointAt(0) ?? 0)));
  assert.deepStrictEqual(
    [texts.every((text) => text.isWellFormed()), most > 0xffff, texts.some((text) => text in Object.prototype)],
    [true, true, true],
  );
});
