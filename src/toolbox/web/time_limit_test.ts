import assert from "node:assert/strict";
import { withinTime } from "./time_limit.ts";

/** Ends with its signal only. */
function endless(signal: AbortSignal): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  signal.addEventListener("abort", () => reject(signal.reason));
  return promise;
}

Deno.test("K5 work on the web that takes too long is told in its own words, and a cancelled one as such", async () => {
  const { signal } = new AbortController();
  const late = { name: "UserError", message: "It took too long" };
  await assert.rejects(withinTime({ signal, seconds: 0.01, late: late.message }, endless), late);
  const cancelled = AbortSignal.abort(new Error("enough"));
  await assert.rejects(
    withinTime({ signal: cancelled, seconds: 60, late: late.message }, (one) => Promise.reject(one.reason)),
    /enough/,
  );
  assert.equal(await withinTime({ signal, seconds: 60, late: late.message }, () => Promise.resolve(1)), 1);
});
