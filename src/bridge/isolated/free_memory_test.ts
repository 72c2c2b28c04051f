import { strict as assert } from "node:assert";
import { hasMemoryToSpare, type MemoryFacts, memoryFacts } from "./free_memory.ts";

const GIB = 1024 ** 3;
const rows: readonly (readonly [what: string, facts: MemoryFacts, spare: boolean])[] = [
  ["a machine with memory", { available: 4 * GIB, limit: undefined, used: undefined }, true],
  ["a machine without", { available: GIB / 2, limit: undefined, used: undefined }, false],
  ["a group without a limit", { available: 4 * GIB, limit: "max\n", used: `${8 * GIB}\n` }, true],
  ["a group with room", { available: 4 * GIB, limit: `${2 * GIB}\n`, used: `${GIB}\n` }, true],
  ["a full group", { available: 4 * GIB, limit: `${2 * GIB}\n`, used: `${2 * GIB - 1}\n` }, false],
  ["a group on a machine without", { available: GIB / 2, limit: `${2 * GIB}\n`, used: "0\n" }, false],
];

Deno.test("N5 a spare process needs much free memory, of the machine and of its control group", () => {
  const seen = rows.map(([what, facts]) => [what, hasMemoryToSpare(facts)]);
  assert.deepStrictEqual(seen, rows.map(([what, , spare]) => [what, spare]));
});

Deno.test("N5 the limit of memory is that of the own control group", () => {
  const files: Readonly<Record<string, string>> = {
    "/proc/self/cgroup": "12:pids:/other\n0::/user.slice/one\n",
    "/sys/fs/cgroup/user.slice/one/memory.max": "1000\n",
    "/sys/fs/cgroup/user.slice/one/memory.current": "900\n",
  };
  const { limit, used, available } = memoryFacts({ readProc: (path) => files[path] });
  assert.deepStrictEqual([limit, used, available > 0], ["1000\n", "900\n", true]);
  const inside = memoryFacts({
    readProc: (path) =>
      path === "/proc/self/cgroup" ? "0::/\n" : path === "/sys/fs/cgroup/memory.max" ? "5\n" : undefined,
  });
  assert.deepStrictEqual([inside.limit, inside.used], ["5\n", undefined]);
});
