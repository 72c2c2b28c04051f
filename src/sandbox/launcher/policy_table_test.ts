import assert from "node:assert/strict";
import { POLICY } from "./_support/policy.ts";
import type { SandboxPolicy } from "../policy/policy.ts";
import { LITTLE_ENDIAN } from "../../system/c_library.ts";
import { canShareNetwork } from "./steps/network_steps.ts";
import { GROUP_STEP } from "./group_steps.ts";
import { launchTable, type LaunchTarget, policyTable } from "./policy_table.ts";
import type { Table } from "./image/table.ts";
import { SYSTEM_CALLS } from "../../system/syscalls.ts";

const TARGET: LaunchTarget = { processor: "x86_64", serverPid: 42 };
const SYS = SYSTEM_CALLS.x86_64;
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
  assert.deepStrictEqual(calls.slice(enforced + 1), [SYS.close_range, SYS.chdir, SYS.execve, SYS.execve]);
});

Deno.test("S8 launchTable() takes new privileges, capabilities and calls from the waiting process too", () => {
  for (const policy of [POLICY, { ...POLICY, namespaces: false }]) {
    const { entries } = tableOf(policy);
    const place = (number: number) => entries.findIndex((entry) => entry.number === number);
    const noNewPrivileges = entries.findIndex(({ number, args }) => number === SYS.prctl && args[0] === 38);
    const fork = entries.findIndex(({ mode }) => mode === "forkAll");
    const order = [noNewPrivileges, place(SYS.capset), place(SYS.seccomp), fork, place(SYS.landlock_restrict_self)];
    assert.deepStrictEqual(order, order.toSorted((a, b) => a - b));
    assert.ok(noNewPrivileges > 0);
    assert.equal(entries[place(SYS.seccomp)]?.mode, "fatal");
  }
});

Deno.test("S3 launchTable() ignores errors only where less access follows", () => {
  const { entries, steps } = tableOf(POLICY);
  const soft = entries.filter(({ mode }) => mode === "soft").map(({ step }) => steps[step]);
  assert.deepStrictEqual([...new Set(soft)], [
    "go first when memory runs out",
    'open "/usr"',
    'allow "/usr"',
    "limit capabilities",
    "lock capabilities",
    'start "x"',
  ]);
  assert.deepStrictEqual(entries.at(-1)?.mode, "fatal");
});

Deno.test("S20 launchTable() compares every writable directory: set aside, put back, and once more for Landlock", () => {
  const compared = (policy: SandboxPolicy) =>
    tableOf(policy).entries.filter(({ mode }) => mode === "compare").map(({ expect }) => expect);
  assert.deepStrictEqual(compared(POLICY), [1n, 2n, 1n, 2n, 1n, 2n]);
  assert.deepStrictEqual(compared({ ...POLICY, namespaces: false }), [1n, 2n]);
});

