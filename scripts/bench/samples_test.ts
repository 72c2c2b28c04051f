import assert from "node:assert/strict";
import { summarize } from "./samples.ts";

Deno.test("summarize() reads the middle and the 99th of a hundred", () => {
  const samples = Array.from({ length: 100 }, (_, index) => 100 - index);
  assert.deepStrictEqual(summarize(samples), { count: 100, p50: 50, p99: 99 });
});

Deno.test("summarize() takes the greatest of few as p99", () => {
  assert.deepStrictEqual(summarize([3, 1, 2]), { count: 3, p50: 2, p99: 3 });
});

Deno.test("summarize() refuses an empty series", () => {
  assert.throws(() => summarize([]), RangeError);
});
