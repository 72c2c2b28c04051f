import assert from "node:assert/strict";
import { percentiles, summarize } from "./samples.ts";

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

Deno.test("percentiles() reads the 90th, the 99th and the greatest of a thousand, and refuses none", () => {
  const samples = Array.from({ length: 1000 }, (_, index) => 1000 - index);
  assert.deepStrictEqual(percentiles(samples), { count: 1000, p50: 500, p90: 900, p99: 990, max: 1000 });
  assert.throws(() => percentiles([]), RangeError);
});
