import assert from "node:assert/strict";
import { sandboxSettings } from "../../../sandbox/_support/settings.ts";
import { SILENT } from "../../../base/log.ts";
import { SYSTEM_CALLS } from "../../../system/syscalls.ts";
import { policyTable } from "../../../sandbox/launcher/policy_table.ts";
import type { Table } from "../../../sandbox/launcher/image/table.ts";
import type { SandboxPolicy } from "../../../sandbox/policy/policy.ts";
import { makeSeenDirectory } from "../../../base/_support/seen_directory.ts";
import { prepareSandbox, type Sandbox } from "../../../sandbox/prepare_linux.ts";
import type { SandboxSettings } from "../../../sandbox/policy/sandbox_settings.ts";
import { FILTER_STEP } from "../../../sandbox/launcher/steps/seccomp_steps.ts";
import type { Verdict } from "../../../sandbox/selftest/judge.ts";
import { removeSessionDirectories } from "../../../sandbox/directories/session_directory.ts";
import { settleNamespaces } from "./namespaces.ts";
import { LinuxRunner } from "../linux_runner.ts";
import { runSelfTest } from "./self_test_run.ts";
import { refusalFor, type SelfTestReport } from "../../../sandbox/selftest/judge.ts";
import { Spawner } from "../../spawn.ts";

const ROOT = Deno.uid() === 0;
const PROCESSOR = Deno.build.arch === "aarch64" ? "aarch64" : "x86_64";
const SYS = SYSTEM_CALLS[PROCESSOR];
const TARGET = { processor: PROCESSOR, serverPid: Deno.pid } as const;

interface Fixture extends AsyncDisposable {
  readonly base: string;
  readonly sandbox: Sandbox;
  readonly policy: SandboxPolicy;
  test(change?: (table: Table) => void): Promise<SelfTestReport>;
}

type Layers = "with namespaces" | "with Landlock alone";

async function fixture(layers: Layers, more: Partial<SandboxSettings> = {}): Promise<Fixture> {
  const base = makeSeenDirectory("ahma-trial-");
  for (const name of ["scope", "home", "tmp"]) await Deno.mkdir(`${base}/${name}`);
  const environment = { PATH: "/usr/bin:/bin", HOME: `${base}/home`, TMPDIR: `${base}/tmp` };
  const prepared = prepareSandbox({ ...sandboxSettings(base), serverEnvironment: environment, ...more });
  if (!prepared.ok) throw new Error(prepared.problem);
  const sandbox = prepared.value;
  const spawner = new Spawner(PROCESSOR, sandbox.directories.root);
  const wanted = sandbox.policy && { ...sandbox.policy, namespaces: layers === "with namespaces" };
  const policy = await settleNamespaces({ policy: wanted, target: TARGET, spawner, logger: SILENT });
  if (policy === undefined) throw new Error("There is no policy");
  return {
    base,
    sandbox,
    policy,
    async test(change = () => {}) {
      const table = policyTable(policy, TARGET);
      change(table);
      const { report, removed } = await runSelfTest({
        policy,
        table,
        target: TARGET,
        spawner,
        directories: sandbox.directories,
        place: sandbox.trialPlace,
      });
      await removed;
      return report;
    },
    async [Symbol.asyncDispose]() {
      spawner.close();
      await removeSessionDirectories(sandbox.directories);
      await Deno.remove(base, { recursive: true });
    },
  };
}

function ids({ findings }: SelfTestReport, verdict: Verdict): readonly string[] {
  return findings.filter((one) => one.verdict === verdict).map(({ id }) => id);
}

/** A call that succeeds and does nothing takes the place of a step that matters. */
function without(...numbers: readonly number[]): (table: Table) => void {
  return (table) => {
    table.entries.forEach((entry, index) => {
      if (numbers.includes(entry.number)) table.entries[index] = { ...entry, number: SYS.getpid, mode: "soft" };
    });
  };
}

for (const how of ["with namespaces", "with Landlock alone"] as const) {
  Deno.test(`S3 runSelfTest() denies what the session says it denies, and proves each by its control (${how})`, async () => {
    await using f = await fixture(how);
    const report = await f.test();
    assert.deepStrictEqual([ids(report, "breached"), ids(report, "granted")], [[], []]);
    assert.strictEqual(ids(report, "open").includes("chmod"), !f.policy.namespaces);
    // An ordinary user's is denied by the kernel in any case, and so tells nothing of the sandbox.
    assert.deepStrictEqual(ids(report, "impossible"), ROOT ? [] : ["chroot"]);
    assert.ok(ids(report, "denied").length >= 14, JSON.stringify(report));
    assert.strictEqual(refusalFor(report), undefined);
  });

  Deno.test(`S3 runSelfTest() leaves nothing (${how})`, async () => {
    await using f = await fixture(how);
    const { root, temporary } = f.sandbox.directories;
    const entries = () =>
      Promise.all([root, temporary ?? root].map(async (path) => {
        return (await Array.fromAsync(Deno.readDir(path))).map(({ name }) => name).sort();
      }));
    const before = await entries();
    await f.test();
    assert.deepStrictEqual(await entries(), before);
  });

  Deno.test(`S3 runSelfTest() finds out when Landlock is not in force (${how})`, async () => {
    await using f = await fixture(how);
    const report = await f.test(without(SYS.landlock_restrict_self));
    const breached = ids(report, "breached");
    for (const id of ["read", "list"]) assert.ok(breached.includes(id), id);
    for (const id of ["write", "create", "unlink", "move-out", "move-in", "link", "signal"]) {
      assert.strictEqual(breached.includes(id), !f.policy.namespaces, id); // else the other layers stop it
    }
    assert.match(refusalFor(report) ?? "", /Its self-test could read a file outside, .*No command is run/);
  });
}

