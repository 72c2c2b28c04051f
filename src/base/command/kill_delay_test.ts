import assert from "node:assert/strict";
import { HurriedEnd, killDelay } from "./kill_delay.ts";

Deno.test("X14 killDelay() is the usual one unless the reason of the abort asks for a shorter one", () => {
  const delays = [undefined, "a text", new HurriedEnd("", 1000), new HurriedEnd("", 3000)].map((reason) => {
    const abort = new AbortController();
    abort.abort(reason);
    return killDelay(AbortSignal.any([abort.signal]), 2000);
  });
  assert.deepStrictEqual(delays, [2000, 2000, 1000, 2000]);
});
