import assert from "node:assert/strict";
import { binary, usageWords } from "./tree_usage.ts";

const GIB = 1024 ** 3;

Deno.test("S38 usageWords() says what ended a command, in the unit of its limit", () => {
  assert.deepStrictEqual(usageWords({ processorMs: 12, memoryPeakBytes: 4096 }), [], "nothing that mattered");
  assert.deepStrictEqual(usageWords({ outOfMemory: { limitBytes: 4 * GIB }, memoryPeakBytes: 4.1 * GIB }), [
    "killed: 4.1 of 4.0 GiB",
  ]);
  assert.deepStrictEqual(usageWords({ outOfMemory: { limitBytes: 256 * 1024 ** 2 } }), [
    "killed: beyond 256.0 MiB of memory",
  ]);
  assert.deepStrictEqual(usageWords({ outOfMemory: "together", memoryPeakBytes: GIB, taskLimit: 50 }), [
    "killed: memory of all commands together ran out, it had 1.0 GiB",
    "processes refused beyond 50",
  ]);
});

Deno.test("S38 binary() writes a size in the largest unit that fits", () => {
  assert.deepStrictEqual([0, 1536, 16 * 1024 ** 2, 3 * GIB, 2048 * GIB, 5e6 * GIB].map(binary), [
    "0.0 KiB",
    "1.5 KiB",
    "16.0 MiB",
    "3.0 GiB",
    "2.0 TiB",
    "4882.8 TiB",
  ]);
});
