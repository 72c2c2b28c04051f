/** A task that the server itself could not do: what each generation of tasks says of it, and what a plain call gets. */
import assert from "node:assert/strict";
import { SYSTEM_CALLS } from "../src/system/syscalls.ts";
import { lyingKernel } from "./_support/kernel/lying_kernel.ts";
import { pollTask, TaskClient, taskOf } from "./_support/clients/modern.ts";
import { ServerProcess } from "./_support/server_process.ts";
import { Workbench } from "./_support/workbench.ts";

const SYS = SYSTEM_CALLS[Deno.build.arch === "aarch64" ? "aarch64" : "x86_64"];
const COMMAND = { name: "sandboxed_shell", arguments: { command: "echo ran", execution_mode: "AsyncResultPush" } };
const WHY = /the sandbox does not hold on this machine/;

/** Its client is told that the sandbox is not in force. */
async function failsInFirstEra(server: ServerProcess): Promise<void> {
  const { params: told } = await server.notification("notifications/sandbox/failed");
  assert.match(String(told?.error), /^the sandbox does not hold on this machine\. /);
  assert.deepStrictEqual(server.unclaimed.filter(({ method }) => method === "notifications/sandbox/configured"), []);
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
}

async function failsInCurrentEra(server: ServerProcess): Promise<void> {
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
}

Deno.test("X5 C3 S17 a task that cannot be run has failed with the error -32603, and clients of the first era are notified that the sandbox is not in force", async (t) => {
  using bench = new Workbench();
  // It says that it restricts and does not: the server starts, and runs nothing.
  const prefix = (await lyingKernel(bench))([{ call: SYS.landlock_restrict_self, errno: 0 }]);
  for (const [era, fails] of [["2025-11-25", failsInFirstEra], ["2026-07-28", failsInCurrentEra]] as const) {
    await t.step(era, async () => {
      await using server = await ServerProcess.start(bench, { era, prefix });
      await fails(server);
    });
  }
});
