import assert from "node:assert/strict";
import { LITTLE_ENDIAN } from "../../../system/c_library.ts";
import { ENDED, ENTRY_BYTES, ENTRY_MODE } from "../../../sandbox/launcher/image/interpreter.ts";
import { describeFailure, isLaunchFault, ReportReader } from "./launcher_reports.ts";

function report(mode: number, first: number, second = 0, step = 0, expected = 0): Uint8Array {
  const bytes = new Uint8Array(ENTRY_BYTES);
  const view = new DataView(bytes.buffer);
  view.setBigUint64(8, BigInt(first), LITTLE_ENDIAN);
  view.setBigUint64(16, BigInt(second), LITTLE_ENDIAN);
  view.setBigUint64(64, BigInt(mode), LITTLE_ENDIAN);
  view.setBigUint64(72, BigInt(expected), LITTLE_ENDIAN);
  view.setBigUint64(80, BigInt(step), LITTLE_ENDIAN);
  return bytes;
}

Deno.test("ReportReader.read() puts reports together from any chunks", () => {
  const whole = new Uint8Array([
    ...report(ENTRY_MODE.fork, 77),
    ...report(ENTRY_MODE.ended, 77, 0x700),
    ...report(ENTRY_MODE.ended, 77, 9, 0, ENDED.alone),
    ...report(ENTRY_MODE.ended, 77, 0, 0, ENDED.clean),
    ...report(ENTRY_MODE.ended, 77, 15, 0, ENDED.untaken),
    ...report(ENTRY_MODE.failed, 13, 0, 4),
  ]);
  const expected = [
    { kind: "forked", by: "entrance", pid: 77 },
    { kind: "ended", end: { kind: "exited", code: 7 }, alone: false, clean: false, taken: true },
    { kind: "ended", end: { kind: "signalled", signal: "SIGKILL" }, alone: true, clean: false, taken: true },
    { kind: "ended", end: { kind: "exited", code: 0 }, alone: true, clean: true, taken: true },
    { kind: "ended", end: { kind: "signalled", signal: "SIGTERM" }, alone: true, clean: false, taken: false },
    { kind: "failed", step: 4, errno: 13 },
  ];
  for (const size of [1, 87, 88, 89, 1000]) {
    const reader = new ReportReader();
    const reports = [];
    for (let at = 0; at < whole.length; at += size) reports.push(...reader.read(whole.subarray(at, at + size)));
    assert.deepStrictEqual(reports, expected);
  }
});

Deno.test("S3 describeFailure() names the step, the reason, and that nothing ran", () => {
  const steps = ["enforce Landlock", 'start "git"'];
  assert.deepStrictEqual(
    describeFailure({ step: 0, errno: 1 }, steps, "git"),
    'Cannot start "git" in the sandbox: cannot enforce Landlock: operation not permitted. Nothing was run',
  );
  assert.match(
    describeFailure({ step: 1, errno: 2 }, steps, "git"),
    /^Cannot start "git": no such program on the PATH/,
  );
  assert.deepStrictEqual(
    describeFailure({ step: 1, errno: 7 }, steps, "git"),
    'Cannot start "git": argument list too long (E2BIG)',
  );
  const others = ['start "./run"', "start the command's process"];
  assert.deepStrictEqual(
    describeFailure({ step: 0, errno: 2 }, others, "./run"),
    'Cannot start "./run": not found, or its interpreter (#! line) is missing',
  );
  assert.deepStrictEqual(
    describeFailure({ step: 1, errno: 11 }, others, "git"),
    `Cannot start "git" in the sandbox: cannot start the command's process: the limit of processes is reached. Nothing was run`,
  );
  assert.deepStrictEqual([0, 1, 7].map((step) => isLaunchFault({ step }, steps)), [true, false, true]);
  assert.deepStrictEqual([0, 1].map((step) => isLaunchFault({ step }, others)), [false, true]);
});
