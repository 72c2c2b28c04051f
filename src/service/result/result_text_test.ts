import type { CommandEnd } from "../../base/command/command_end.ts";
import { strict as assert } from "node:assert";
import { SILENT } from "../../base/log.ts";
import { OperationRegistry } from "../../operation/registry.ts";
import { duration } from "../../base/time.ts";
import { statusLine } from "./closing_line.ts";
import { finalResult, finalText, isErrorEnd } from "./result_text.ts";
import { textsOf } from "../_support/connection.ts";

/** Of a second and a half, or so many milliseconds. */
async function endedOperation(output: string, end: CommandEnd, ms = 1500) {
  let now = 1000;
  const registry = new OperationRegistry({ maxConcurrency: 1, log: SILENT, now: () => now });
  const operation = registry.start("make", "make all", (control) => {
    control.write(new TextEncoder().encode(output));
    now = 1000 + ms;
    return Promise.resolve(end);
  });
  await operation.ended;
  return operation;
}

Deno.test("X4 statusLine() tells id, state, exit code or signal, duration and message on one line", async () => {
  const cases: readonly (readonly [CommandEnd, string])[] = [
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

const STYLE = { limits: { bytes: 10 * 1024, lines: 250 }, keepAnsi: false, exitErrors: false };

Deno.test("X4 finalResult() is the output and a closing line with what an exit code of 0 in under a second does not say", async () => {
  const cases: readonly (readonly [string, CommandEnd, number, string, Record<string, unknown>, boolean])[] = [
    ["hi\n", { kind: "exited", code: 0 }, 999, "hi\n", { exit_code: 0 }, false],
    ["no end", { kind: "exited", code: 0 }, 999, "no end", { exit_code: 0 }, false],
    ["", { kind: "exited", code: 0 }, 999, "[no output]", { exit_code: 0 }, false],
    [
      "hi\n",
      { kind: "exited", code: 0 },
      1500,
      "hi\n[exit code 0, 1.5 s]",
      ended("completed", { exit_code: 0 }),
      false,
    ],
    [
      "no end",
      { kind: "exited", code: 3 },
      1500,
      "no end\n[exit code 3, 1.5 s]",
      ended("failed", { exit_code: 3 }),
      false,
    ],
    [
      "",
      { kind: "exited", code: 3 },
      1500,
      "[no output, exit code 3, 1.5 s]",
      ended("failed", { exit_code: 3 }),
      false,
    ],
    [
      "a\n",
      { kind: "signalled", signal: "SIGSEGV" },
      1500,
      "a\n[signal SIGSEGV, 1.5 s]",
      ended("failed", { signal: "SIGSEGV" }),
      false,
    ],
    [
      "",
      { kind: "not_started", message: "No such\n  program" },
      1500,
      "[no output, failed, 1.5 s: No such program]",
      ended("failed", { message: "No such\n  program" }),
      true,
    ],
  ];
  for (const [output, end, ms, text, facts, isError] of cases) {
    assert.deepStrictEqual(finalResult(await endedOperation(output, end, ms), STYLE), {
      content: [{ type: "text", text }],
      ...isError && { isError: true },
      _meta: { "ahma/operation": facts },
    });
  }
});

function ended(status: string, facts: Record<string, unknown>): Record<string, unknown> {
  return { status, ...facts, duration_ms: 1500 };
}

Deno.test("X4 finalText() closes what its reader has named with the facts, and opens what stands among others", async () => {
  const operation = await endedOperation("hi\n", { kind: "exited", code: 0 }, 20);
  assert.strictEqual(finalText(operation, STYLE, "fetched").text, "hi\n[exit code 0, 20 ms]");
  const listed = `[${operation.id} completed, exit code 0, 20 ms] make: make all\nhi\n`;
  assert.strictEqual(finalText(operation, STYLE, "listed").text, listed);
  const silent = await endedOperation("", { kind: "exited", code: 0 }, 20);
  assert.strictEqual(finalText(silent, STYLE, "fetched").text, "[no output, exit code 0, 20 ms]");
});

Deno.test("X4 --exit-errors makes an error of a command that failed, and of nothing else", async () => {
  const ends: readonly CommandEnd[] = [
    { kind: "exited", code: 0 },
    { kind: "exited", code: 3 },
    { kind: "signalled", signal: "SIGKILL" },
    { kind: "not_started", message: "no" },
  ];
  for (const exitErrors of [false, true]) {
    const errors = await Promise.all(
      ends.map(async (end) => isErrorEnd(await endedOperation("", end), { exitErrors })),
    );
    assert.deepStrictEqual(errors, exitErrors ? [false, true, true, true] : [false, false, false, true]);
  }
});

Deno.test("X4 a long result begins with the facts, stays within 10 KiB and 250 lines, and names the call that reads the rest", async () => {
  const lines = Array.from({ length: 100_000 }, (_, index) => `line ${index + 1}`).join("\n");
  const operation = await endedOperation(lines, { kind: "exited", code: 1 });
  const result = finalResult(operation, STYLE);
  const text = textsOf(result)[0] ?? "";
  assert.ok(new TextEncoder().encode(text).length <= STYLE.limits.bytes);
  const all = text.split("\n");
  assert.ok(all.length <= STYLE.limits.lines);
  assert.deepStrictEqual([all[0], all[1], all.at(-1)], [statusLine(operation), "line 1", "line 100000"]);
  const first = all.findIndex((line) => line.startsWith("..."));
  const last = 100_000 - (all.length - first - 1);
  const bytes = lines.length - all.slice(1, first).join("\n").length - all.slice(first + 1).join("\n").length - 1;
  const call = `status {"operation_id":"${operation.id}","lines":"${first}-${last}"}`;
  assert.strictEqual(all[first], `... ${last - first + 1} lines (${bytes} bytes) left out; ${call} reads them ...`);
  assert.deepStrictEqual((result._meta?.["ahma/operation"] as Record<string, unknown>)["operation_id"], operation.id);
  const address = `reads them, or resource ahma://operations/${operation.id}/output ...`;
  assert.ok(finalText(operation, { ...STYLE, withAddress: true }, "direct").text.includes(address));
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
