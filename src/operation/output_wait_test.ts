import assert from "node:assert/strict";
import { SILENT } from "../base/log.ts";
import { encodeText } from "../base/text.ts";
import type { CommandEnd } from "../base/command/command_end.ts";
import { OperationRegistry } from "./registry.ts";
import { readLinePattern } from "./watch/line_pattern.ts";
import { type Awaited, type OutputWaitEnd, waitForOutput } from "./output_wait.ts";

/** An operation that writes and ends when the test says so. */
function playedOperation() {
  const registry = new OperationRegistry({
    maxConcurrency: 1,
    log: SILENT,
    outputWindow: { headBytes: 8, tailBytes: 64 },
  });
  const ended = Promise.withResolvers<CommandEnd>();
  let write: (chunk: Uint8Array) => void = () => {};
  const operation = registry.start("tool", "title", (control) => {
    write = (chunk) => void control.write(chunk);
    return ended.promise;
  });
  return {
    operation,
    write: (text: string) => write(encodeText(text)),
    exit: () => ended.resolve({ kind: "exited", code: 0 }),
    wait: (awaited: Awaited, options: { readonly from?: number; readonly signal?: AbortSignal } = {}) =>
      waitForOutput(operation, awaited, {
        from: options.from ?? 0,
        timeoutMs: Infinity,
        signal: options.signal ?? new AbortController().signal,
      }),
  };
}

async function lineWith(source: string): Promise<Awaited> {
  const read = await readLinePattern(source);
  return read.ok ? { until: read.value } : assert.fail(read.problem);
}

Deno.test("X20 waitForOutput() gives the first line that matches, its neighbours and the place behind what was read", async () => {
  const { wait, write, exit } = playedOperation();
  const waiting = wait(await lineWith("ready"));
  write("1\n2\n3\nrea");
  write("dy now\n5\n6\n7\n");
  const match = { lines: ["2", "3", "ready now", "5", "6"], index: 2 };
  assert.deepStrictEqual(await waiting, { kind: "matched", match, position: 16 } satisfies OutputWaitEnd);
  exit();
});

Deno.test("X20 waitForOutput() finds a line that was written before, from a place on", async () => {
  const { wait, write, exit } = playedOperation();
  const ready = await lineWith("/re+ady/");
  write("ready\nother\n");
  const before = await wait(ready);
  assert.deepStrictEqual(before, { kind: "matched", match: { lines: ["ready"], index: 0 }, position: 6 });
  const waiting = wait(ready, { from: before.position });
  exit();
  assert.deepStrictEqual(await waiting, { kind: "ended", position: 12 });
});

Deno.test("X20 waitForOutput() goes on behind bytes that are not kept any more", async () => {
  const { wait, write, exit } = playedOperation();
  write(`a ready\n${"x".repeat(500)}\nlate\n`);
  exit();
  assert.deepStrictEqual(await wait(await lineWith("late"), { from: 8 }), {
    kind: "matched",
    match: { lines: ["x".repeat(58), "late"], index: 1 },
    position: 514,
  });
});

Deno.test("X20 waitForOutput() looks at a line that has not ended once nothing comes for 100 ms", async () => {
  const { wait, write, exit } = playedOperation();
  const waiting = wait(await lineWith("[y/N]"));
  write("Sure?\nProceed? [y/N] ");
  assert.deepStrictEqual(await waiting, {
    kind: "matched",
    match: { lines: ["Sure?", "Proceed? [y/N] "], index: 1 },
    position: 21,
  });
  exit();
});

Deno.test("X20 waitForOutput() ends with silence, the operation, its limit and the request", async () => {
  const { operation, wait, write, exit } = playedOperation();
  write("a\n");
  assert.deepStrictEqual(await wait({ quietMs: 5 }), { kind: "quiet", position: 2 });
  const never = await lineWith("never");
  const { signal } = new AbortController();
  assert.deepStrictEqual(await waitForOutput(operation, never, { from: 0, timeoutMs: 1, signal }), {
    kind: "timed_out",
    position: 2,
  });
  assert.deepStrictEqual(await wait(never, { signal: AbortSignal.abort() }), { kind: "aborted", position: 0 });
  const last = wait(await lineWith("last"));
  write("last");
  exit();
  assert.deepStrictEqual(await last, { kind: "matched", match: { lines: ["a", "last"], index: 1 }, position: 6 });
});
