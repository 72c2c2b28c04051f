import assert from "node:assert/strict";
import { exitCodeOf } from "./exit_code.ts";

Deno.test("L5 exitCodeOf() is the command's own code, else what shells use", () => {
  assert.deepStrictEqual(
    [
      exitCodeOf({ state: "completed", command: { kind: "exited", code: 0 } }),
      exitCodeOf({ state: "failed", command: { kind: "exited", code: 7 } }),
      exitCodeOf({ state: "failed", command: { kind: "signalled", signal: "SIGSEGV" } }),
      exitCodeOf({ state: "failed", message: "Cannot start" }),
      exitCodeOf({ state: "timed_out", command: { kind: "signalled", signal: "SIGTERM" } }),
      exitCodeOf({ state: "cancelled" }),
      exitCodeOf(undefined),
    ],
    [0, 7, 139, 1, 124, 130, 1],
  );
});
