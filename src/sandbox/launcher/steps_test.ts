import assert from "node:assert/strict";
import type { SandboxPolicy } from "../policy.ts";
import { LITTLE_ENDIAN } from "./interpreter.ts";
import { launchTable, type LaunchTarget, policyTable } from "./steps.ts";
import type { Table } from "./table.ts";
import { SYSTEM_CALLS } from "./syscalls.ts";

const TARGET: LaunchTarget = { processor: "x86_64", serverPid: 42 };
const SYS = SYSTEM_CALLS.x86_64;
const POLICY: SandboxPolicy = {
  writable: [{ path: "/project", device: 1n, inode: 2n }],
  grants: [{ path: "/usr", kind: "directory", rights: 0xd }],
  abi: 7,
  namespaces: true,
  keptCapabilities: [],
  user: { uid: 1000, gid: 1000 },
};
const COMMAND = { programs: ["/a/x", "/b/x"], argv: ["x", "1"], environment: ["A=b"], directory: "/project" };

function tableOf(policy: SandboxPolicy | undefined): Table {
  return launchTable(policyTable(policy, TARGET), COMMAND, TARGET.processor);
}

function numbers(policy: SandboxPolicy | undefined): readonly number[] {
  return tableOf(policy).entries.map(({ number }) => number);
}

Deno.test("S3 launchTable() restricts itself before any exec, and nothing after the restriction can undo it", () => {
  const calls = numbers(POLICY);
  const enforced = calls.indexOf(SYS.landlock_restrict_self);
  assert.ok(enforced > 0 && enforced < calls.indexOf(SYS.execve));
  assert.deepStrictEqual(calls.slice(enforced + 1), [SYS.capset, SYS.close_range, SYS.chdir, SYS.execve, SYS.execve]);
});

Deno.test("S8 launchTable() sets NoNewPrivs before it enforces Landlock", () => {
  const { entries } = tableOf(POLICY);
  const index = entries.findIndex(({ number }) => number === SYS.landlock_restrict_self);
  assert.deepStrictEqual(entries[index - 1]?.args, [38, 1, 0, 0, 0]);
});

Deno.test("S3 launchTable() ignores errors only where less access follows", () => {
  const { entries, steps } = tableOf(POLICY);
  const soft = entries.filter(({ mode }) => mode === "soft").map(({ step }) => steps[step]);
  assert.deepStrictEqual([...new Set(soft)], [
    'close "/proc/self/setgroups"',
    'close "/proc/self/uid_map"',
    'close "/proc/self/gid_map"',
    'open "/usr"',
    'allow "/usr"',
    "limit capabilities",
    "lock capabilities",
    'start "x"',
  ]);
  assert.deepStrictEqual(entries.at(-1)?.mode, "fatal");
});

Deno.test("S4 launchTable() compares device and inode of every writable directory", () => {
  const compared = tableOf(POLICY).entries.filter(({ mode }) => mode === "compare");
  assert.deepStrictEqual(compared.map(({ expect }) => expect), [1n, 2n]);
});

Deno.test("P4 launchTable() leaves the server's session and closes inherited descriptors, sandboxed or not", () => {
  for (const policy of [POLICY, { ...POLICY, namespaces: false }, undefined]) {
    const calls = numbers(policy);
    assert.ok(calls.includes(SYS.setsid) && calls.includes(SYS.close_range) && calls.includes(SYS.rt_sigaction));
  }
});

Deno.test("X10 launchTable() dies with a server that is gone already", () => {
  const { entries } = tableOf(undefined);
  const guard = entries.find(({ number }) => number === SYS.getppid);
  assert.deepStrictEqual([guard?.mode, guard?.expect], ["equals", 42]);
});

Deno.test("S2 launchTable() handles exactly the rights of the kernel's ABI", () => {
  for (
    const [abi, handled] of [[1, 0x1fff], [2, 0x3fff], [3, 0x7fff], [5, 0xffff], [7, 0xffff], [9, 0x1ffff]] as const
  ) {
    const table = tableOf({ ...POLICY, abi });
    const create = table.entries.find(({ number }) => number === SYS.landlock_create_ruleset);
    const attribute = create?.args[0];
    assert.ok(typeof attribute === "object");
    const data = table.data();
    const view = new DataView(data.buffer, data.byteOffset);
    assert.deepStrictEqual(
      Number(view.getBigUint64(attribute.kind === "data" ? attribute.offset : 0, LITTLE_ENDIAN)),
      handled,
    );
  }
});

Deno.test("launchTable() leaves the policy's table as it was", () => {
  const policy = policyTable(POLICY, TARGET);
  const before = [policy.entries.length, policy.data().length];
  launchTable(policy, COMMAND, TARGET.processor);
  assert.deepStrictEqual([policy.entries.length, policy.data().length], before);
});

Deno.test("S8 launchTable() takes every capability after the restriction, from root and from others", () => {
  for (const uid of [0, 1000]) {
    const calls = tableOf({ ...POLICY, user: { uid, gid: uid } }).entries.map(({ number }) => number);
    assert.deepStrictEqual(calls.slice(calls.indexOf(SYS.landlock_restrict_self) + 1, -2), [
      SYS.capset,
      SYS.close_range,
      SYS.chdir,
    ]);
  }
});
