import assert from "node:assert/strict";
import { StreamNumbers } from "./stream_numbers.ts";

Deno.test("H7 StreamNumbers gives each stream its own, and knows the kind of those it gave", () => {
  const numbers = new StreamNumbers();
  assert.deepStrictEqual(["request", "request", "standalone"].map((kind) => numbers.next(kind as "request")), [
    1,
    3,
    2,
  ]);
  assert.deepStrictEqual([-1, 0, 1, 2, 3, 4, 5].map((number) => numbers.kindOf(number)), [
    undefined,
    undefined,
    "request",
    "standalone",
    "request",
    undefined,
    undefined,
  ]);
});
