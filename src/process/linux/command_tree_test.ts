import assert from "node:assert/strict";
import { LITTLE_ENDIAN } from "../../system/c_library.ts";
import { ENTRY_BYTES, ENTRY_MODE } from "../../sandbox/launcher/image/interpreter.ts";
import { CommandTree } from "./command_tree.ts";

function forked(mode: number, pid: number): Uint8Array {
  const bytes = new Uint8Array(ENTRY_BYTES);
  const view = new DataView(bytes.buffer);
  view.setBigUint64(8, BigInt(pid), LITTLE_ENDIAN);
  view.setBigUint64(64, BigInt(mode), LITTLE_ENDIAN);
  return bytes;
}

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
  const reports = new ReadableStream<Uint8Array>({
    type: "bytes",
    start(controller) {
      // The inner process was faster; its child's id, seen in its namespace, is another process outside.
      controller.enqueue(new Uint8Array([...forked(ENTRY_MODE.forkAll, 2), ...forked(ENTRY_MODE.fork, child.pid)]));
      controller.close();
    },
  });
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
