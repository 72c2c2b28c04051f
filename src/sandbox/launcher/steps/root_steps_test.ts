import assert from "node:assert/strict";
import { REPORT_FD } from "../image/interpreter.ts";
import { Table } from "../image/table.ts";
import { mountReadOnly } from "./mount_steps.ts";
import { narrowed } from "../policy_fallback.ts";
import { policyTable } from "../policy_table.ts";
import { POLICY } from "../_support/policy.ts";
import type { OwnRoot } from "../../policy/policy.ts";
import { OPEN_FLAGS, SYSTEM_CALLS } from "../../../system/syscalls.ts";

const SYS = SYSTEM_CALLS.x86_64;
const ROOT: OwnRoot = {
  tree: { path: "/s/root", device: 3n, inode: 30n },
  trees: ["/usr", "/etc/hosts"],
  devices: ["/dev/null"],
  points: [{ path: "/project", device: 3n, inode: 31n }],
};
const WITH_ROOT = { ...POLICY, root: ROOT, terminals: true };

function namesOf(table: Table): readonly string[] {
  const names = Object.entries(SYS).map(([name, number]) => [number, name] as const);
  const byNumber = new Map(names);
  return table.entries.filter(({ mode }) => mode !== "compare").map(({ number }) => byNumber.get(number) ?? "?");
}

Deno.test("S8 policyTable() enters the root before anything is mounted inside, and leaves the machine's when /proc is its own", () => {
  const table = policyTable(WITH_ROOT, { processor: "x86_64", serverPid: 42 });
  const calls = namesOf(table);
  const [entered, left] = [calls.indexOf("pivot_root"), calls.indexOf("umount2")];
  assert.strictEqual(calls.slice(0, entered).filter((name) => name === "mount").length, 1, "private alone");
  const between = calls.slice(entered, left).filter((name) => ["move_mount", "mount", "clone"].includes(name));
  assert.deepStrictEqual(
    between,
    ["move_mount", "mount", "clone", "mount"],
    "the scope, terminals, a process, its /proc",
  );
  assert.ok(left < calls.indexOf("landlock_create_ruleset"));
});

Deno.test("S8 S20 enterRoot() mounts nothing from the machine that may be written to, and puts trees on compared points", () => {
  const table = new Table();
  mountReadOnly({ table, sys: SYS, open: OPEN_FLAGS.x86_64 }, WITH_ROOT);
  const compared = table.entries.filter(({ mode }) => mode === "compare").map(({ expect }) => expect);
  assert.deepStrictEqual(compared, [1n, 2n, 3n, 30n, 3n, 31n], "the scope, the root, the scope's mount point");
  const entries = table.entries.map(({ number }) => number);
  const readOnly = entries.flatMap((number, index) => number === SYS.mount_setattr ? [index] : []);
  const mounted = entries.flatMap((number, index) => number === SYS.move_mount ? [index] : []);
  // The scope's copy has its devices closed; then the readable trees and the devices are each made read-only.
  assert.deepStrictEqual([readOnly.length, mounted.length], [3, 6]);
  assert.ok((mounted[2] ?? 0) < (readOnly[1] ?? 0) && (readOnly[1] ?? 0) < (mounted[3] ?? 0));
  const soft = table.entries.filter(({ mode }) => mode === "soft").map(({ step }) => table.steps[step]);
  assert.deepStrictEqual([...new Set(soft)], ['show "/usr"', 'show "/etc/hosts"', 'show "/dev/null"']);
});

Deno.test("S20 enterRoot() frees every number that what it opened may have, but that of the reports", () => {
  const table = new Table();
  const trees = Array.from({ length: 30 }, (_, index) => ({ path: `/t/${index}`, device: 1n, inode: BigInt(index) }));
  mountReadOnly({ table, sys: SYS, open: OPEN_FLAGS.x86_64 }, { ...WITH_ROOT, writable: trees });
  const entered = table.entries.findIndex(({ number }) => number === SYS.fchdir);
  const closed = table.entries.slice(0, entered).filter(({ number }) => number === SYS.close_range).slice(1);
  // 30 places and 30 copies take 3 to 62, the root's three come after the reports.
  assert.deepStrictEqual(closed.map(({ args }) => args.slice(0, 2)), [[REPORT_FD + 4, 0xffffffff]]);
});

Deno.test("S8 narrowed() keeps the other layers where a root or terminals cannot be mounted", () => {
  const grants = [...POLICY.grants, { path: "/dev/pts", kind: "directory" as const, rights: 12 }];
  const wanted = { ...WITH_ROOT, grants };
  const kept = (step: string) => {
    const next = narrowed(wanted, step);
    return [next?.namespaces, next?.root !== undefined, next?.terminals === true, next?.grants.length];
  };
  assert.deepStrictEqual(kept("give commands a root of their own"), [true, false, false, 1]);
  assert.deepStrictEqual(kept("mount pseudo-terminals of the command's own"), [true, true, false, 1]);
});
