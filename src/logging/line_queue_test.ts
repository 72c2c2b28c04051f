import assert from "node:assert/strict";
import { LineQueue, type LineTarget } from "./line_queue.ts";

/** Keeps what it is given; each write waits for `gate`. */
class Recorder {
  readonly writes: string[] = [];
  gate: Promise<void> = Promise.resolve();
  closed = false;
  async write(text: string): Promise<void> {
    await this.gate;
    this.writes.push(text);
  }
  close(): void {
    this.closed = true;
  }
}

/** A queue of finished lines. */
function queueInto(open: () => Promise<LineTarget>, onFailure: (thrown: unknown) => void): LineQueue<string> {
  return new LineQueue({ format: (line) => line, open, onFailure });
}

function unexpected(thrown: unknown): never {
  throw new Error("Unexpected failure", { cause: thrown });
}

Deno.test("LineQueue opens nothing before start, then writes what waited in one piece", async () => {
  const recorder = new Recorder();
  let opened = 0;
  const queue = queueInto(() => (opened++, Promise.resolve(recorder)), unexpected);
  queue.add("a\n");
  queue.add("b\n");
  await Promise.resolve();
  assert.strictEqual(opened, 0);
  queue.start();
  await queue.close();
  assert.deepStrictEqual([opened, recorder.writes, recorder.closed], [1, ["a\nb\n"], true]);
});

Deno.test("LineQueue keeps the order while a write is slow", async () => {
  const recorder = new Recorder();
  const { promise, resolve } = Promise.withResolvers<void>();
  recorder.gate = promise;
  const queue = queueInto(() => Promise.resolve(recorder), unexpected);
  queue.start();
  for (const line of ["a\n", "b\n", "c\n"]) queue.add(line);
  const closed = queue.close();
  resolve();
  await closed;
  assert.strictEqual(recorder.writes.join(""), "a\nb\nc\n");
});

Deno.test("LineQueue drops what a stuck target cannot take, and says how much", async () => {
  const recorder = new Recorder();
  const queue = queueInto(() => Promise.resolve(recorder), unexpected);
  for (let line = 0; line < 10_003; line++) queue.add(`${line}\n`);
  await queue.close();
  const lines = recorder.writes.join("").trimEnd().split("\n");
  assert.deepStrictEqual([lines.length, lines.at(-2), lines.at(-1)], [
    10_001,
    "9999",
    "[3 lines dropped: the log could not keep up]",
  ]);
});

Deno.test("LineQueue reports a failing target once and goes on without it", async () => {
  const failures: unknown[] = [];
  const queue = queueInto(() => Promise.reject(new Error("full")), (thrown) => failures.push(thrown));
  queue.start();
  queue.add("a\n");
  queue.add("b\n");
  await queue.close();
  queue.add("c\n");
  await queue.close();
  assert.deepStrictEqual(failures.map(String), ["Error: full"]);
});
