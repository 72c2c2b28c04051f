/** Tasks of 2025-11-25 against the packed program, and a build of an hour with all but the newest clients. */
import assert from "node:assert/strict";
import { type RpcMessage, toolAnswer } from "./_support/json_rpc.ts";
import { BUILD, checkResult, EVERYTHING, readWhole } from "./_support/scripts/hour_build.ts";
import { MISSING_PROGRAM } from "./_support/scripts/missing_program.ts";
import { ServerProcess } from "./_support/server_process.ts";
import { sharing } from "./_support/sharing.ts";

interface CoreTask {
  readonly taskId: string;
  readonly status: string;
  readonly ttl: number | null;
  readonly pollInterval: number;
}

function shellTask(command: string): object {
  return { name: "sandboxed_shell", arguments: { command }, task: { ttl: 60_000 } };
}

function textOf(result: RpcMessage["result"]): string {
  const [block] = (result?.content ?? []) as readonly { readonly text: string }[];
  return block?.text ?? "";
}

async function startTask(server: ServerProcess, command: string): Promise<CoreTask> {
  const { result } = await server.request("tools/call", shellTask(command));
  return result?.task as CoreTask;
}

const testFirst = sharing((bench) => {
  bench.write(".ahma/tools/none.json", MISSING_PROGRAM);
  return ServerProcess.start(bench);
});
const testFew = sharing((bench) =>
  ServerProcess.start(bench, { flags: ["--push-results", "--exit-errors", "--keep-results", "3"] })
);

testFirst(
  "X5 C3 2025-11-25: a call becomes a task, its result comes by tasks/result and names the task",
  async ({ bench, server }) => {
    const answer = await server.request("tools/call", shellTask("until [ -e go ]; do sleep 0.02; done; echo built"));
    assert.deepStrictEqual(Object.keys(answer.result ?? {}).sort(), ["_meta", "task"]);
    const task = answer.result?.task as CoreTask;
    const meta = answer.result?._meta as Record<string, unknown>;
    assert.deepStrictEqual(meta["io.modelcontextprotocol/related-task"], { taskId: task.taskId });
    assert.match(
      String(meta["io.modelcontextprotocol/model-immediate-response"]),
      /^op_\w+ started\. `await` returns its result\.$/,
    );
    assert.match(task.taskId, /^op_\w+$/);
    assert.deepStrictEqual([task.status, task.ttl, task.pollInterval], ["working", 7_200_000, 500]);
    // It waits for the end of the task, which is now up to us.
    const result = server.request("tasks/result", { taskId: task.taskId });
    const { result: seen } = await server.request("tasks/get", { taskId: task.taskId });
    assert.deepStrictEqual([seen?.status, "result" in (seen ?? {})], ["working", false]);
    bench.write("go", "\n");
    const final = (await result).result;
    assert.match(textOf(final), /^built\n/);
    assert.deepStrictEqual((final?._meta as Record<string, unknown>)["io.modelcontextprotocol/related-task"], {
      taskId: task.taskId,
    });
    const { params } = await server.notification("notifications/tasks/status", ({ taskId }) => taskId === task.taskId);
    const { result: ended } = await server.request("tasks/get", { taskId: task.taskId });
    assert.deepStrictEqual(params, ended);
  },
);

testFirst("X5 2025-11-25: an exit code makes no failed task", async ({ server }) => {
  const { taskId } = await startTask(server, "exit 7");
  assert.strictEqual((await server.request("tasks/result", { taskId })).result?.isError, undefined);
  assert.strictEqual((await server.request("tasks/get", { taskId })).result?.status, "completed");
});

testFew(
  "X5 2025-11-25: a result with isError makes a failed task, and other results do not report tasks",
  async ({ server }) => {
    const { taskId } = await startTask(server, "echo broken; exit 7");
    const { result } = await server.request("tasks/result", { taskId });
    assert.deepStrictEqual([result?.isError, /broken/.test(textOf(result))], [true, true]);
    const { result: task } = await server.request("tasks/get", { taskId });
    assert.strictEqual(task?.status, "failed");
    const { result: list } = await server.request("tasks/list");
    assert.deepStrictEqual((list?.tasks as readonly unknown[])[0], task);
    const other = await server.shell("echo other");
    assert.ok(!other.text.includes(taskId), other.text);
    // The model may still ask for it by its id, and everything else about it too.
    assert.match((await server.call("await", { operation_id: taskId })).text, /broken/);
  },
);

testFirst(
  "X5 2025-11-25: tasks/cancel answers with a cancelled task; what has ended or never was is -32602",
  async ({ bench, server }) => {
    const { taskId } = await startTask(server, "touch runs; sleep 600");
    await bench.appears("runs");
    const { result } = await server.request("tasks/cancel", { taskId });
    assert.strictEqual(result?.status, "cancelled");
    await bench.processesGone("sleep 600");
    assert.strictEqual((await server.request("tasks/cancel", { taskId })).error?.code, -32602);
    assert.match(textOf((await server.request("tasks/result", { taskId })).result), /cancelled/);
    const { operation } = await server.start("true");
    // An operation that is no task is none here either.
    for (const unknown of ["op_none", operation?.operation_id, 7]) {
      for (const method of ["tasks/get", "tasks/result", "tasks/cancel"]) {
        assert.strictEqual(
          (await server.request(method, { taskId: unknown })).error?.code,
          -32602,
          `${method} ${unknown}`,
        );
      }
    }
    assert.strictEqual((await server.request("tasks/list", { cursor: "x" })).error?.code, -32602);
  },
);

