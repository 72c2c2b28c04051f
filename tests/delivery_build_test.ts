/**
 * A build of an hour, its time compressed by a command that prints in bursts: every kind of client gets its whole
 * result, and none asks more often than it is told to.
 */
import assert from "node:assert/strict";
import { pollTask, TaskClient, taskOf } from "./_support/clients/modern.ts";
import { ServerProcess } from "./_support/server_process.ts";
import { sharing } from "./_support/sharing.ts";
import { Workbench } from "./_support/workbench.ts";

const MINUTES = 60;
const LINES_A_MINUTE = 200;

/** A minute is a fiftieth of a second long. */
const BUILD =
  `for m in $(seq 1 ${MINUTES}); do seq -f "[$m] compiled unit %g" 1 ${LINES_A_MINUTE}; sleep 0.02; done; ` +
  "echo warning: one unit is large; echo BUILD DONE";

const EVERYTHING = Array.from({ length: MINUTES }, (_, minute) => {
  return Array.from({ length: LINES_A_MINUTE }, (_, unit) => `[${minute + 1}] compiled unit ${unit + 1}\n`).join("");
}).join("") + "warning: one unit is large\nBUILD DONE\n";

/** What a result shows of it: the facts, both ends of the output, what is missing and the call that reads that. */
function checkResult(text: string): string {
  const lines = text.trimEnd().split("\n");
  const [, id = ""] = /^\[(op_\w+) completed, exit code 0, [\d.]+ s\]/.exec(lines[0] ?? "") ?? [];
  assert.deepStrictEqual([lines[1], lines.at(-1)], ["[1] compiled unit 1", "BUILD DONE"]);
  const call = `status \\{"operation_id":"${id}","lines":"\\d+-\\d+"\\}`;
  assert.match(text, new RegExp(`\\n\\.\\.\\. \\d+ lines \\(\\d+ bytes\\) left out; ${call} reads them \\.\\.\\.\\n`));
  return id;
}

async function readWhole(server: ServerProcess, id: string): Promise<string> {
  const texts: string[] = [];
  let uri: string | undefined = `ahma://operations/${id}/output?limit=100000`;
  while (uri !== undefined) {
    const { result } = await server.request("resources/read", { uri });
    const [part] = result?.contents as readonly { text: string; _meta: Record<string, { readonly next?: string }> }[];
    texts.push(part?.text ?? "");
    uri = part?._meta["ahma/output"]?.next;
  }
  return texts.join("");
}

const testUsual = sharing((bench) => ServerProcess.start(bench));
const testPushing = sharing((bench) => ServerProcess.start(bench, { flags: ["--push-results"] }));

Deno.test("X5a X8 a build of an hour: a client of tasks (2026-07-28) gets the whole result by tasks/get", async () => {
  using bench = new Workbench();
  await using server = await ServerProcess.start(bench, { era: "2026-07-28" });
  const client = new TaskClient(server);
  const { task, questions } = await pollTask(client, taskOf(await client.shell(BUILD)));
  const text = task.result?.content[0]?.text ?? "";
  assert.strictEqual(checkResult(text), task.taskId);
  // At least half a second between two: the command takes one and more on a busy machine.
  const seconds = Number(/, ([\d.]+) s\]/.exec(text)?.[1]);
  assert.ok(questions <= 2 + seconds * 2, `${questions} questions in ${seconds} s`);
  assert.strictEqual(await readWhole(server, task.taskId), EVERYTHING);
});

testUsual("X5a a build of an hour: a client of tasks (2025-11-25) asks once for the result", async ({ server }) => {
  const call = { name: "sandboxed_shell", arguments: { command: BUILD }, task: {} };
  const { taskId } = (await server.request("tools/call", call)).result?.task as { readonly taskId: string };
  const { result } = await server.request("tasks/result", { taskId });
  const [block] = result?.content as readonly { readonly text: string }[];
  assert.strictEqual(checkResult(block?.text ?? ""), taskId);
  assert.strictEqual(await readWhole(server, taskId), EVERYTHING);
});

testPushing(
  "X5e --push-results, a build of an hour: a legacy client with a token asks nothing and gets one message with the result",
  async ({ server }) => {
    const { operation } = await server.start(BUILD, {}, { progressToken: "build" });
    const { params } = await server.notification("notifications/progress");
    const { message, _meta, ...rest } = params ?? {};
    assert.deepStrictEqual(rest, { progressToken: "build", progress: 1, total: 1 });
    const id = checkResult(String(message));
    assert.strictEqual(id, operation?.operation_id);
    const { exit_code, status } = (_meta as Record<string, Record<string, unknown>>)["ahma/operation"] ?? {};
    assert.deepStrictEqual([status, exit_code], ["completed", 0]);
    assert.strictEqual(await readWhole(server, id), EVERYTHING);
    assert.deepStrictEqual(server.unclaimed.filter(({ method }) => method === "notifications/progress"), []);
  },
);

for (
  const { test, what, token } of [
    { test: testUsual, what: "by default", token: { progressToken: "x" } },
    { test: testPushing, what: "without a token, with --push-results", token: {} },
  ]
) {
  test(`X5e no such message comes ${what}`, async ({ server }) => {
    const before = server.unclaimed.filter(({ method }) => method === "notifications/progress").length;
    const { operation } = await server.start("true", {}, token);
    // Of the same end; a message that was to come would be there before the next answer.
    const id = operation?.operation_id ?? "none";
    await server.notification("notifications/message", (params) => JSON.stringify(params).includes(id));
    await server.call("status");
    assert.strictEqual(server.unclaimed.filter(({ method }) => method === "notifications/progress").length, before);
  });
}

Deno.test("X5b X8 B3 a build of an hour: a client that only calls tools awaits it once and reads all of it", async () => {
  using bench = new Workbench();
  await using server = await ServerProcess.start(bench);
  const { operation } = await server.start(BUILD);
  const { text } = await server.call("await", { operation_id: operation?.operation_id }, { deadline: 60_000 });
  const id = checkResult(text);
  const total = EVERYTHING.split("\n").length - 1;
  let whole = "";
  let next: string | undefined = `1-${total}`;
  while (next !== undefined) {
    const { text: page } = await server.call("status", { operation_id: id, lines: next });
    const [first = ""] = page.split("\n", 1);
    whole += page.slice(first.length + 1);
    next = /go on with "lines": "(\d+-\d+)"/.exec(first)?.[1];
  }
  assert.strictEqual(whole, EVERYTHING);
  assert.match((await server.call("status", { operation_id: id, lines: "999999" })).text, /\[empty\]/);
  assert.match(
    (await server.call("status", { operation_id: id, lines: "x" })).text,
    /"lines" is "x", expected a range/,
  );
});
