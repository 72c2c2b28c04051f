import assert from "node:assert/strict";
import { skipping } from "../../base/_support/timers.ts";
import { delay } from "../../base/time.ts";
import { SilenceLimit } from "./active_call.ts";

const MS = 123_456;

Deno.test("O6 a server's silence counts, but not while a person is asked", async () => {
  using _skipped = skipping(MS);
  const limit = new SilenceLimit(MS);
  const answer = Promise.withResolvers<string>();
  const asked = limit.during(answer.promise);
  limit.restart();
  await delay(0);
  await delay(0);
  assert.deepStrictEqual([limit.signal.aborted], [false]);
  answer.resolve("yes");
  assert.deepStrictEqual(await asked, "yes");
  await delay(0);
  await delay(0);
  assert.deepStrictEqual([limit.signal.aborted], [true]);
});

Deno.test("O6 a limit that was stopped ends nothing any more", async () => {
  using _skipped = skipping(MS);
  const limit = new SilenceLimit(MS);
  limit.restart();
  limit.stop();
  limit.restart();
  await delay(0);
  await delay(0);
  assert.deepStrictEqual([limit.signal.aborted], [false]);
});
