import assert from "node:assert/strict";
import { exitCodeOf } from "./exit_code.ts";

Deno.test("L5 exitCodeOf() is the command's own code, else what shells use", () => {
  assert.deepStrictEqual(
    [
      exitCodeOf({ state: "completed", exitCode: 0 }),
      exitCodeOf({ state: "failed", exitCode: 7 }),
      exitCodeOf({ state: "failed", signal: "SIGSEGV" }),
      exitCodeOf({ state: "failed", message: "Cannot start" }),
      exitCodeOf({ state: "timed_out", signal: "SIGTERM" }),
      exitCodeOf({ state: "cancelled" }),
      exitCodeOf(undefined),
    ],
    [0, 7, 139, 1, 124, 130, 1],
  );
});
