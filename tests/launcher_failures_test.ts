/**
 * Every step of the launcher fails once, for real: its system call is replaced by one the kernel does not have. Where
 * the step is fatal nothing may run; where it is not, the test says why, and every attack must still be denied.
 */
import assert from "node:assert/strict";
import { launchTable, policyTable } from "../src/sandbox/launcher/policy_table.ts";
import { SYSTEM_CALLS } from "../src/system/syscalls.ts";
import type { Table } from "../src/sandbox/launcher/image/table.ts";
import { describeFailure } from "../src/process/linux/launch/launcher_reports.ts";
import type { SandboxPolicy } from "../src/sandbox/policy/policy.ts";
import { type AttackPlace, defencesOf } from "../src/sandbox/selftest/attack.ts";
import { type AttackResults, attackTable, controlTable, readResults } from "../src/sandbox/selftest/attack_table.ts";
import { judge, titlesOf } from "../src/sandbox/selftest/judge.ts";
import { restrictedToLandlock } from "../src/sandbox/launcher/policy_fallback.ts";
import { LaunchBench, TARGET } from "./_support/kernel/launches.ts";
import { servedBlock, servedLine, servingShellTable, servingTable } from "../src/sandbox/launcher/serving_table.ts";
import { encodeShellCommand, servingArguments } from "../src/process/shell.ts";
import { ServerProcess } from "./_support/server_process.ts";
import { exists, usersAtHand, withUsersInTurn, Workbench } from "./_support/workbench.ts";

const SYS = SYSTEM_CALLS[TARGET.processor];
const NO_SUCH_CALL = 9999;
const ENOSYS = 38;
const ENOENT = 2;
const E2BIG = 7;
/** Where the launcher keeps its ruleset (steps.ts). */
const RULESET_FD = 62;
const ESTALE = 116;
const LAUNCHER_FAILED = 126;
const MOST_LAYERS = 16;
const DECODER = new TextDecoder();

interface Harmless {
  readonly step: RegExp;
  readonly why: string;
  /** In how many parts they fail: one where each failure takes a restriction away, so that all at once take the most. */
  readonly parts: number;
  /** What is left then is the same for each user: one user proves it. */
  readonly once?: true;
}

/** Every eighth grant fails at once: those before and after it succeed, and what they leave open could be taken for it. */
const NEIGHBOURS = 8;

