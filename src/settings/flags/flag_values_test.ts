import assert from "node:assert/strict";
import { limitOf, limitProblem } from "./flag_values.ts";

Deno.test("S10 limitOf() reads powers of 1024, and none", () => {
  const texts = ["0", "64", "64K", "64k", "3M", "2G", "1T", "none"];
  assert.deepStrictEqual(texts.map(limitOf), [0, 64, 65536, 65536, 3 * 1024 ** 2, 2 * 1024 ** 3, 1024 ** 4, undefined]);
});

Deno.test("S10 limitProblem() accepts what lies in the range, and none", () => {
  for (const text of ["none", "8", "1K", "2K"]) assert.equal(limitProblem(text, [8, 2048]), undefined);
  for (const text of ["7", "3K", "-1", "1.5", "1KB", "", "None", "1 K", "1e3"]) {
    assert.equal(
      limitProblem(text, [8, 2048]),
      `"${text}" is neither "none" nor a whole number from 8 to 2048 (K, M, G and T may follow it)`,
    );
  }
});
