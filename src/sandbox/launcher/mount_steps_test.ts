import assert from "node:assert/strict";
import type { GuardedPath } from "../policy.ts";
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
    SYS.openat,
    SYS.dup3,
    SYS.newfstatat,
    "compare",
    "compare",
    SYS.open_tree,
    SYS.dup3,
    SYS.mount_setattr,
    SYS.move_mount,
    SYS.close_range,
  ]);
  assert.deepStrictEqual(entries.filter(({ mode }) => mode === "compare").map(({ expect }) => expect), [7n, 8n]);
  assert.deepStrictEqual(entries.filter(({ mode }) => mode !== "fatal" && mode !== "compare"), []);
  assert.equal((entries[0]?.args[2] as number) & OPEN_FLAGS.x86_64.noFollow, OPEN_FLAGS.x86_64.noFollow);
  assert.equal(entries[5]?.args[0], 61, "the tree is that of the descriptor that was compared");
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
