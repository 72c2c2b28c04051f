import { strict as assert } from "node:assert";
import { SILENT } from "../base/log.ts";
import type { WorkEnd } from "../operation/operation.ts";
import { OperationRegistry } from "../operation/registry.ts";
import { duration, finalResult, statusLine } from "./results.ts";
import { textsOf } from "./_support.ts";

async function endedOperation(output: string, end: WorkEnd) {
  let now = 1000;
  const registry = new OperationRegistry({ maxConcurrency: 1, log: SILENT, now: () => now });
  const operation = registry.start("make", "make all", (control) => {
    control.write(new TextEncoder().encode(output));
    now = 2500;
    return Promise.resolve(end);
  });
  await operation.ended;
  return operation;
}

Deno.test("X4 statusLine() tells id, state, exit code or signal, duration and message on one line", async () => {
  const cases: readonly (readonly [WorkEnd, string])[] = [
    [{ kind: "exited", code: 0 }, "completed, exit code 0, 1.5 s]"],
    [{ kind: "exited", code: 3 }, "failed, exit code 3, 1.5 s]"],
    [{ kind: "signalled", signal: "SIGSEGV" }, "failed, signal SIGSEGV, 1.5 s]"],
    [{ kind: "not_started", message: "No such\n  program" }, "failed, 1.5 s: No such program]"],
  ];
  for (const [end, expected] of cases) {
    const operation = await endedOperation("", end);
    assert.strictEqual(statusLine(operation), `[${operation.id} ${expected}`);
  }
});

Deno.test("X4 finalResult() stays within 10 KiB and 250 lines with the facts first and last", async () => {
  const lines = Array.from({ length: 100_000 }, (_, index) => `line ${index + 1}`).join("\n");
  const operation = await endedOperation(lines, { kind: "exited", code: 1 });
  const limits = { bytes: 10 * 1024, lines: 250 };
  const result = finalResult(operation, { limits, keepAnsi: false });
  const text = textsOf(result)[0] ?? "";
  assert.ok(new TextEncoder().encode(text).length <= limits.bytes);
  assert.ok(text.split("\n").length <= limits.lines);
  const all = text.split("\n");
  assert.deepStrictEqual([all[0], all.at(-1)], [statusLine(operation), statusLine(operation)]);
  assert.deepStrictEqual([all[1], all.at(-3), result.isError], ["line 1", "line 100000", true]);
  assert.match(all.at(-2) ?? "", /^\[The rest: .*ahma:\/\/operations\/op_\w{26}\/output\]$/);
  assert.match(text, /\n\.\.\. \d{5} lines \(\d+ bytes\) left out \.\.\.\n/);
});

Deno.test("duration() is short at every size", () => {
  assert.deepStrictEqual([0, 12.4, 999, 1000, 59_949, 59_999, 125_000].map(duration), [
    "0 ms",
    "12 ms",
    "999 ms",
    "1.0 s",
    "59.9 s",
    "1 min 0 s",
    "2 min 5 s",
  ]);
});
