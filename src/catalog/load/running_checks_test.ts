import assert from "node:assert/strict";
import { CheckRate } from "./running_checks.ts";

Deno.test("T11 CheckRate lets three rounds begin at once and then one each ten seconds, however often it is asked", () => {
  const rate = new CheckRate();
  const begun: number[] = [];
  for (let now = 0; now <= 60_000; now += 500) if (rate.begin(now) === 0) begun.push(now);
  assert.deepStrictEqual(begun, [0, 500, 1_000, 10_000, 20_000, 30_000, 40_000, 50_000, 60_000]);
  const still = new CheckRate();
  assert.deepStrictEqual([1, 2, 3].map(() => still.begin(123_456.789)), [0, 0, 0], "where no time passes between them");
  assert.deepStrictEqual([rate.begin(60_001), rate.begin(64_000), rate.begin(200_000)], [9_999, 6_000, 0]);
});