/** Why a step that is not fatal may fail. Every one must be named here. */
const HARMLESS: readonly Harmless[] = [
  { step: /^open "/, why: "a path that is not opened grants nothing", parts: NEIGHBOURS, once: true },
  { step: /^allow "/, why: "a path that is not allowed grants nothing", parts: NEIGHBOURS, once: true },
  { step: /^close "\/proc\/self\//, why: "the descriptor is closed on exec, and its number is used again", parts: 1 },
  { step: /^hide "\/proc\//, why: "the files that hide memory ask for capabilities, and those are gone", parts: 1 },
  {
    step: /^limit capabilities$/,
    why: "all are dropped later, which is fatal, and no_new_privs keeps exec from giving any",
    parts: 1,
  },
  { step: /^lock capabilities$/, why: "as above", parts: 1 },
  {
    step: /^go first when memory runs out$/,
    why: "it decides which process the kernel ends first, and opens nothing",
    parts: 1,
  },
  {
    step: /^show "/,
    why: "what is not mounted in the own root is not there; its place is read-only",
    parts: NEIGHBOURS,
    once: true,
  },
  { step: /^start "/, why: "the next directory of the PATH is tried, and the last one is fatal", parts: 1 },
];

const LAYERS = ["with namespaces", "with Landlock alone"] as const;

function policyFor(layers: typeof LAYERS[number], { policy }: LaunchBench): SandboxPolicy {
  return layers === "with namespaces" ? policy : restrictedToLandlock(policy);
}

function commandFor({ scope, policy }: LaunchBench) {
  // Landlock lets commands change the mode of any file; at the path of a device that was not mounted stands one.
  const devices = (policy.root?.devices ?? []).join(" ");
  const change = `for path in ${devices}; do test -c $path || ! chmod 666 $path 2>&- || echo changed; done`;
  const line = `echo ran; echo ran > ran; head -qc 1 /proc/kcore /proc/kmsg 2>&-; ${change}`;
  return {
    programs: ["/nowhere/sh", "/bin/sh"],
    argv: ["sh", "-c", line],
    environment: ["PATH=/usr/bin:/bin"],
    directory: scope,
  };
}

/** The same table with steps that fail. */
function failing(table: Table, ...indices: readonly number[]): Table {
  const changed = table.continued();
  for (const index of indices) {
    const entry = changed.entries[index];
    if (entry === undefined) throw new RangeError(`There is no entry ${index}`);
    changed.entries[index] = entry.mode === "compare"
      ? { ...entry, expect: BigInt(entry.expect) + 1n }
      : { ...entry, number: NO_SUCH_CALL };
  }
  return changed;
}

/** The entries that may fail, in the parts that fail at once; without `everyOne`, only what depends on the user. */
function partsOf(
  { entries, steps }: Table,
  { everyOne }: { readonly everyOne: boolean },
): readonly (readonly number[])[] {
  const soft = [...entries.entries()].filter(([, { mode }]) => mode === "soft");
  const named = soft.map(([index, { step }]) => ({ index, name: steps[step] ?? "" }));
  const unexplained = named.filter(({ name }) => !HARMLESS.some(({ step }) => step.test(name)));
  assert.deepStrictEqual(unexplained, []);
  return HARMLESS.filter(({ once }) => everyOne || once !== true).flatMap(({ step, parts }) => {
    const alike = named.filter(({ name }) => step.test(name)).map(({ index }) => index);
    return Array.from({ length: parts }, (_, part) => alike.filter((_, order) => order % parts === part));
  }).filter((part) => part.length > 0);
}

/** Runs `work` for each, a few at a time. Throws what the first threw when none runs any more. */
async function forAll<Value>(values: readonly Value[], work: (value: Value) => Promise<void>): Promise<void> {
  const rest = values.values();
  const worker = async () => {
    for (const value of rest) await work(value);
  };
  const ended = await Promise.allSettled([worker(), worker(), worker()]);
  const failed = ended.find(({ status }) => status === "rejected");
  if (failed?.status === "rejected") throw failed.reason;
}

async function ran(bench: LaunchBench): Promise<boolean> {
  const path = `${bench.scope}/ran`;
  const there = exists(path);
  if (there) await Deno.remove(path);
  return there;
}

/** What the interpreter does for an entry, in words that are the same in every session. */
function deedOf(table: Table, { mode, number, step }: Table["entries"][number], { base }: LaunchBench): string {
  const name = (table.steps[step] ?? "").replaceAll(base, "BASE").replaceAll(/\b(ahma_mcp|scope)-[0-9a-f]+/g, "$1");
  return `${mode} ${number} ${name}`;
}

/** Fails each fatal step that is not `proved` yet, and adds them; gives how many. */
async function failEach(bench: LaunchBench, policy: SandboxPolicy, proved: Set<string>): Promise<number> {
  const table = launchTable(policyTable(policy, TARGET), commandFor(bench), TARGET.processor);
  const whole = await bench.launch(table);
  assert.deepStrictEqual([whole.failed, DECODER.decode(whole.output).slice(0, 4), await ran(bench)], [
    undefined,
    "ran\n",
    true,
  ]); // the control: unchanged it runs
  const fatal = [...table.entries.entries()].filter(([, { mode }]) => mode !== "soft");
  assert.ok(fatal.length > 50);
  const rest = fatal.filter(([, entry]) => !proved.has(deedOf(table, entry, bench)));
  await forAll(rest, async ([index, { step, mode }]) => {
    const name = `${index}: ${table.steps[step]}`;
    const { code, output, failed } = await bench.launch(failing(table, index));
    assert.deepStrictEqual([code, output.length], [LAUNCHER_FAILED, 0], name);
    const errno = mode === "compare" ? ESTALE : ENOSYS;
    // Before the first step there is nowhere to report to; 126 and silence are all there is.
    assert.deepStrictEqual(failed, index === 0 ? undefined : { kind: "failed", step, errno }, name);
  });
  assert.deepStrictEqual([await ran(bench)], [false]);
  for (const [, entry] of rest) proved.add(deedOf(table, entry, bench));
  return rest.length;
}

// The interpreter ends a launch whose step failed, whatever the user and the layers: the first proves all its steps,
// each other one the steps that only it has.
Deno.test("S3 no command runs when a step of the launcher fails, with all layers, as each user", async (t) => {
  const proved = new Set<string>();
  for (const user of usersAtHand()) {
    for (const layers of LAYERS) {
      await t.step(`${layers}, as ${user}`, async () => {
        await using bench = await LaunchBench.make(user);
        const count = await failEach(bench, policyFor(layers, bench), proved);
        if (layers === "with namespaces") assert.ok(count > 5, `${count} steps of its own`);
      });
    }
  }
});

for (const user of usersAtHand()) {
  for (const layers of LAYERS) {
    Deno.test(`S3 what may fail in the launcher lets no attack through (${layers}), as ${user}`, async () => {
      await using bench = await LaunchBench.make(user);
      const policy = policyFor(layers, bench);
      const restricting = policyTable(policy, TARGET);
      const table = launchTable(restricting, commandFor(bench), TARGET.processor);
      const parts = partsOf(table, { everyOne: user === usersAtHand()[0] });
      assert.ok(parts.length > 3);
      const { control, place } = await controlOf(bench);
      const defences = defencesOf(policy, restricting, TARGET.processor);
      const said: string[] = [];
      await forAll([...parts.entries()], async ([order, part]) => {
        const name = part.map((index) => `${index}: ${table.steps[table.entries[index]?.step ?? 0]}`).join(", ");
        const { output } = await bench.launch(failing(table, ...part));
        said.push(DECODER.decode(output));
        // More than the line of the command would be a byte of the kernel's memory or log, or a file that was changed.
        assert.ok(["", "ran\n"].includes(DECODER.decode(output)), name);
        const restrictions = part.filter((index) => index < restricting.entries.length);
        if (restrictions.length === 0) return;
        const own = { ...place, inside: `${bench.scope}/attack-${order}` };
        const attacked = await bench.launch(attackTable(failing(restricting, ...restrictions), own, TARGET.processor));
        if (attacked.failed !== undefined) return; // a writable tree is missing, or the like: nothing ran at all
        const findings = judge({ policy, place: own, defences }, {
          control,
          attacked: readResults(attacked.output),
          changed: new Set(),
        });
        assert.deepStrictEqual([name, titlesOf(findings, "breached")], [name, []]);
      });
      assert.ok(said.includes("ran\n"), "commands run although steps failed");
      // The control: without the restrictions the same attacks get through.
      assert.ok(control.filter((possible) => possible).length >= 14);
    });
  }

  Deno.test(`S3 a command that cannot start and a missing directory give exit code 126, as ${user}`, async () => {
    await using bench = await LaunchBench.make(user);
    const policy = policyTable(bench.policy, TARGET);
    const command = commandFor(bench);
    const missing = [{ ...command, programs: ["/nowhere/sh"] }, { ...command, directory: `${bench.scope}/gone` }];
    for (const wrong of missing) {
      const table = launchTable(policy, wrong, TARGET.processor);
      const { code, failed } = await bench.launch(table);
      assert.deepStrictEqual([code, failed?.errno], [LAUNCHER_FAILED, ENOENT]);
    }
    assert.deepStrictEqual([await ran(bench)], [false]);
  });

  Deno.test(`S3 the seventeenth layer of Landlock is refused, and nothing runs, as ${user}`, async () => {
    await using bench = await LaunchBench.make(user);
    const layered = (layers: number) => {
      const table = policyTable(bench.policy, TARGET).continued();
      for (let layer = 1; layer < layers; layer++) {
        table.call("enforce Landlock", SYS.landlock_restrict_self, [RULESET_FD, 0]);
      }
      return launchTable(table, commandFor(bench), TARGET.processor);
    };
    const most = await bench.launch(layered(MOST_LAYERS));
    assert.deepStrictEqual([DECODER.decode(most.output), await ran(bench)], ["ran\n", true]);
    const table = layered(MOST_LAYERS + 1);
    const { code, output, failed } = await bench.launch(table);
    assert.deepStrictEqual([code, output.length, failed?.errno, await ran(bench)], [LAUNCHER_FAILED, 0, E2BIG, false]);
    assert.strictEqual(
      describeFailure(failed ?? { step: 0, errno: 0 }, table.steps, "sh"),
      'Cannot start "sh" in the sandbox: cannot enforce Landlock: argument list too long (E2BIG), or ' +
        "more nested sandboxes than the kernel allows. Nothing was run",
    );
  });
}

for (const [[layers, works], user] of withUsersInTurn([[MOST_LAYERS, false], [MOST_LAYERS - 1, true]] as const)) {
  Deno.test(`S3 S13 a server in ${layers} sandboxes ${works ? "works" : "runs nothing and says why"}, as ${user}`, async () => {
    using bench = new Workbench(user);
    await using server = await ServerProcess.start(bench, { prefix: nested(layers) });
    const { text, isError } = await server.shell("echo ran | tee ran");
    assert.deepStrictEqual([isError, exists(`${bench.scope}/ran`)], [!works, works], text);
    assert.match(text, works ? /^ran$/m : /cannot enforce Landlock: .*more nested sandboxes than the kernel allows/);
  });
}

/** Shell lines that leave something which outlives its process. */
const LEAVING: Readonly<Record<string, string>> = {
  "a file in /dev/shm": ": > /dev/shm/left",
  "shared memory": "ipcmk -M 4096",
  "semaphores": "ipcmk -S 1",
  "a queue of System V": "ipcmk -Q",
  "a queue of POSIX": `python3 -c "import ctypes; ctypes.CDLL(None).mq_open(b'/left', 0o102, 0o600, None)"`,
};

/** Tables that serve one command after the other, and what they are given for two of them. */
function servingTables({ policy, scope: directory }: LaunchBench) {
  const environment = ["PATH=/usr/bin:/bin"];
  const blocks = servingTable(policy, TARGET, environment);
  const shell = { path: "/bin/bash", name: "bash", canWait: true };
  const waiting = { programs: ["/bin/bash"], argv: servingArguments(shell), environment, directory };
  const encode = new TextEncoder();
  return {
    "blocks": {
      table: blocks.table,
      inputs: (lines: readonly string[]) =>
        lines.map((line) => {
          const argv = ["sh", "-c", line];
          return servedBlock(blocks, { programs: ["/bin/sh"], argv, directory, environment })?.bytes ?? assert.fail();
        }),
    },
    "lines of a shell": {
      table: servingShellTable(policy, TARGET, waiting),
      inputs: (lines: readonly string[]) =>
        lines.map((line) => servedLine(encode.encode(encodeShellCommand(line, directory, {}))) ?? assert.fail()),
    },
  };
}

Deno.test("S3 P1 a sandbox in which a step failed is not reused with anything left in it", async () => {
  await using bench = await LaunchBench.make("ordinary");
  const proved = new Set(policyTable(bench.policy, TARGET).steps);
  for (const [name, { table, inputs }] of Object.entries(servingTables(bench))) {
    const program = (leave: string) => `echo first; ${leave} > /dev/null`;
    const began = performance.now();
    const clean = await bench.serve(table, inputs([program('python3 -c "import ctypes"'), "echo second"]), 600_000);
    const limit = Math.max(1_000, 5 * (performance.now() - began));
    assert.strictEqual(clean, "first\nsecond\n", name); // the control: where nothing is left it serves the next
    const own = [...table.entries.entries()].filter(([, { mode, step }]) =>
      ["soft", "keep"].includes(mode) && !proved.has(table.steps[step] ?? "")
    );
    assert.ok(own.length > 0);
    const tries = Object.entries(LEAVING).flatMap(([kind, leave], order) => [
      { what: kind, table, leave },
      // The steps that look for what is left are tried with each kind of it, those that wait with the first.
      ...own.filter(([, { step }]) => order === 0 || /^(?:list|count) /.test(table.steps[step] ?? "")).map(
        ([index, { step }]) => {
          return { what: `${kind}, ${index}: ${table.steps[step]}`, table: failing(table, index), leave };
        },
      ),
    ]);
    await forAll(tries, async ({ what, table, leave }) => {
      const text = await bench.serve(table, inputs([program(leave), "echo second"]), limit);
      assert.deepStrictEqual([name, what, text.includes("second")], [name, what, false]);
    });
    for (const step of table.steps) proved.add(step);
  }
});

/** Domains that only take the right to connect to abstract sockets outside, which no command here needs. */
const NEST = `
import ctypes, os, sys
libc = ctypes.CDLL(None, use_errno=True)
libc.prctl(38, 1, 0, 0, 0)
for _ in range(int(sys.argv[1])):
  attribute = (ctypes.c_uint64 * 3)(0, 0, 1)
  ruleset = libc.syscall(${SYS.landlock_create_ruleset}, attribute, 24, 0)
  if ruleset < 0 or libc.syscall(${SYS.landlock_restrict_self}, ruleset, 0) != 0: sys.exit("cannot nest")
  os.close(ruleset)
os.execvp(sys.argv[2], sys.argv[2:])
`;

function nested(layers: number): readonly string[] {
  return ["/usr/bin/python3", "-c", NEST, `${layers}`];
}

async function controlOf(bench: LaunchBench): Promise<{ control: AttackResults; place: AttackPlace }> {
  const common = {
    abstractSocket: `ahma-test-${Deno.pid}`,
    pathSocket: `${bench.base}/socket`,
    server: Deno.pid,
    hostNameBytes: new TextEncoder().encode(Deno.hostname()).length,
  };
  const outside = `${bench.base}/outside`;
  const place = { ...common, outside, inside: `${bench.scope}/attack` };
  const own = { ...common, outside: `${bench.base}/control`, inside: `${bench.base}/inside` };
  const hygiene = policyTable(undefined, TARGET);
  const table = controlTable(hygiene, { control: own, attacked: place }, TARGET.processor);
  const { output } = await bench.launch(table);
  return { control: readResults(output), place };
}
