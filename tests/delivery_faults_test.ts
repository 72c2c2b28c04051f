/** A task that the server itself could not do: what each generation of tasks says of it, and what a plain call gets. */
import assert from "node:assert/strict";
import { SYSTEM_CALLS } from "../src/system/syscalls.ts";
import { lyingKernel } from "./_support/kernel/lying_kernel.ts";
import { pollTask, TaskClient, taskOf } from "./_support/clients/modern.ts";
import { type Era, ServerProcess } from "./_support/server_process.ts";
import { Workbench } from "./_support/workbench.ts";

const SYS = SYSTEM_CALLS[Deno.build.arch === "aarch64" ? "aarch64" : "x86_64"];
const COMMAND = { name: "sandboxed_shell", arguments: { command: "echo ran", execution_mode: "AsyncResultPush" } };
const WHY = /the sandbox does not hold on this machine/;

/** On a kernel that says it restricts and does not: the server starts, and runs nothing. */
async function unableToRun(bench: Workbench, era: Era): Promise<ServerProcess> {
  const kernel = await lyingKernel(bench);
  return await ServerProcess.start(bench, { era, prefix: kernel([{ call: SYS.landlock_restrict_self, errno: 0 }]) });
}

Deno.test("X5 C3 2025-11-25: a task that cannot be run has failed, and its result is the error -32603", async () => {
  using bench = new Workbench();
  await using server = await unableToRun(bench, "2025-11-25");
  const { execution_mode: _, ...args } = COMMAND.arguments;
  const { result } = await server.request("tools/call", { ...COMMAND, arguments: args, task: {} });
  const { taskId } = result?.task as { readonly taskId: string };
  const { error, ...rest } = await server.request("tasks/result", { taskId });
  assert.deepStrictEqual([rest.result, error?.code, error?.data], [undefined, -32603, { operation_id: taskId }]);
  assert.match(error?.message ?? "", WHY);
  const { result: task } = await server.request("tasks/get", { taskId });
  assert.deepStrictEqual([task?.status, "error" in (task ?? {})], ["failed", false]);
  assert.match(String(task?.statusMessage), WHY);
  const { params } = await server.notification("notifications/tasks/status");
  assert.deepStrictEqual(params, task);
  // Where it is no task it is a result the model can read (X4).
  const plain = await server.call("sandboxed_shell", { ...COMMAND.arguments, execution_mode: "Synchronous" });
  assert.deepStrictEqual([plain.isError, WHY.test(plain.text)], [true, true]);
});

Deno.test("X5 C3 2026-07-28: a task that cannot be run has failed, with the error -32603 and no result", async () => {
  using bench = new Workbench();
  await using server = await unableToRun(bench, "2026-07-28");
  const client = new TaskClient(server);
  const { task } = await pollTask(client, taskOf(await client.request("tools/call", COMMAND)));
  const { status, result, error, taskId } = task;
  assert.deepStrictEqual([status, result, error?.code, error?.data], ["failed", undefined, -32603, {
    operation_id: taskId,
  }]);
  assert.match(error?.message ?? "", WHY);
  const listening = client.request("subscriptions/listen", { notifications: { taskIds: [taskId] } });
  const { params } = await server.notification("notifications/tasks");
  assert.deepStrictEqual([params?.status, params?.error], ["failed", error], "who listens late is told too");
  server.kill("SIGTERM");
  await listening;
});
