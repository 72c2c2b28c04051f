import { strict as assert } from "node:assert";
import { chooseMode } from "./mode.ts";

Deno.test("X2 chooseMode() takes the first rule that applies", () => {
  const modes = [];
  for (const forced of [true, false]) {
    for (const executionMode of ["Synchronous", "AsyncResultPush", undefined] as const) {
      for (const leafSynchronous of [true, false, undefined]) {
        modes.push(chooseMode({ forced, executionMode, leafSynchronous }) === "synchronous" ? "s" : "a");
      }
    }
  }
  assert.strictEqual(modes.join(""), "sssssssss" + "sss" + "aaa" + "saa");
});
