import assert from "node:assert/strict";
import fc from "fast-check";

Deno.test("a property is tried with the same values each time", () => {
  const tried = () => {
    const values: number[] = [];
    fc.assert(fc.property(fc.integer(), (value) => void values.push(value)), { numRuns: 10 });
    return values;
  };
  const first = tried();
  assert.deepStrictEqual([first.length >= 10, tried(), fc.sample(fc.integer(), 3)], [true, first, first.slice(0, 3)]);
});
