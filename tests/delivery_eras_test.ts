/** What each version is offered, and that it gets nothing it does not know. */
import assert from "node:assert/strict";
import { SYSTEM_CALLS } from "../src/system/syscalls.ts";
import type { RpcMessage } from "./_support/json_rpc.ts";
import { lyingKernel } from "./_support/kernel/lying_kernel.ts";
import { ServerProcess } from "./_support/server_process.ts";
import { Workbench } from "./_support/workbench.ts";

const SYS = SYSTEM_CALLS[Deno.build.arch === "aarch64" ? "aarch64" : "x86_64"];

function codeOf({ error }: RpcMessage): number | undefined {
  return error?.code;
}

async function taskSupport(server: ServerProcess): Promise<Record<string, unknown>> {
  const { result } = await server.request("tools/list");
  const tools = result?.tools as readonly { readonly name: string; readonly execution?: unknown }[];
  return Object.fromEntries(tools.map(({ name, execution }) => [name, execution]));
}

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
