import assert from "node:assert/strict";
import { shareOf, SHARES, unitTestFiles } from "./unit_share.ts";

const FILES = new URL("unit/", import.meta.url);

Deno.test("each share of the unit tests has its file, and takes part in what is there", async () => {
  const texts = await Promise.all((await Array.fromAsync(Deno.readDir(FILES))).map(({ name }) => {
    return Deno.readTextFile(new URL(name, FILES));
  }));
  const numbers = texts.map((text) => Number(/^await defineShare\((\d+)\);$/m.exec(text)?.[1]));
  assert.deepStrictEqual(numbers.toSorted(), Array.from({ length: SHARES }, (_, index) => index + 1));
  assert.deepStrictEqual(numbers.flatMap(shareOf).toSorted(), unitTestFiles());
  assert.ok(unitTestFiles().includes("scripts/gate/unit_share_test.ts"));
});