Deno.test("S20 launchTable() follows no link to anything that a policy names", () => {
  for (const policy of [POLICY, { ...POLICY, namespaces: false }]) {
    const table = tableOf(policy);
    const text = new TextDecoder().decode(table.data());
    const followed = table.entries.filter(({ number }) => number === SYS.openat).map(({ args: [, path] }) => {
      const from = text.slice(typeof path === "object" && path.kind === "data" ? path.offset : 0);
      return from.slice(0, from.indexOf("\0"));
    });
    assert.deepStrictEqual(followed.filter((path) => !path.startsWith("/proc/")), []);
  }
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

Deno.test("S8 launchTable() takes every capability after the last rule, from root and from others", () => {
  for (const uid of [0, 1000]) {
    const calls = tableOf({ ...POLICY, user: { uid, gid: uid } }).entries.map(({ number }) => number);
    assert.ok(calls.lastIndexOf(SYS.landlock_add_rule) < calls.indexOf(SYS.capset));
    assert.deepStrictEqual(calls.slice(calls.indexOf(SYS.capset) + 1, calls.indexOf(SYS.capset) + 3), [
      SYS.seccomp,
      SYS.clone,
    ]);
  }
});

Deno.test("S8 launchTable() leaves the filter out where the kernel has none, and only then", () => {
  const without = { ...POLICY, confinement: { ...POLICY.confinement, filter: false } };
  assert.deepStrictEqual([numbers(POLICY), numbers(without)].map((calls) => calls.includes(SYS.seccomp)), [
    true,
    false,
  ]);
});

Deno.test("S6 launchTable() enters a network of its own before it gives up what that takes", () => {
  const steps = (network: "localhost" | "none") => {
    const { entries } = tableOf({ ...POLICY, confinement: { ...POLICY.confinement, network, ownNetwork: true } });
    return entries.filter(({ number }) => [SYS.unshare, SYS.socket, SYS.ioctl, SYS.capset].includes(number))
      .map(({ number, args }) => [number, args[0]]);
  };
  const entered = [[SYS.unshare, 0x38020000], [SYS.unshare, 0x40000000]];
  assert.deepStrictEqual(steps("none").slice(0, -1), entered);
  assert.deepStrictEqual(steps("localhost").slice(0, -1), [...entered, [SYS.socket, 2], [SYS.ioctl, 0]]);
});

Deno.test("S6 launchTable() joins a network that was made before, opened while it is in reach, and makes none", () => {
  const confinement = { ...POLICY.confinement, network: "none", ownNetwork: true } as const;
  const entered = (user: string | undefined) => {
    const sharedNetwork = { kind: "none", network: "/proc/42/fd/9", user } as const;
    const table = policyTable({ ...POLICY, confinement }, { ...TARGET, sharedNetwork });
    const steps = table.entries.filter(({ step }) => table.steps[step] === "enter a network of its own");
    const made = table.entries.filter(({ number }) => number === SYS.unshare).map(({ args }) => args[0]);
    return [steps.map(({ number, args, mode }) => [number, args[number === SYS.setns ? 1 : 2], mode]), made];
  };
  const open = [SYS.openat, 0x80000, "fatal"];
  const join = [SYS.setns, 0x40000000, "fatal"];
  assert.deepStrictEqual(entered(undefined), [[open, join], [0x38020000]]);
  assert.deepStrictEqual(entered("/proc/42/fd/8"), [
    [open, open, [SYS.setns, 0x10000000, "fatal"], join],
    [0x38020000],
  ]);
});

Deno.test("S6 canShareNetwork() only where commands of a session reach no socket of each other by a name of the network", () => {
  const confinement = { ...POLICY.confinement, network: "none", ownNetwork: true } as const;
  const shares = (more: Partial<SandboxPolicy["confinement"]>, rest: Partial<SandboxPolicy> = { namespaces: true }) =>
    canShareNetwork({ ...POLICY, ...rest, confinement: { ...confinement, ...more } });
  assert.deepStrictEqual(
    [
      shares({}),
      shares({ filter: false }),
      shares({ unixSockets: "deny" }),
      shares({ unixSockets: "allow" }),
      shares({ network: "localhost" }),
      shares({ network: "localhost", sharesLoopback: true }),
      shares({ network: "localhost", sharesLoopback: true }, { namespaces: false }),
      shares({ network: "full", ownNetwork: false }),
      shares({}, { namespaces: false }),
    ],
    [true, false, true, false, false, true, false, false, false],
  );
});

/** Soft and hard limits by resource, as `prlimit64` gets them; and the number of processes of the namespace. */
function limitsOf(policy: SandboxPolicy) {
  const table = tableOf(policy);
  const data = new DataView(table.data().buffer, table.data().byteOffset);
  const limits = table.entries.filter(({ number }) => number === SYS.prlimit64).map(({ args }) => {
    const at = typeof args[2] === "object" && args[2].kind === "data" ? args[2].offset : 0;
    const word = (offset: number) => Number(data.getBigUint64(at + offset, LITTLE_ENDIAN));
    return [args[1], word(0), word(8)];
  });
  return { limits, counted: table.steps.includes("limit the processes of the namespace") };
}

Deno.test("S38 policyTable() has the tree born in its group, and moves the launcher where it cannot be", () => {
  const begins = (policy: SandboxPolicy | undefined, more: Partial<LaunchTarget> = {}) => {
    const target: LaunchTarget = { processor: "x86_64", serverPid: 7, entersGroup: true, ...more };
    const table = policyTable(policy, target);
    const calls = table.entries.filter(({ step }) => table.steps[step] === GROUP_STEP).map(({ number }) => number);
    return { calls, forks: table.entries.filter(({ mode }) => mode === "fork" || mode === "forkAll").length };
  };
  const born = [SYS.openat, SYS.dup3, SYS.clone3];
  const moved = [SYS.openat, SYS.write];
  assert.deepStrictEqual(begins(POLICY), { calls: born, forks: 2 });
  assert.deepStrictEqual(begins(undefined), { calls: born, forks: 1 });
  assert.deepStrictEqual(begins({ ...POLICY, namespaces: false }), { calls: moved, forks: 1 }, "clone3 is filtered");
  assert.deepStrictEqual(begins(POLICY, { stderrFile: "/f" }), { calls: moved, forks: 2 });
  assert.ok(!policyTable(POLICY, TARGET).steps.includes(GROUP_STEP), "without a group");
});

Deno.test("S10 launchTable() sets each limit, none above what the server itself may have", () => {
  const limits = { fileSize: 5000, processes: 40, openFiles: 4096, memory: 6000, cpuSeconds: 7 };
  const policy = { ...POLICY, confinement: { ...POLICY.confinement, limits } };
  const set = [[4, 0, 0], [1, 5000, 5000], [7, 1024, 1024], [2, 6000, 6000], [0, 7, 8], [3, 6000, 6000]];
  assert.deepStrictEqual(limitsOf(policy), { limits: [...set, [6, 40, 40]], counted: true });
  assert.deepStrictEqual(
    limitsOf({ ...policy, namespaces: false }),
    { limits: [...set, [6, 340, 340]], counted: false },
    "without a user namespace all the user's processes count",
  );
  assert.deepStrictEqual(limitsOf({ ...policy, user: { uid: 0, gid: 0 } }), { limits: set, counted: true });
});

Deno.test("S10 launchTable() leaves a stack what it has, and lets it grow up to the limit of memory", () => {
  const { confinement } = POLICY;
  const stacks = [[undefined, undefined], [1000, undefined], [1000, 5000], [9e9, undefined]].map(([stack, ceiling]) => {
    const limits = { ...confinement.limits, memory: 1e9 };
    const ceilings = ceiling === undefined ? {} : { stack: ceiling };
    const own = { ...confinement, limits, ceilings, ...stack !== undefined && { stack } };
    const table = limitsOf({ ...POLICY, confinement: own });
    return table.limits.find(([resource]) => resource === 3)?.slice(1);
  });
  assert.deepStrictEqual(stacks, [[8 * 1024 ** 2, 1e9], [1000, 1e9], [1000, 5000], [1e9, 1e9]]);
});

Deno.test("S10 launchTable() sets no limit that was not asked for but that of core dumps", () => {
  const none = { fileSize: undefined, processes: undefined, openFiles: undefined, memory: undefined };
  const policy = { ...POLICY, confinement: { ...POLICY.confinement, limits: { ...none, cpuSeconds: undefined } } };
  assert.deepStrictEqual(limitsOf(policy), { limits: [[4, 0, 0]], counted: false });
});
