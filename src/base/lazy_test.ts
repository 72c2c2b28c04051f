import assert from "node:assert/strict";
import { lazy } from "./lazy.ts";

Deno.test("lazy() makes its value at the first asking, once", () => {
  let made = 0;
  const value = lazy(() => ++made);
  assert.deepStrictEqual([made, value(), value(), made], [0, 1, 1, 1]);
});

Deno.test("lazy() tries again after a failure", () => {
  let tries = 0;
  const value = lazy(() => {
    if (++tries === 1) throw new Error("first");
    return tries;
  });
  assert.throws(value, /first/);
  assert.deepStrictEqual(value(), 2);
});
