import assert from "node:assert/strict";
import { usageOf } from "./usage.ts";

Deno.test("V1 usageOf() adds up processes that live, whatever their names, and what they waited for", () => {
  const stats: Readonly<Record<number, string>> = {
    1: "1 (sh) S 0 1 1 0 -1 4194560 1 2 3 4 5 6 70 80 20 0 1 0 9 9",
    2: "2 (a) b (c)) R 1 1 1 0 -1 4194560 1 2 3 4 1 0 0 0 20 0 1 0 9 9",
  };
  const system = {
    statOf: (pid: number) => stats[pid],
    // A zombie has no memory.
    memoryOf: (pid: number) => pid === 1 ? "Name:\tVmRSS: 7 kB\nVmHWM:\t   900 kB\nVmRSS:\t   512 kB\n" : "Name:\ta\n",
  };
  assert.deepStrictEqual(usageOf([1, 2, 3], system), {
    processes: 2,
    memoryBytes: 512 * 1024,
    processorMs: 1620,
  });
});
