import assert from "node:assert/strict";
import { POLICY } from "./_support/policy.ts";
import { writeProgram } from "./_support/write_program.ts";
import type { LaunchCommand } from "../policy/policy.ts";
import { buildImage } from "./image/image.ts";
import { LITTLE_ENDIAN } from "../../system/c_library.ts";
import { ENTRY_BYTES, ENTRY_MODE, TAKEN_REPORT } from "./image/interpreter.ts";
import { INTERPRETERS } from "./image/interpreter_code.ts";
import { launchTable, type LaunchTarget, policyTable } from "./policy_table.ts";
import { SYSTEM_CALLS } from "../../system/syscalls.ts";
import { commandBlock, waitingTable } from "./prewarmed_table.ts";

const PROCESSOR = Deno.build.arch;
const SYS = SYSTEM_CALLS[PROCESSOR];
const TARGET: LaunchTarget = { processor: PROCESSOR, serverPid: Deno.pid };
const NO_STDIN = { hasStdin: false };
const STDIN = { hasStdin: true };

function command(...argv: readonly string[]): LaunchCommand {
  return { programs: [`/nowhere/${argv[0]}`, `/bin/${argv[0]}`], argv, environment: ["A=b"], directory: "/" };
}

/** Runs the launcher without a policy, with `stdin` and then its end. */
async function launch(stdin: readonly Uint8Array<ArrayBuffer>[]) {
  const { table } = waitingTable(undefined, TARGET);
  const path = await Deno.makeTempFile();
  try {
    await writeProgram(path, buildImage(table, INTERPRETERS[PROCESSOR]));
    const child = new Deno.Command(path, { stdin: "piped", stdout: "piped", stderr: "piped", clearEnv: true }).spawn();
    const writer = child.stdin.getWriter();
    for (const part of stdin) await writer.write(part);
    await writer.close();
    const { code, stdout, stderr } = await child.output();
    return { code, stdout: new TextDecoder().decode(stdout), reports: stderr };
  } finally {
    await Deno.remove(path);
  }
}

Deno.test("P1 waitingTable() waits when all that binds the first process is done, and then does what launchTable() does", () => {
  for (const policy of [POLICY, { ...POLICY, namespaces: false }, undefined]) {
    const { entries, steps } = waitingTable(policy, TARGET).table;
    const launched = launchTable(policyTable(policy, TARGET), command("x"), PROCESSOR).entries;
    const calls = entries.filter(({ number }) => number !== -1).map(({ number }) => number);
    const reads = entries.findIndex(({ step }) => steps[step] === "wait for a command");
    assert.deepStrictEqual(calls.slice(reads, reads + 2), [SYS.read, SYS.read]);
    const commandPart = [SYS.chdir, SYS.execve, SYS.execve];
    assert.deepStrictEqual(calls.toSpliced(reads, 2).concat(commandPart), launched.map(({ number }) => number));
    if (policy === undefined) continue;
    const filter = calls.indexOf(SYS.seccomp);
    assert.ok(filter > 0 && filter < reads && calls.indexOf(SYS.landlock_restrict_self) > reads);
  }
});

Deno.test("P1 commandBlock() makes a waiting launcher run the program, with an empty stdin or with the rest of the pipe", async () => {
  const waiting = waitingTable(undefined, TARGET);
  const echo = commandBlock(waiting, command("printenv", "A"), NO_STDIN);
  const ran = await launch([echo?.bytes ?? new Uint8Array()]);
  assert.deepStrictEqual([ran.code, ran.stdout], [0, "b\n"]);
  assert.ok(new TextDecoder().decode(ran.reports).includes(TAKEN_REPORT));
  const nothing = await launch([commandBlock(waiting, command("cat"), NO_STDIN)?.bytes ?? new Uint8Array()]);
  assert.deepStrictEqual([nothing.code, nothing.stdout], [0, ""]);
  const text = new TextEncoder().encode("for the command".repeat(10_000));
  const fed = await launch([commandBlock(waiting, command("cat"), STDIN)?.bytes ?? new Uint8Array(), text]);
  assert.deepStrictEqual([fed.code, fed.stdout], [0, new TextDecoder().decode(text)]);
});

Deno.test("S3 a waiting launcher that is told half of a command runs nothing", async () => {
  const { bytes, steps } = commandBlock(waitingTable(undefined, TARGET), command("echo", "hi"), NO_STDIN) ??
    { bytes: new Uint8Array(), steps: [] };
  assert.ok(steps.includes('start "echo"'));
  for (const size of [0, 1, 5_000, bytes.length - 1]) {
    const { code, stdout, reports } = await launch([bytes.slice(0, size)]);
    const last = new DataView(reports.buffer, reports.byteOffset + reports.length - ENTRY_BYTES);
    assert.deepStrictEqual([code, stdout, last.getUint32(64, LITTLE_ENDIAN)], [126, "", ENTRY_MODE.failed], `${size}`);
    assert.ok(!new TextDecoder().decode(reports).includes(TAKEN_REPORT));
  }
});

Deno.test("T7 commandBlock() has no room for a very long command", () => {
  const waiting = waitingTable(undefined, TARGET);
  const fits = (argv: readonly string[]) => commandBlock(waiting, command("echo", ...argv), NO_STDIN) !== undefined;
  assert.deepStrictEqual([fits(["x".repeat(15_000)]), fits(["x".repeat(17_000)])], [true, false]);
  const many = { ...command("echo"), programs: Array.from({ length: 60 }, (_, index) => `/${index}/echo`) };
  assert.strictEqual(commandBlock(waiting, many, NO_STDIN), undefined);
});
