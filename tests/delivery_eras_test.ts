/** What each version is offered, and that it gets nothing it does not know. */
import assert from "node:assert/strict";
import { SYSTEM_CALLS } from "../src/system/syscalls.ts";
import type { RpcMessage } from "./_support/json_rpc.ts";
import { lyingKernel } from "./_support/kernel/lying_kernel.ts";
import { TaskClient, taskOf } from "./_support/clients/modern.ts";
import { ServerProcess } from "./_support/server_process.ts";
import { sharing } from "./_support/sharing.ts";
import { Workbench } from "./_support/workbench.ts";

const SYS = SYSTEM_CALLS[Deno.build.arch === "aarch64" ? "aarch64" : "x86_64"];
const testNewest = sharing((bench) => ServerProcess.start(bench, { era: "2026-07-28" }));

function codeOf({ error }: RpcMessage): number | undefined {
  return error?.code;
}

async function taskSupport(server: ServerProcess): Promise<Record<string, unknown>> {
  const { result } = await server.request("tools/list");
  const tools = result?.tools as readonly { readonly name: string; readonly execution?: unknown }[];
  return Object.fromEntries(tools.map(({ name, execution }) => [name, execution]));
}

testNewest(
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
        codeOf(await server.request(method, { taskId: "x", uri: "x", level: "info" })),
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

testNewest(
  "C3 X5 S17 2026-07-28 hears nothing it has not asked for: no sandbox, logs, pushes, changes or progress",
  async ({ server }) => {
    const { operation } = await server.start("echo one; exit 3", {}, { progressToken: "t" });
    const id = operation?.operation_id ?? "";
    await server.call("await", { operation_id: id });
    await server.request("resources/list");
    // A task is asked for its result, and says nothing by itself.
    const client = new TaskClient(server);
    const { taskId } = taskOf(await client.shell("echo two"));
    await server.call("await", { operation_id: taskId });
    await server.call("status");
    assert.deepStrictEqual(server.unclaimed, []);
  },
);

Deno.test("X5 X2 with --sync no version is offered tasks, and a call that asks for one is answered with its result", async () => {
  using bench = new Workbench();
  await using server = await ServerProcess.start(bench, { era: "none", flags: ["--sync"] });
  const { result } = await server.initialize("2025-11-25");
  assert.deepStrictEqual(Object.keys(result?.capabilities ?? {}).toSorted(), [
    "completions",
    "logging",
    "resources",
    "tools",
  ]);
  assert.deepStrictEqual((await taskSupport(server))["sandboxed_shell"], undefined);
  const call = { name: "sandboxed_shell", arguments: { command: "echo hi" }, task: {} };
  assert.match(JSON.stringify((await server.request("tools/call", call)).result?.content), /"hi\\n/);
  assert.strictEqual(codeOf(await server.request("tasks/list")), -32601);
});

Deno.test("S17 clients of the first era are notified when the sandbox is in force and when it ends", async () => {
  using bench = new Workbench();
  await using server = await ServerProcess.start(bench);
  const { params } = await server.notification("notifications/sandbox/configured");
  assert.deepStrictEqual({ ...params, abi: typeof params?.abi }, { scope: bench.scope, abi: "number" });
  server.kill("SIGTERM");
  const { params: end } = await server.notification("notifications/sandbox/terminated");
  assert.deepStrictEqual(end, { reason: "The server was asked to end" });
});

Deno.test("S17 clients of the first era are notified when the sandbox is not in force", async () => {
  using bench = new Workbench();
  const kernel = await lyingKernel(bench);
  const prefix = kernel([{ call: SYS.landlock_restrict_self, errno: 0 }]);
  await using server = await ServerProcess.start(bench, { prefix });
  const { params } = await server.notification("notifications/sandbox/failed");
  assert.match(String(params?.error), /^the sandbox does not hold on this machine\. /);
  assert.deepStrictEqual(server.unclaimed.filter(({ method }) => method === "notifications/sandbox/configured"), []);
});

Deno.test("S17 without a sandbox there are no notifications about it", async () => {
  using bench = new Workbench();
  await using server = await ServerProcess.start(bench, { flags: ["--no-sandbox"] });
  await server.call("status");
  await server.closeInput();
  await server.exit();
  assert.deepStrictEqual(server.unclaimed, []);
});
