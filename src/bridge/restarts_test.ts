import { strict as assert } from "node:assert";
import { Restarts } from "./restarts.ts";

Deno.test("H6 a server is restarted at once, then later and later, then no more for a while", () => {
  const restarts = new Restarts();
  assert.deepStrictEqual([0, 1, 2, 3, 4, 5].map((second) => restarts.ended(second * 1000)), [
    { kind: "restart", delayMs: 0 },
    { kind: "restart", delayMs: 100 },
    { kind: "restart", delayMs: 200 },
    { kind: "restart", delayMs: 400 },
    { kind: "restart", delayMs: 800 },
    { kind: "give_up", untilMs: 35_000 },
  ]);
  assert.deepStrictEqual(restarts.ended(36_000), { kind: "restart", delayMs: 0 });
});

Deno.test("H6 ends that lie far apart are no storm", () => {
  const restarts = new Restarts();
  const delays = Array.from({ length: 20 }, (_, hour) => restarts.ended(hour * 3_600_000));
  assert.ok(delays.every((decision) => decision.kind === "restart" && decision.delayMs === 0));
});
