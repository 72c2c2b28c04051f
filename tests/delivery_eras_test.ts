/** What each version is offered, and that it gets nothing it does not know. */
import assert from "node:assert/strict";
import type { RpcMessage } from "./_support/json_rpc.ts";
import { ServerProcess } from "./_support/server_process.ts";
import { Workbench } from "./_support/workbench.ts";

function codeOf({ error }: RpcMessage): number | undefined {
  return error?.code;
}

async function taskSupport(server: ServerProcess): Promise<Record<string, unknown>> {
  const { result } = await server.request("tools/list");
  const tools = result?.tools as readonly { readonly name: string; readonly execution?: unknown }[];
  return Object.fromEntries(tools.map(({ name, execution }) => [name, execution]));
}

Deno.test("S17 X5 X2 clients of the first era are notified when the sandbox is in force and when it ends; with --sync they are offered no tasks, and a call that asks for one is answered with its result", async () => {
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
  const { params } = await server.notification("notifications/sandbox/configured");
  assert.deepStrictEqual({ ...params, abi: typeof params?.abi }, { scope: bench.scope, abi: "number" });
  server.kill("SIGTERM");
  const { params: end } = await server.notification("notifications/sandbox/terminated");
  assert.deepStrictEqual(end, { reason: "The server was asked to end" });
});

// That of a sandbox that is not in force is in delivery_faults_test.ts.
Deno.test("S17 without a sandbox there are no notifications about it", async () => {
  using bench = new Workbench();
  await using server = await ServerProcess.start(bench, { flags: ["--no-sandbox"] });
  await server.call("status");
  await server.closeInput();
  await server.exit();
  assert.deepStrictEqual(server.unclaimed, []);
});