/** Spawners of runners made meanwhile do `work` first; gives what ends that. */
function beforeEach(method: "start" | "image", work: (argument: unknown) => void): Disposable {
  const kept = Object.getOwnPropertyDescriptor(Spawner.prototype, method);
  if (kept === undefined) throw new TypeError(`There is no ${method}`);
  Object.defineProperty(Spawner.prototype, method, {
    ...kept,
    value(this: Spawner, ...args: unknown[]) {
      work(args[0]);
      return Reflect.apply(kept.value, this, args);
    },
  });
  return { [Symbol.dispose]: () => Object.defineProperty(Spawner.prototype, method, kept) };
}

function runnerOf({ sandbox }: Fixture): LinuxRunner {
  const shell = { path: "/bin/bash", name: "bash", canWait: true };
  return new LinuxRunner({ sandbox, shell, pool: false, reuse: false, fork: false, logger: SILENT });
}

Deno.test("S3 S8 the self-test is made again when a protected path goes between the look and the launch", async () => {
  await using f = await fixture("with namespaces");
  const path = `${f.base}/scope/.envrc`;
  await Deno.writeTextFile(path, "");
  await using runner = runnerOf(f);
  let launches = 0;
  using _ = beforeEach("start", () => {
    // The second launch is the attack; what is protected was looked at before the first.
    if (++launches === 2) Deno.removeSync(path);
  });
  const report = await runner.selfTest;
  assert.ok(report !== undefined);
  assert.deepStrictEqual([ids(report, "breached"), refusalFor(report)], [[], undefined]);
  assert.deepStrictEqual([launches, (await runner.policy)?.namespaces], [4, true]);
});

Deno.test("S3 S8 one launch without and one with the policy are all where the kernel refuses nothing", async () => {
  await using f = await fixture("with namespaces");
  await using runner = runnerOf(f);
  let launches = 0;
  using _ = beforeEach("start", () => void launches++);
  await runner.policy;
  await runner.selfTest;
  assert.strictEqual(launches, 2);
});

for (const refused of ["enter new namespaces", FILTER_STEP]) {
  Deno.test(`S3 S8 commands run, tested, under what is left where the kernel refuses to ${refused}`, async () => {
    await using f = await fixture("with namespaces");
    await using runner = runnerOf(f);
    using _ = beforeEach("image", (table) => {
      const { entries, steps } = table as Table;
      entries.forEach((entry, index) => {
        if (steps[entry.step] === refused) entries[index] = { ...entry, number: 9999 }; // no kernel has it
      });
    });
    const report = await runner.selfTest;
    assert.ok(report !== undefined);
    assert.deepStrictEqual([ids(report, "breached"), refusalFor(report)], [[], undefined]);
    const policy = await runner.policy;
    const isFilter = refused === FILTER_STEP;
    assert.deepStrictEqual([policy?.namespaces, policy?.confinement.filter], [isFilter, !isFilter]);
    let output = "";
    const end = await runner.run(
      { run: { argv: ["echo", "here"] }, directory: `${f.base}/scope`, environment: {}, stdin: undefined },
      { onOutput: (chunk) => void (output += new TextDecoder().decode(chunk)), signal: new AbortController().signal },
    );
    assert.deepStrictEqual([end, output], [{ kind: "exited", code: 0 }, "here\n"]);
  });
}

Deno.test("S3 runSelfTest() finds out when the mounts are not read-only", async () => {
  await using f = await fixture("with namespaces");
  const report = await f.test(without(SYS.mount_setattr));
  assert.deepStrictEqual(ids(report, "breached"), ["chmod"]);
});

Deno.test({
  name: "S3 S8 runSelfTest() finds out when root keeps its capabilities" + (ROOT ? "" : " (ignored: needs root)"),
  ignore: !ROOT,
  fn: async () => {
    await using f = await fixture("with namespaces");
    const report = await f.test(without(SYS.capset, SYS.seccomp));
    assert.deepStrictEqual(ids(report, "breached"), ["chroot"]);
  },
});

Deno.test("S3 S4 runSelfTest() does not take for a breach what --read allows", async () => {
  const base = makeSeenDirectory("ahma-trial-");
  const serverEnvironment = { PATH: "/usr/bin:/bin", HOME: base, TMPDIR: base };
  try {
    await using f = await fixture("with Landlock alone", { reads: [base], home: base, serverEnvironment });
    const report = await f.test();
    assert.deepStrictEqual([ids(report, "breached"), ids(report, "granted")], [[], ["read", "list"]]);
  } finally {
    await Deno.remove(base, { recursive: true });
  }
});

Deno.test("S3 runSelfTest() proves nothing, and says so, when its process cannot write inside", async () => {
  await using f = await fixture("with namespaces");
  await assert.rejects(
    f.test(without(SYS.landlock_add_rule)),
    /^Error: Cannot start "the self-test" in the sandbox: cannot make a directory in ".*": permission denied/,
  );
});