testFirst(
  "X5 2025-11-25: what cannot be run as a task is -32601, what cannot be run at all a failed task",
  async ({ server }) => {
    for (const name of ["await", "status", "cancel"]) {
      assert.strictEqual(
        (await server.request("tools/call", { name, arguments: {}, task: {} })).error?.code,
        -32601,
        name,
      );
    }
    const unknown = await server.request("tools/call", { name: "nothing", arguments: {}, task: {} });
    assert.strictEqual(unknown.error?.code, -32602);
    const wrong = { name: "sandboxed_shell", arguments: { command: 7 }, task: {} };
    const { taskId, status } = (await server.request("tools/call", wrong)).result?.task as CoreTask;
    const { result } = await server.request("tasks/result", { taskId });
    assert.deepStrictEqual([status, result?.isError], ["working", true]);
    assert.match(textOf(result), /argument "command" is 7, expected a string/);
  },
);

testFirst(
  "X5 X6 2025-11-25: progress of a task goes on after the answer, names the task, and stops at its end",
  async ({ bench, server }) => {
    const progress: Readonly<Record<string, unknown>>[] = [];
    server.listen(({ method, params }) => {
      if (method !== "notifications/progress") return;
      // The command writes its next line when the one before has come.
      bench.write(`heard-${progress.push(params ?? {})}`, "");
    });
    const params = shellTask("for i in 1 2 3; do echo $i; until [ -e heard-$i ]; do sleep 0.02; done; done");
    const { result } = await server.request("tools/call", params, { progressToken: "p" });
    const { taskId } = result?.task as CoreTask;
    await server.request("tasks/result", { taskId });
    await server.call("status");
    const numbers = progress.map((one) => Number(one.progress));
    assert.deepStrictEqual(numbers, [1, 2, 3]);
    for (const one of progress) {
      assert.strictEqual(one.progressToken, "p");
      assert.deepStrictEqual(one._meta, { "io.modelcontextprotocol/related-task": { taskId } });
    }
  },
);

testFirst("X5 C3 2025-11-25: tasks/list has pages, newest first", async ({ server }) => {
  const started = await Promise.all(Array.from({ length: 130 }, () => startTask(server, "true")));
  const first = (await server.request("tasks/list")).result;
  const second = (await server.request("tasks/list", { cursor: first?.nextCursor })).result;
  const listed = [first, second].flatMap((page) => page?.tasks as readonly CoreTask[]).map(({ taskId }) => taskId);
  assert.deepStrictEqual(listed.slice(0, started.length), started.map(({ taskId }) => taskId).reverse());
  assert.strictEqual(second?.nextCursor, undefined);
});

testFirst("X5 X4 2025-11-25: what is wrong with the command itself is a result of the task", async ({ server }) => {
  const { result } = await server.request("tools/call", { name: "none", arguments: {}, task: {} });
  const { taskId } = result?.task as { readonly taskId: string };
  const answer = toolAnswer(await server.request("tasks/result", { taskId }));
  assert.deepStrictEqual([answer.isError, /no such program/.test(answer.text)], [true, true]);
  assert.strictEqual((await server.request("tasks/get", { taskId })).result?.status, "failed");
});

testFew("X5 C3 a task is not forgotten before its ttl is over, however much ended after it", async ({ server }) => {
  const { taskId } = await startTask(server, "seq 1 5000");
  await server.request("tasks/result", { taskId });
  const other = await server.start("true");
  await server.call("await", { operation_id: other.operation?.operation_id });
  for (let count = 0; count < 5; count++) await server.shell("true");
  const { result } = await server.request("tasks/result", { taskId });
  assert.match(textOf(result), /^\[op_.*\]\n1\n2\n[^]*left out[^]*\n5000\n/);
  // The matching denial: what is no task goes.
  const { text } = await server.call("status", { operation_id: other.operation?.operation_id });
  assert.match(text, /is unknown/);
});

testFirst("X5a a build of an hour: a client of tasks (2025-11-25) asks once for the result", async ({ server }) => {
  const call = { name: "sandboxed_shell", arguments: { command: BUILD }, task: {} };
  const { taskId } = (await server.request("tools/call", call)).result?.task as { readonly taskId: string };
  const { result } = await server.request("tasks/result", { taskId });
  const [block] = result?.content as readonly { readonly text: string }[];
  assert.strictEqual(checkResult(block?.text ?? ""), taskId);
  assert.strictEqual(await readWhole(server, taskId), EVERYTHING);
});

testFew(
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
    assert.deepStrictEqual(server.unclaimed.filter(({ method }) => method === "notifications/progress"), []);
  },
);

for (
  const { test, what, token } of [
    { test: testFirst, what: "by default", token: { progressToken: "x" } },
    { test: testFew, what: "without a token, with --push-results", token: {} },
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

// This server has served no client a resource: results name one to who has read some.
testFew(
  "X5b X8 B3 a build of an hour: a client that only calls tools awaits it once and reads all of it",
  async ({ server }) => {
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
  },
);
