import assert from "node:assert/strict";
import type { GuardedPath, PinnedDirectory } from "../../policy/policy.ts";
import { LITTLE_ENDIAN } from "../../../system/c_library.ts";
import { REPORT_FD } from "../image/interpreter.ts";
import { guardPaths, mountReadOnly, mountSharedMemory } from "./mount_steps.ts";
import { OPEN_FLAGS, SYSTEM_CALLS } from "../../../system/syscalls.ts";
import { Table } from "../image/table.ts";
import { interpretedMounts } from "../_support/mount_reader.ts";

const SYS = SYSTEM_CALLS.x86_64;
const HOOKS: GuardedPath = { path: "/p/h", device: 7n, inode: 8n, treatment: "read_only", cover: "/p/h" };

function tableOf(guarded: readonly GuardedPath[]): Table {
  const table = new Table();
  guardPaths({ table, sys: SYS, open: OPEN_FLAGS.x86_64 }, { guarded });
  return table;
}

Deno.test("S8 guardPaths() compares what it opened before it mounts that very file on itself, without a second look-up", () => {
  const { entries } = tableOf([HOOKS]);
  assert.deepStrictEqual(entries.map(({ number, mode }) => mode === "compare" ? "compare" : number), [
    SYS.close_range,
    SYS.openat2,
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
  assert.deepStrictEqual([entries[2]?.args[0], entries[5]?.args[0]], [3, 3], "the tree is what was compared");
});

Deno.test("S8 guardPaths() leaves a pinned directory writable, and shows a cover in place of what is hidden", () => {
  const pinned = tableOf([{ ...HOOKS, treatment: "pin" }]).entries.map(({ number }) => number);
  assert.ok(!pinned.includes(SYS.mount_setattr));
  const hidden = tableOf([{ ...HOOKS, treatment: "hidden", cover: "/empty" }]);
  assert.ok(hidden.entries.some(({ number }) => number === SYS.mount_setattr));
  assert.deepStrictEqual(interpretedMounts(hidden, SYS), [{ compared: "7:8", at: "/p/h", from: "/empty" }]);
});

Deno.test("S8 guardPaths() takes read-only off the one mount that stays writable in a protected directory", () => {
  const table = tableOf([{ ...HOOKS, treatment: "writable" }]);
  const [, , , , , copied, changed] = table.entries;
  assert.deepStrictEqual([copied?.number, changed?.number, changed?.mode], [SYS.open_tree, SYS.mount_setattr, "soft"]);
  assert.equal(changed?.args[2], 0x1000, "not what is mounted in it");
  const attributes = changed?.args[3];
  const offset = typeof attributes === "object" && attributes.kind === "data" ? attributes.offset : -1;
  const view = new DataView(table.data().slice().buffer);
  assert.deepStrictEqual([0, 8].map((at) => view.getBigUint64(offset + at, LITTLE_ENDIAN)), [0n, 1n]);
});

const S = { path: "/s", device: 1n, inode: 10n };
const INNER = { path: "/s/x/y", device: 1n, inode: 11n };
const OTHER = { path: "/cache", device: 2n, inode: 12n };

function readOnlyTable(writable: readonly PinnedDirectory[]): Table {
  const table = new Table();
  mountReadOnly({ table, sys: SYS, open: OPEN_FLAGS.x86_64 }, { writable, grants: [] });
  return table;
}

Deno.test("S20 mountReadOnly() compares each tree as it is set aside and its place as it is put back, outer trees first", () => {
  assert.deepStrictEqual(interpretedMounts(readOnlyTable([INNER, OTHER, S]), SYS), [
    { compared: "1:10", at: "/s", from: "/s", fromCompared: "1:10" },
    { compared: "1:11", at: "/s/x/y", from: "/s/x/y", fromCompared: "1:11" },
    { compared: "2:12", at: "/cache", from: "/cache", fromCompared: "2:12" },
  ]);
});

Deno.test("S20 no step that mounts names a path, but for the root, and no link is followed to what is mounted", () => {
  const guarded = { ...HOOKS, treatment: "hidden", cover: "/empty" } as const;
  for (const table of [readOnlyTable([INNER, OTHER, S]), tableOf([HOOKS, guarded])]) {
    const named = table.entries.filter(({ number, args }) =>
      [SYS.open_tree, SYS.move_mount, SYS.mount_setattr].includes(number) && args[0] === -100
    );
    assert.deepStrictEqual(named.map(({ step }) => table.steps[step]).filter((step) => !step?.includes("all")), []);
    const opened = table.entries.filter(({ number }) => number === SYS.openat2);
    const view = new DataView(table.data().slice().buffer);
    const resolve = opened.map(({ args: [, , how] }) =>
      typeof how === "object" && how.kind === "data" ? view.getBigUint64(how.offset + 16, LITTLE_ENDIAN) : undefined
    );
    assert.deepStrictEqual([...new Set(resolve)], [4n]);
    assert.ok(table.entries.every(({ number }) => number !== SYS.openat));
  }
});

Deno.test("S20 mountReadOnly() never takes the number of the report descriptor, however many trees there are", () => {
  const many = Array.from({ length: 40 }, (_, index) => ({ path: `/t/${index}`, device: 1n, inode: BigInt(index) }));
  const { entries } = readOnlyTable(many);
  const numbers = entries.filter(({ mode }) => mode === "equals").map(({ expect }) => expect);
  const expected = Array.from({ length: 121 }, (_, index) => 3 + index).filter((number) => number !== REPORT_FD);
  assert.deepStrictEqual(numbers, expected);
  assert.deepStrictEqual(entries.at(-1)?.args.slice(0, 2), [REPORT_FD + 1, 0xffffffff]);
});

Deno.test("S5 mountSharedMemory() limits it, and does without set-user-id programs and devices", () => {
  for (
    const [limit, size] of [[undefined, 512 * 1024 ** 2], [2 * 1024 ** 3, 512 * 1024 ** 2], [1024 ** 2, 1024 ** 2]]
  ) {
    const table = new Table();
    mountSharedMemory({ table, sys: SYS, open: OPEN_FLAGS.x86_64 }, limit);
    assert.ok(new TextDecoder().decode(table.data()).includes(`mode=1777,size=${size}\0`));
    assert.equal(table.entries[0]?.args[3], 6);
  }
});

Deno.test("S5 S20 mountReadOnly() mounts the temp directory, then the ways, then what lies there, each on its own mount point", () => {
  const session = { path: "/tmp/s/tmp", device: 1n, inode: 20n };
  const way = {
    at: { path: "/tmp/s", device: 1n, inode: 21n },
    source: { path: "/tmp/s/ways", device: 1n, inode: 22n },
  };
  const points = [
    { path: "/tmp/s/tmp", device: 1n, inode: 23n },
    { path: "/tmp/s/files", device: 1n, inode: 24n },
  ];
  const temporary = {
    tree: session,
    places: ["/tmp", "/var/tmp"],
    ways: [way],
    points,
    covers: { directory: "/tmp/s/empty", file: "/tmp/s/nothing" },
  };
  const table = new Table();
  const grants = [{ path: "/tmp/s/files", kind: "directory", rights: 12 }] as const;
  mountReadOnly({ table, sys: SYS, open: OPEN_FLAGS.x86_64 }, { writable: [S, session], grants, temporary });
  assert.deepStrictEqual(interpretedMounts(table, SYS), [
    { at: "/tmp", from: "/tmp/s/tmp", fromCompared: "1:20" },
    { at: "/var/tmp", from: "/tmp/s/tmp", fromCompared: "1:20" },
    { compared: "1:21", at: "/tmp/s", from: "/tmp/s/ways", fromCompared: "1:22" },
    { compared: "1:10", at: "/s", from: "/s", fromCompared: "1:10" },
    { compared: "1:23", at: "/tmp/s/tmp", from: "/tmp/s/tmp", fromCompared: "1:20" },
    { compared: "1:24", at: "/tmp/s/files", from: "/tmp/s/files" },
  ]);
  // What is gone is shown empty, and never ends the launch; what is there and cannot be made read-only does.
  const soft = table.entries.filter(({ mode }) => mode === "soft").map(({ number }) => number);
  assert.deepStrictEqual(soft, [SYS.openat2, SYS.close]);
});
