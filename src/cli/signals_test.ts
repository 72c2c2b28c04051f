import assert from "node:assert/strict";
import { listenForSignals } from "./signals.ts";

Deno.test("X14 listenForSignals() tells the first signal from the second", async () => {
  using ends = listenForSignals({ signals: ["SIGUSR1", "SIGUSR2"] });
  // Listening alone does not keep the runtime from ending; the server's open stdin does, here it is the deadline.
  const deadline = setTimeout(() => assert.fail("The signals did not come"), 120_000);
  let second: string | undefined;
  void ends.second.then((signal) => second = signal);
  const stopped = new Promise<void>((resolve) => ends.stop.addEventListener("abort", () => resolve()));
  Deno.kill(Deno.pid, "SIGUSR2");
  await stopped;
  assert.deepStrictEqual([ends.stop.reason, second], ["SIGUSR2", undefined]);
  Deno.kill(Deno.pid, "SIGUSR1");
  assert.strictEqual(await ends.second, "SIGUSR1");
  clearTimeout(deadline);
});

Deno.test("X14 listenForSignals() takes a quiet signal for the first where it counts, and never for the second", async () => {
  const asked = Promise.withResolvers<void>();
  const answers = [false, true, true];
  const counts = () => {
    asked.resolve();
    return answers.shift() ?? true;
  };
  using ends = listenForSignals({ signals: ["SIGUSR1"], quiet: { signal: "SIGUSR2", counts } });
  const deadline = setTimeout(() => assert.fail("The signals did not come"), 120_000);
  const stopped = new Promise<void>((resolve) => ends.stop.addEventListener("abort", () => resolve()));
  Deno.kill(Deno.pid, "SIGUSR2");
  await asked.promise;
  assert.ok(!ends.stop.aborted);
  Deno.kill(Deno.pid, "SIGUSR2");
  await stopped;
  Deno.kill(Deno.pid, "SIGUSR2");
  Deno.kill(Deno.pid, "SIGUSR1");
  assert.deepStrictEqual([ends.stop.reason, await ends.second], ["SIGUSR2", "SIGUSR1"]);
  clearTimeout(deadline);
});
