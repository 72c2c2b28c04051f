import { strict as assert } from "node:assert";
import { BackOff } from "./back_off.ts";

Deno.test("O2 BackOff doubles from one second to one minute, waits as long as a server asks, and begins again", () => {
  const backOff = new BackOff();
  const after = (askedMs?: number) => {
    backOff.failed(1_000_000, askedMs);
    return backOff.nextTry - 1_000_000;
  };
  assert.deepStrictEqual([after(), after(), after(500), after(20_000), after(10 ** 9)], [
    1_000,
    2_000,
    4_000,
    20_000,
    3_600_000,
  ]);
  assert.deepStrictEqual([after(), after()], [32_000, 60_000]);
  backOff.reset();
  assert.deepStrictEqual([backOff.nextTry, after()], [0, 1_000]);
});
