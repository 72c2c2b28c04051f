import assert from "node:assert/strict";
import { exitCodeOf } from "./call.ts";

Deno.test("L5 exitCodeOf() is the command's own code, else what shells use", async () => {
  assert.deepStrictEqual(
    [
      await exitCodeOf({ state: "completed", command: { kind: "exited", code: 0 } }),
      await exitCodeOf({ state: "failed", command: { kind: "exited", code: 7 } }),
      await exitCodeOf({ state: "failed", command: { kind: "signalled", signal: "SIGSEGV" } }),
      await exitCodeOf({ state: "failed", message: "Cannot start" }),
      await exitCodeOf({ state: "timed_out", command: { kind: "signalled", signal: "SIGTERM" } }),
      await exitCodeOf({ state: "cancelled" }),
      await exitCodeOf(undefined),
    ],
    [0, 7, 139, 1, 124, 130, 1],
  );
});
