import assert from "node:assert/strict";
import { familyOf, type ListedProcess, parseProcessList, PS_ARGUMENTS } from "./process_list.ts";

function process(pid: number, parent: number, group: number, change: Partial<ListedProcess> = {}): ListedProcess {
  return { pid, parent, group, dead: false, started: "Mon Jan  1 00:00:00 2024", ...change };
}

Deno.test("X10 parseProcessList() reads what ps prints", () => {
  const text =
    "    1     0     1 Ss   Mon Jan  1 00:00:00 2024\n  812     1   812 Z+   Sun Nov 22 01:10:45 2026    \n\nps: x\n";
  assert.deepStrictEqual(parseProcessList(text), [
    process(1, 0, 1),
    process(812, 1, 812, { dead: true, started: "Sun Nov 22 01:10:45 2026" }),
  ]);
});

Deno.test("X10 parseProcessList() finds this very process in the answer of this system's ps", async () => {
  const { stdout } = await new Deno.Command("/bin/ps", { args: [...PS_ARGUMENTS] }).output();
  const listed = parseProcessList(new TextDecoder().decode(stdout)).find(({ pid }) => pid === Deno.pid);
  assert.deepStrictEqual([listed?.parent, listed?.dead], [Deno.ppid, false]);
});

Deno.test("X10 familyOf() finds the group and the processes that left it, and none that merely got an old id", () => {
  const member = process(11, 1, 10);
  const left = process(12, 11, 12); // a session of its own
  const grandchild = process(13, 12, 12);
  const stranger = process(20, 1, 20);
  const reused = process(21, 1, 21, { started: "Tue Jan  2 00:00:00 2024" });
  const orphan = process(22, 1, 22);
  const gone = process(14, 11, 10, { dead: true });
  const all = [process(1, 0, 1), stranger, grandchild, left, member, reused, orphan, gone];
  const known = [process(21, 11, 21), process(22, 11, 22)];
  const pids = familyOf(10, known, all).map(({ pid }) => pid).sort();
  assert.deepStrictEqual(pids, [11, 12, 13, 22]);
});
