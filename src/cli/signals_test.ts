import assert from "node:assert/strict";
import { endRequests } from "./signals.ts";

Deno.test("X14 endRequests() tells the first signal from the second", async () => {
  const { stop, second, listeners } = endRequests(undefined);
  assert.deepStrictEqual([...listeners.keys()], ["SIGINT", "SIGTERM", "SIGHUP"]);
  listeners.get("SIGTERM")?.();
  assert.strictEqual(stop.reason, "SIGTERM");
  listeners.get("SIGINT")?.();
  assert.deepStrictEqual([stop.reason, await second], ["SIGTERM", "SIGINT"]);
});

Deno.test("X14 endRequests() takes a quiet signal for the first where it counts, and never for the second", async () => {
  const answers = [false, true, true];
  const { stop, second, listeners } = endRequests({ signal: "SIGUSR2", counts: () => answers.shift() ?? true });
  listeners.get("SIGUSR2")?.();
  assert.ok(!stop.aborted);
  for (const signal of ["SIGUSR2", "SIGUSR2", "SIGHUP"] as const) listeners.get(signal)?.();
  assert.deepStrictEqual([stop.reason, await second, answers], ["SIGUSR2", "SIGHUP", []]);
});
