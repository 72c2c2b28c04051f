import assert from "node:assert/strict";
import { LITTLE_ENDIAN } from "../../system/c_library.ts";
import { ENDED, ENTRY_BYTES, ENTRY_MODE } from "../../sandbox/launcher/image/interpreter.ts";
import { CommandTree } from "./command_tree.ts";
import type { LauncherStatus } from "../spawn.ts";

/** Above the largest process id of Linux, so that no signal reaches anything. */
const NO_PROCESS = 2 ** 22 + 1;

function forked(mode: number, pid: number): Uint8Array {
  const bytes = new Uint8Array(ENTRY_BYTES);
  const view = new DataView(bytes.buffer);
  view.setBigUint64(8, BigInt(pid), LITTLE_ENDIAN);
  view.setBigUint64(64, BigInt(mode), LITTLE_ENDIAN);
  return bytes;
}

/** The report that the first process ended with code 0, and left others. */
function endedWithOthers(): Uint8Array {
  const bytes = new Uint8Array(ENTRY_BYTES);
  const view = new DataView(bytes.buffer);
  view.setBigUint64(64, BigInt(ENTRY_MODE.ended), LITTLE_ENDIAN);
  view.setUint32(72, ENDED.withOthers, LITTLE_ENDIAN);
  return bytes;
}

/** A stream of these reports, which then ends. */
function reporting(...reports: readonly Uint8Array[]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    type: "bytes",
    start(controller) {
      for (const report of reports) controller.enqueue(new Uint8Array(report));
      controller.close();
    },
  });
}

Deno.test("X10 CommandTree.end waits until the processes are gone that the command left and that were killed", async () => {
  const status = Promise.withResolvers<LauncherStatus>();
  const happened: string[] = [];
  const { end } = new CommandTree({
    process: {
      pid: NO_PROCESS,
      status: status.promise,
      output: reporting(),
      reports: reporting(forked(ENTRY_MODE.forkAll, NO_PROCESS), endedWithOthers()),
      stdin: new WritableStream(),
    },
    steps: [],
    program: "sh",
    namespaces: false,
    leftRunning: () => ({ commands: ["sleep 300"], more: 0 }),
    killDescendants() {
      if (happened.length > 0) return;
      happened.push("killed");
      setTimeout(() => {
        happened.push("gone");
        status.resolve({ code: 0, signal: null });
      });
    },
  }, { signal: new AbortController().signal, onOutput: () => {} });
  await end;
  assert.deepStrictEqual(happened, ["killed", "gone"]);
});

Deno.test("X10 CommandTree ends the tree it was told of from outside, in whatever order the reports come", async () => {
  const child = new Deno.Command("setsid", {
    args: ["sh", "-c", "echo ready >&2; exec sleep 300"],
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  // Only now does it lead a process group that a signal reaches.
  const ready = child.stderr.getReader();
  await ready.read();
  await ready.cancel();
  // The inner process was faster; its child's id, seen in its namespace, is another process outside.
  const reports = reporting(forked(ENTRY_MODE.forkAll, 2), forked(ENTRY_MODE.fork, child.pid));
  const abort = new AbortController();
  const { pid, status, stdout: output } = child;
  const { end, gone } = new CommandTree({
    process: { pid, status, output, reports, stdin: new WritableStream() },
    steps: [],
    program: "sleep",
    namespaces: true,
    leftRunning: () => assert.fail("not of a cancelled command"),
    killDescendants: () => assert.fail("not with namespaces"),
  }, { signal: abort.signal, onOutput: () => {} });
  abort.abort();
  await gone;
  assert.deepStrictEqual(await end, { kind: "signalled", signal: "SIGTERM" });
});
