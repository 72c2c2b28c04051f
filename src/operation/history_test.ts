import { strict as assert } from "node:assert";
import { taskTtlMs } from "./history.ts";

const HOUR = 3_600_000;

Deno.test("X5 taskTtlMs() leaves an hour from now while it runs, and an hour after its end, and never shrinks", () => {
  let before = 0;
  for (let age = 0; age <= 5 * HOUR; age += HOUR / 4) {
    const running = taskTtlMs({ createdAt: 1000, endedAt: undefined }, 1000 + age);
    assert.ok(running - age >= HOUR && running >= before, `${age}`);
    assert.strictEqual(taskTtlMs({ createdAt: 1000, endedAt: 1000 + age }, 9e12), running);
    before = running;
  }
});
