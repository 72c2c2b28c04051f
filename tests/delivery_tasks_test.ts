/** Tasks of both generations against the packed program. */
import assert from "node:assert/strict";
import type { RpcMessage } from "./_support/json_rpc.ts";
import { pollTask, TaskClient, taskOf } from "./_support/clients/modern.ts";
import { ServerProcess } from "./_support/server_process.ts";
import { sharing } from "./_support/sharing.ts";
import { Workbench } from "./_support/workbench.ts";

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

const testFirst = sharing((bench) => ServerProcess.start(bench));
const testCurrent = sharing((bench) => ServerProcess.start(bench, { era: "2026-07-28" }));

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

Deno.test("X5 2025-11-25: a result with isError makes a failed task, and other results do not report tasks", async () => {
  using bench = new Workbench();
  await using server = await ServerProcess.start(bench, { flags: ["--exit-errors"] });
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
});

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

Deno.test("X5 C3 2025-11-25: tasks/list has pages, newest first", async () => {
  using bench = new Workbench();
  await using server = await ServerProcess.start(bench);
  const started = await Promise.all(Array.from({ length: 130 }, () => startTask(server, "true")));
  const first = (await server.request("tasks/list")).result;
  const second = (await server.request("tasks/list", { cursor: first?.nextCursor })).result;
  const listed = [first, second].flatMap((page) => page?.tasks as readonly CoreTask[]).map(({ taskId }) => taskId);
  assert.deepStrictEqual(listed, started.map(({ taskId }) => taskId).reverse());
  assert.strictEqual(second?.nextCursor, undefined);
});

testCurrent("X5 C3 2026-07-28: a client that takes tasks gets one, and its result by tasks/get", async ({ server }) => {
  const client = new TaskClient(server);
  const created = await client.shell("echo built; exit 3");
  const { createdAt, lastUpdatedAt, taskId, statusMessage: _, _meta, ...rest } = created.result ?? {};
  assert.deepStrictEqual(rest, { resultType: "task", status: "working", ttlMs: 7_200_000, pollIntervalMs: 500 });
  assert.match(String(taskId), /^op_\w+$/);
  for (const time of [createdAt, lastUpdatedAt]) assert.match(String(time), /^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
  const { task } = await pollTask(client, taskOf(created));
  // A command that failed has a result like any other.
  assert.deepStrictEqual([task.status, task.result?.isError], ["completed", undefined]);
  assert.match(task.result?.content[0]?.text ?? "", /^built\n\[exit code 3, /);
  const refused = await client.request("tools/call", { name: "sandboxed_shell", arguments: {} });
  assert.deepStrictEqual([refused.result?.resultType, refused.result?.isError], ["complete", true]);
  const waits = { command: "echo now", execution_mode: "Synchronous" };
  const now = await client.request("tools/call", { name: "sandboxed_shell", arguments: waits });
  assert.strictEqual(now.result?.resultType, "complete");
});

testCurrent(
  "X5 2026-07-28: a request that does not declare the extension gets no task, whatever came before",
  async ({ server }) => {
    const client = new TaskClient(server);
    const { taskId } = taskOf(await client.shell("true"));
    const { operation } = await server.start("true");
    assert.match(operation?.operation_id ?? "", /^op_/);
    assert.strictEqual((await server.request("tasks/get", { taskId })).error?.code, -32021);
    assert.strictEqual((await client.request("tasks/get", { taskId: operation?.operation_id })).error?.code, -32602);
    assert.strictEqual((await client.request("tasks/get", { taskId: "op_none" })).error?.code, -32602);
    assert.strictEqual((await client.request("tasks/get", {})).error?.code, -32602);
  },
);

testCurrent(
  "X5 2026-07-28: tasks/cancel is acknowledged, running or ended; tasks/update too",
  async ({ bench, server }) => {
    const client = new TaskClient(server);
    const first = taskOf(await client.shell("touch runs; sleep 600"));
    await bench.appears("runs");
    const { taskId } = first;
    const acknowledged = async (method: string) => {
      const { result } = await client.request(method, { taskId, inputResponses: {} });
      const { _meta, ...rest } = result ?? {};
      assert.deepStrictEqual(rest, { resultType: "complete" }, method);
    };
    await acknowledged("tasks/update");
    await acknowledged("tasks/cancel");
    const { task } = await pollTask(client, first);
    assert.deepStrictEqual([task.status, task.result], ["cancelled", undefined]);
    await bench.processesGone("sleep 600");
    await acknowledged("tasks/cancel");
  },
);

Deno.test("X5 with --inline-wait a task-capable client gets what ends early at once, and a task for the rest", async () => {
  using bench = new Workbench();
  await using server = await ServerProcess.start(bench, { era: "2026-07-28", flags: ["--inline-wait", "4000"] });
  const client = new TaskClient(server);
  const call = (command: string) => client.request("tools/call", { name: "sandboxed_shell", arguments: { command } });
  const slow = await call("sleep 600");
  assert.strictEqual(slow.result?.resultType, "task");
  await client.request("tasks/cancel", { taskId: slow.result?.taskId });
  assert.strictEqual((await call("true")).result?.resultType, "complete");
});

Deno.test("X5 C3 2026-07-28: a subscriber to a task is notified of its end with the result, and others are refused", async () => {
  using bench = new Workbench();
  await using server = await ServerProcess.start(bench, { era: "2026-07-28" });
  const client = new TaskClient(server);
  const { taskId } = taskOf(await client.shell("until [ -e go ]; do sleep 0.02; done; echo built"));
  const notifications = { taskIds: [taskId, "op_none"] };
  assert.strictEqual((await server.request("subscriptions/listen", { notifications })).error?.code, -32021);
  const listening = client.request("subscriptions/listen", { notifications });
  const { params: { _meta, ...acknowledged } = {} } = await server.notification(
    "notifications/subscriptions/acknowledged",
  );
  assert.deepStrictEqual(acknowledged, { notifications: { taskIds: [taskId] } });
  bench.write("go", "");
  const { params } = await server.notification("notifications/tasks");
  const { _meta: meta, ...task } = params ?? {};
  assert.deepStrictEqual(meta, _meta);
  const { _meta: _, resultType: __, ...asked } = (await client.request("tasks/get", { taskId })).result ?? {};
  assert.deepStrictEqual([task, task.status], [asked, "completed"]);
  server.kill("SIGTERM");
  assert.strictEqual((await listening).result?.resultType, "complete");
});

Deno.test("X5 C3 a task is not forgotten before its ttl is over, however much ended after it", async () => {
  using bench = new Workbench();
  await using server = await ServerProcess.start(bench, { flags: ["--keep-results", "3"] });
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
