import assert from "node:assert/strict";
import { type GroupTexts, usageFrom } from "./group_usage.ts";

const NOTHING: GroupTexts = {
  processor: undefined,
  processorBefore: undefined,
  memoryPeak: undefined,
  peakIsOwn: true,
  memoryEvents: undefined,
  taskEvents: undefined,
  taskEventsBefore: undefined,
};
const LIMITS = { memory: 1000, tasks: 50 };
const QUIET = "low 0\nhigh 0\nmax 12\noom 0\noom_kill 0\noom_group_kill 0\n";
const KILLED = "low 0\nhigh 0\nmax 40\noom 1\noom_kill 21\noom_group_kill 1\n";

Deno.test("S38 usageFrom() tells what a command used, without what was used before it", () => {
  const texts: GroupTexts = {
    processor: "usage_usec 2500400\nuser_usec 1\nsystem_usec 1\n",
    processorBefore: "usage_usec 500000\n",
    memoryPeak: "4096\n",
    peakIsOwn: true,
    memoryEvents: QUIET,
    taskEvents: "max 7\n",
    taskEventsBefore: "max 7\n",
  };
  assert.deepStrictEqual(usageFrom(texts, LIMITS), { processorMs: 2000, memoryPeakBytes: 4096 });
  assert.deepStrictEqual(usageFrom({ ...texts, peakIsOwn: false }, LIMITS), { processorMs: 2000 });
  assert.deepStrictEqual(usageFrom(NOTHING, LIMITS), {}, "a kernel that counts nothing");
});

Deno.test("S38 usageFrom() tells which limit ended a command, and with how much memory", () => {
  const killed = { ...NOTHING, memoryEvents: KILLED, memoryPeak: "1000\n", peakIsOwn: false };
  assert.deepStrictEqual(usageFrom(killed, LIMITS), { memoryPeakBytes: 1000, outOfMemory: { limitBytes: 1000 } });
  assert.deepStrictEqual(usageFrom(killed, { ...LIMITS, memory: undefined }), {
    memoryPeakBytes: 1000,
    outOfMemory: "together",
  });
});

Deno.test("S38 usageFrom() tells that processes were refused during this command, and not before it", () => {
  const refused = { ...NOTHING, taskEvents: "max 9\n", taskEventsBefore: "max 7\n" };
  assert.deepStrictEqual(usageFrom(refused, LIMITS), { taskLimit: 50 });
  assert.deepStrictEqual(usageFrom({ ...refused, taskEventsBefore: "max 9\n" }, LIMITS), {});
});
