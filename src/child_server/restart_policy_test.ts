import { strict as assert } from "node:assert";
import { RestartPolicy } from "./restart_policy.ts";

Deno.test("H6 a server is restarted at once, then later and later, then no more for a while", () => {
  const restarts = new RestartPolicy();
  assert.deepStrictEqual([0, 1, 2, 3, 4, 5].map((second) => restarts.ended(second * 1000, "served")), [
    { kind: "restart", delayMs: 0 },
    { kind: "restart", delayMs: 100 },
    { kind: "restart", delayMs: 200 },
    { kind: "restart", delayMs: 400 },
    { kind: "restart", delayMs: 800 },
    { kind: "give_up", untilMs: 35_000 },
  ]);
  assert.deepStrictEqual(restarts.ended(36_000, "served"), { kind: "restart", delayMs: 0 });
});

Deno.test("H6 ends that lie far apart are no storm", () => {
  const restarts = new RestartPolicy();
  const delays = Array.from({ length: 20 }, (_, hour) => restarts.ended(hour * 3_600_000, "served"));
  assert.ok(delays.every((decision) => decision.kind === "restart" && decision.delayMs === 0));
});

Deno.test("H6 H10 a server that does not come so far as to serve is given up after three tries, however slow they are", () => {
  const restarts = new RestartPolicy();
  const hours = (count: number) => count * 3_600_000;
  const decisions =
    ([["started", 1], ["started", 2], ["served", 3], ["started", 4], ["started", 5], ["started", 6]] as const)
      .map(([reached, hour]) => restarts.ended(hours(hour), reached).kind);
  assert.deepStrictEqual(decisions, ["restart", "restart", "restart", "restart", "restart", "give_up"]);
  assert.strictEqual(restarts.ended(hours(7), "started").kind, "restart");
});

Deno.test("H6 H10 a server that leaves initialize without an answer is given up at once", () => {
  assert.deepStrictEqual(new RestartPolicy().ended(1000, "refused"), { kind: "give_up", untilMs: 31_000 });
});
