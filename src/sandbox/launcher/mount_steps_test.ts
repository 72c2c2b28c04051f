import assert from "node:assert/strict";
import type { GuardedPath } from "../policy.ts";
import { REPORT_FD } from "./interpreter.ts";
import { guardPaths, mountSharedMemory } from "./mount_steps.ts";
import { OPEN_FLAGS, SYSTEM_CALLS } from "./syscalls.ts";
import { Table } from "./table.ts";

const SYS = SYSTEM_CALLS.x86_64;
const HOOKS: GuardedPath = { path: "/p/h", device: 7n, inode: 8n, treatment: "read_only", cover: "/p/h" };

function tableOf(guarded: readonly GuardedPath[]): Table {
  const table = new Table();
  guardPaths({ table, sys: SYS, open: OPEN_FLAGS.x86_64 }, guarded);
  return table;
}

Deno.test("S8 guardPaths() compares what it opened before it mounts that very file on itself, without a second look-up", () => {
  const { entries } = tableOf([HOOKS]);
  assert.deepStrictEqual(entries.map(({ number, mode }) => mode === "compare" ? "compare" : number), [
    SYS.close_range,
    SYS.openat,
    SYS.newfstatat,
    "compare",
    "compare",
    SYS.open_tree,
    SYS.mount_setattr,
    SYS.move_mount,
    SYS.close_range,
  ]);
  assert.deepStrictEqual(entries.filter(({ mode }) => mode === "compare").map(({ expect }) => expect), [7n, 8n]);
  // The numbers of both descriptors are insisted on: everything between them and the reports was closed before.
  assert.deepStrictEqual(entries.filter(({ mode }) => mode === "equals").map(({ expect }) => expect), [3, 4]);
  assert.deepStrictEqual(entries[0]?.args, [3, REPORT_FD - 1, 0]);
  assert.deepStrictEqual(entries.filter(({ mode }) => !["fatal", "equals", "compare"].includes(mode)), []);
  assert.equal((entries[1]?.args[2] as number) & OPEN_FLAGS.x86_64.noFollow, OPEN_FLAGS.x86_64.noFollow);
  assert.deepStrictEqual([entries[2]?.args[0], entries[5]?.args[0]], [3, 3], "the tree is what was compared");
});

Deno.test("S8 guardPaths() leaves a pinned directory writable, and shows a cover in place of what is hidden", () => {
  const pinned = tableOf([{ ...HOOKS, treatment: "pin" }]).entries.map(({ number }) => number);
  assert.ok(!pinned.includes(SYS.mount_setattr));
  const hidden = tableOf([{ ...HOOKS, treatment: "hidden", cover: "/empty" }]);
  assert.ok(hidden.entries.some(({ number }) => number === SYS.mount_setattr));
  assert.equal(hidden.entries.find(({ number }) => number === SYS.open_tree)?.args[0], -100, "by the cover's path");
});

Deno.test("S5 mountSharedMemory() limits it, and does without set-user-id programs and devices", () => {
  const table = new Table();
  mountSharedMemory({ table, sys: SYS, open: OPEN_FLAGS.x86_64 });
  assert.match(new TextDecoder().decode(table.data()), /mode=1777,size=512m\0/);
  assert.equal(table.entries[0]?.args[3], 6);
});
