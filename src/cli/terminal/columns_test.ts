import assert from "node:assert/strict";
import { cut, oneLine, padded, widthOf } from "./columns.ts";

Deno.test("V1 S22 oneLine() writes out what has no shape, and keeps one line", () => {
  assert.strictEqual(oneLine(" a\n\tb\x1b[2J\u202ec\x07 "), "a b\\u001b[2J\\u202ec\\u0007");
  assert.ok(oneLine("\x1b".repeat(1_000_000)).length < 30_000);
});

Deno.test("V1 cut() keeps to the columns, also of wide characters and of those without a width", () => {
  assert.deepStrictEqual(["abc", "日本語", "e\u0301", "👍"].map(widthOf), [3, 6, 1, 2]);
  assert.deepStrictEqual(
    [cut("abcdef", 6), cut("abcdef", 5), cut("日本語", 5), cut("日本語", 4), cut("abc", 0), cut("", 3)],
    ["abcdef", "abcd…", "日本…", "日…", "", ""],
  );
  for (const columns of [1, 2, 3, 17]) assert.ok(widthOf(cut("日a本👍語".repeat(1000), columns)) <= columns);
  assert.deepStrictEqual([padded("日", 4), padded("abc", 2)], ["日  ", "abc"]);
});
