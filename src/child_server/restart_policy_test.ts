import { strict as assert } from "node:assert";
import { RestartPolicy } from "./restart_policy.ts";

Deno.test("H6 RestartPolicy restarts at once, then with growing delays, then pauses", () => {
  const policy = new RestartPolicy();
  assert.deepStrictEqual([0, 1, 2, 3, 4, 5].map((second) => policy.ended(second * 1000, "served")), [
    { kind: "restart", delayMs: 0 },
    { kind: "restart", delayMs: 100 },
    { kind: "restart", delayMs: 200 },
    { kind: "restart", delayMs: 400 },
    { kind: "restart", delayMs: 800 },
    { kind: "pause", untilMs: 35_000 },
  ]);
  assert.deepStrictEqual(policy.ended(36_000, "served"), { kind: "restart", delayMs: 0 });
});

Deno.test("H6 RestartPolicy counts ends that lie far apart one by one", () => {
  const policy = new RestartPolicy();
  const delays = Array.from({ length: 20 }, (_, hour) => policy.ended(hour * 3_600_000, "served"));
  assert.ok(delays.every((decision) => decision.kind === "restart" && decision.delayMs === 0));
});

Deno.test("H6 H10 RestartPolicy pauses after three starts that never served, however long each took", () => {
  const policy = new RestartPolicy();
  const hours = (count: number) => count * 3_600_000;
  const decisions =
    ([["started", 1], ["started", 2], ["served", 3], ["started", 4], ["started", 5], ["started", 6]] as const)
      .map(([reached, hour]) => policy.ended(hours(hour), reached).kind);
  assert.deepStrictEqual(decisions, ["restart", "restart", "restart", "restart", "restart", "pause"]);
  assert.strictEqual(policy.ended(hours(7), "started").kind, "restart");
});

Deno.test("H6 H10 RestartPolicy pauses at once after a refused initialize", () => {
  assert.deepStrictEqual(new RestartPolicy().ended(1000, "refused"), { kind: "pause", untilMs: 31_000 });
});
