/** Tasks of 2026-07-28 against the packed program, and what else its clients are offered. */
import assert from "node:assert/strict";
import { pollTask, TaskClient, taskOf } from "./_support/clients/modern.ts";
import type { RpcMessage } from "./_support/json_rpc.ts";
import { BUILD, checkResult, EVERYTHING, readWhole } from "./_support/scripts/hour_build.ts";
import { MISSING_PROGRAM } from "./_support/scripts/missing_program.ts";
import { ServerProcess } from "./_support/server_process.ts";
import { sharing } from "./_support/sharing.ts";
import { Workbench } from "./_support/workbench.ts";

const testCurrent = sharing((bench) => {
  bench.write(".ahma/tools/none.json", MISSING_PROGRAM);
  return ServerProcess.start(bench, { era: "2026-07-28" });
});

testCurrent(
  "C1 X5 2026-07-28 is offered none of what its version took away, and tasks by its extension",
  async ({ server }) => {
    const gone = [
      "tasks/list",
      "tasks/result",
      "resources/subscribe",
      "resources/unsubscribe",
      "logging/setLevel",
      "ping",
    ];
    for (const method of gone) {
      assert.strictEqual(
        (await server.request(method, { taskId: "x", uri: "x", level: "info" })).error?.code,
        -32601,
        method,
      );
    }
    // Whether the tasks of the extension are there is said by every single request.
    for (const method of ["tasks/get", "tasks/update", "tasks/cancel"]) {
      const { error } = await server.request(method, { taskId: "x" });
      assert.deepStrictEqual([error?.code, error?.data], [-32021, {
        requiredCapabilities: { extensions: { "io.modelcontextprotocol/tasks": {} } },
      }], method);
    }
    const { operation, result: answer } = await server.start("true", { task: undefined });
    assert.deepStrictEqual([operation?.status, answer.resultType], ["running", "complete"]);
  },
);

testCurrent(
  "C3 X5 S17 2026-07-28 hears nothing it has not asked for: no sandbox, logs, pushes, changes or progress",
  async ({ server }) => {
    const before = server.unclaimed.length;
    const { operation } = await server.start("echo one; exit 3", {}, { progressToken: "t" });
    const id = operation?.operation_id ?? "";
    await server.call("await", { operation_id: id });
    await server.request("resources/list");
    // A task is asked for its result, and says nothing by itself.
    const client = new TaskClient(server);
    const { taskId } = taskOf(await client.shell("echo two"));
    await server.call("await", { operation_id: taskId });
    await server.call("status");
    assert.deepStrictEqual(server.unclaimed.slice(before), []);
  },
);

testCurrent(
  "X5a X8 a build of an hour: a client of tasks (2026-07-28) gets the whole result by tasks/get",
  async ({ server }) => {
    const client = new TaskClient(server);
    const { task, questions } = await pollTask(client, taskOf(await client.shell(BUILD)));
    const text = task.result?.content[0]?.text ?? "";
    assert.strictEqual(checkResult(text), task.taskId);
    // At least half a second between two: the command takes one and more on a busy machine.
    const seconds = Number(/, ([\d.]+) s\]/.exec(text)?.[1]);
    assert.ok(questions <= 2 + seconds * 2, `${questions} questions in ${seconds} s`);
    assert.strictEqual(await readWhole(server, task.taskId), EVERYTHING);
  },
);

testCurrent("X5 X4 2026-07-28: what is wrong with the command itself is a result of the task", async ({ server }) => {
  const client = new TaskClient(server);
  const { task } = await pollTask(
    client,
    taskOf(await client.request("tools/call", { name: "none", arguments: { execution_mode: "AsyncResultPush" } })),
  );
  assert.deepStrictEqual([task.status, task.error, task.result?.isError], ["completed", undefined, true]);
  assert.match(JSON.stringify(task.result), /no such program/);
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

/** A subscription that goes on. */
interface Subscribed {
  readonly listening: Promise<RpcMessage>;
}

/** A subscriber to a task is notified of its end with the result, and others are refused. */
async function hearsOfTask(bench: Workbench, server: ServerProcess, client: TaskClient): Promise<Subscribed> {
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
  return { listening };
}

/** Changes come to the subscription that asks for them, and name it. */
async function hearsOfResources(bench: Workbench, server: ServerProcess): Promise<Subscribed> {
  const { operation } = await server.start("until [ -e come ]; do sleep 0.02; done");
  const uri = `ahma://operations/${operation?.operation_id}`;
  const listening = server.request("subscriptions/listen", {
    notifications: { resourceSubscriptions: [uri], resourcesListChanged: true },
  }, { id: "sub" });
  const { params } = await server.notification("notifications/subscriptions/acknowledged");
  assert.deepStrictEqual(params?.notifications, { resourceSubscriptions: [uri], resourcesListChanged: true });
  bench.write("come", "");
  const updated = await server.notification("notifications/resources/updated");
  assert.deepStrictEqual(updated.params, { uri, _meta: { "io.modelcontextprotocol/subscriptionId": "sub" } });
  await server.shell("true");
  await server.notification("notifications/resources/list_changed");
  return { listening };
}

Deno.test("X5 X5d C3 C4 2026-07-28: with --inline-wait a client of tasks gets what ends early at once, and a task for the rest; subscribers hear of tasks and resources until the server ends", async () => {
  using bench = new Workbench();
  await using server = await ServerProcess.start(bench, { era: "2026-07-28", flags: ["--inline-wait", "4000"] });
  const client = new TaskClient(server);
  const call = (command: string) => client.request("tools/call", { name: "sandboxed_shell", arguments: { command } });
  const slow = await call("sleep 600");
  assert.strictEqual(slow.result?.resultType, "task");
  await client.request("tasks/cancel", { taskId: slow.result?.taskId });
  assert.strictEqual((await call("true")).result?.resultType, "complete");
  const task = await hearsOfTask(bench, server, client);
  const resources = await hearsOfResources(bench, server);
  server.kill("SIGTERM");
  const ends = await Promise.all([task.listening, resources.listening]);
  assert.deepStrictEqual(ends.map(({ result }) => result?.resultType), ["complete", "complete"]);
});
