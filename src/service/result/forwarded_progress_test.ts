import { strict as assert } from "node:assert";
import { ForwardedProgress } from "./forwarded_progress.ts";

Deno.test("O2 O6 progress only rises, is cleaned, and waits for a client that does not read", async () => {
  const sent: unknown[] = [];
  const read = Promise.withResolvers<void>();
  const progress = new ForwardedProgress({
    sendProgress: (...step) => {
      sent.push(step);
      return read.promise;
    },
  });
  for (const step of [1, 1, 0, "2", Number.NaN]) progress.forward({ progress: step, message: "a\u200bb", total: 9 });
  assert.deepStrictEqual(sent, [[1, "ab", 9]]);
  for (let step = 2; step < 1_000; step++) progress.forward({ progress: step, message: "x".repeat(5_000) });
  assert.deepStrictEqual([sent.length, sent.at(-1)], [32, [32, `${"x".repeat(1_000)}…`, undefined]]);
  read.resolve();
  await read.promise;
  await Promise.resolve();
  progress.forward({ progress: 1_000 });
  progress.end();
  progress.forward({ progress: 2_000 });
  assert.deepStrictEqual(sent.at(-1), [1_000, undefined, undefined]);
});
