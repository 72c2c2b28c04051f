import assert from "node:assert/strict";
import { shownValue, truncate, truncateCounting } from "./text.ts";

Deno.test("truncate() and truncateCounting() cut what is longer, and leave no half of a character", () => {
  assert.deepStrictEqual([truncate("abc", 3), truncate("abcd", 3), truncate("ab😀", 3)], ["abc", "abc…", "ab\ufffd…"]);
  assert.deepStrictEqual([truncateCounting("abc", 3), truncateCounting("abcdef", 3)], ["abc", "abc [3 more]"]);
});

Deno.test("shownValue() gives JSON of any value, cut at 80 characters", () => {
  assert.deepStrictEqual([undefined, null, "a", [1]].map(shownValue), ["missing", "null", '"a"', "[1]"]);
  assert.equal(shownValue("x".repeat(100)), `"${"x".repeat(79)}…`);
});
