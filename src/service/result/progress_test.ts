import type { CommandEnd } from "../../base/command/command_end.ts";
import { strict as assert } from "node:assert";
import { SILENT } from "../../base/log.ts";
import type { WorkControl } from "../../operation/operation.ts";
import { OperationRegistry } from "../../operation/registry.ts";
import { ProgressStream } from "./progress.ts";

function setUp(options: { readonly intervalMs?: number; readonly heartbeatMs?: number } = {}) {
  const registry = new OperationRegistry({ maxConcurrency: 9, log: SILENT });
  const notes: (readonly [number, string])[] = [];
  const abort = new AbortController();
  let heard = Promise.withResolvers<void>();
  const progress = new ProgressStream({
    send: (step, message) => {
      notes.push([step, message]);
      heard.resolve();
      heard = Promise.withResolvers();
      return Promise.resolve();
    },
    heartbeat: () => "still there",
    signal: abort.signal,
    keepAnsi: false,
    log: SILENT,
    ...options,
  });
  const start = (label: string) => {
    const controls: WorkControl[] = [];
    const operation = registry.start("make", "make", (control) => {
      controls.push(control);
      return Promise.withResolvers<CommandEnd>().promise;
    });
    progress.watch(operation, label);
    return (text: string) => controls[0]?.write(new TextEncoder().encode(text));
  };
  return { progress, notes, abort, start, next: () => heard.promise };
}

Deno.test("X6 ProgressStream sends whole lines, batched, with rising numbers, and keeps the half line", async () => {
  const { progress, notes, start, next } = setUp({ intervalMs: 10 });
  const write = start("");
  write("one\n");
  write("two\nthr");
  await next();
  write("ee\n\x1b[31m10 %\r20 %\r");
  await next();
  write("never shown");
  await progress.close();
  assert.deepStrictEqual(notes, [[1, "one\ntwo"], [2, "three\n20 %"]]);
});

Deno.test("X6 ProgressStream shows the newest of a flood and never more than about ten messages a second", async () => {
  const { progress, notes, start, next } = setUp();
  const write = start("");
  const begin = performance.now();
  while (performance.now() - begin < 250) {
    write("a line of a flood\n".repeat(1000));
    await new Promise((resolve) => setTimeout(resolve, 0));
  }
  write("the last line\n");
  await next();
  await progress.close();
  const most = 2 + (performance.now() - begin) / 100; // a slow machine floods for longer
  assert.ok(notes.length >= 1 && notes.length <= most, `${notes.length} messages, at most ${most}`);
  assert.ok(notes.every(([, message]) => message.length <= 4096));
  assert.ok(notes.at(-1)?.[1].endsWith("the last line"), notes.at(-1)?.[1].slice(-80));
});

Deno.test("X6 ProgressStream labels the lines of several operations", async () => {
  const { progress, notes, start, next } = setUp({ intervalMs: 5 });
  const one = start("[a] ");
  const other = start("[b] ");
  one("1\n");
  other("2\n");
  await next();
  await progress.close();
  assert.deepStrictEqual(notes, [[1, "[a] 1\n[b] 2"]]);
});

Deno.test("B2 ProgressStream sends a heartbeat when nothing is written", async () => {
  const { progress, notes, next } = setUp({ heartbeatMs: 5 });
  await next();
  await next();
  await progress.close();
  assert.deepStrictEqual(notes.slice(0, 2), [[1, "still there"], [2, "still there"]]);
});

Deno.test("C3 ProgressStream sends nothing for a request that was cancelled", async () => {
  const { progress, notes, abort, start } = setUp({ intervalMs: 0, heartbeatMs: 0 });
  abort.abort();
  start("")("one\n");
  await new Promise((resolve) => setTimeout(resolve, 0));
  await progress.close();
  assert.deepStrictEqual(notes, []);
});
