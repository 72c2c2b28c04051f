import assert from "node:assert/strict";
import { closest, didYouMean } from "./suggest.ts";

Deno.test("closest() finds the word behind a slip of the finger", () => {
  const words = ["build", "test", "no-deps", "status"];
  assert.deepStrictEqual(
    ["buld", "biuld", "tset", "no_deps", "STATUS", "statsu"].map((word) => closest(word, words)),
    ["build", "build", "test", "no-deps", "status", "status"],
  );
});

Deno.test("closest() offers nothing when nothing is near", () => {
  assert.deepStrictEqual(
    ["publish", "", "x".repeat(100_000)].map((word) => closest(word, ["build", "test"])),
    [undefined, undefined, undefined],
  );
});

Deno.test("didYouMean() is the tail of a message", () => {
  assert.deepStrictEqual([didYouMean("buld", ["build"]), didYouMean("zzz", ["build"])], [
    '; did you mean "build"?',
    "",
  ]);
});
