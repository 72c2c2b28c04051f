/** `subscriptions/listen` of 2026-07-28 over HTTP for tasks: who may, what is acknowledged, what is told, and its end. */
import assert from "node:assert/strict";
import { EventReader } from "../_support/clients/event_reader.ts";
import { HttpServerProcess } from "../_support/servers/http_server.ts";
import { MODERN_META, type RpcMessage } from "../_support/json_rpc.ts";
import { sharing } from "../_support/sharing.ts";

const TASKS = "io.modelcontextprotocol/tasks";
const CAPABILITIES = "io.modelcontextprotocol/clientCapabilities";
const SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId";
const WITH_TASKS = { ...MODERN_META, [CAPABILITIES]: { extensions: { [TASKS]: {} } } };

const test = sharing((bench) => {
  bench.write(".ahma/tools/a.json", JSON.stringify({ name: "own", command: "echo", description: "One." }));
  return HttpServerProcess.start(bench, { flags: ["--max-concurrency", "1"] });
});

/** One request of a client that declares the extension. */
function ask(
  server: HttpServerProcess,
  method: string,
  params: object,
  accept = "application/json",
): Promise<Response> {
  const name = "name" in params ? params.name : "taskId" in params ? params.taskId : undefined;
  const named = name === undefined ? {} : { "mcp-name": String(name) };
  const headers = { "mcp-protocol-version": "2026-07-28", "mcp-method": method, ...named };
  const message = { jsonrpc: "2.0", id: "listen", method, params: { ...params, _meta: WITH_TASKS } };
  return server.post(message, { accept, headers });
}

async function begin(server: HttpServerProcess, command: string): Promise<string> {
  const response = await ask(server, "tools/call", {
    name: "sandboxed_shell",
    arguments: { command, execution_mode: "AsyncResultPush" },
  });
  const { result } = await response.json();
  assert.strictEqual(result.resultType, "task");
  return result.taskId;
}

function listen(server: HttpServerProcess, notifications: object): Promise<Response> {
  return ask(server, "subscriptions/listen", { notifications }, "text/event-stream");
}

async function nextMessage(reader: EventReader): Promise<RpcMessage> {
  const event = await reader.message(() => true);
  return event.message ?? {};
}

test("X5 C3 H4 who listens to tasks over HTTP is told of each change of them, the end with its result", async ({ bench, server }) => {
  const first = await begin(server, "until [ -e go ]; do sleep 0.02; done; echo built; exit 3");
  const second = await begin(server, "echo next");
  const strange = await begin(server, "echo not listened to");
  await using reader = new EventReader(await listen(server, { taskIds: [first, second, first, "op_none"] }));
  assert.deepStrictEqual(await nextMessage(reader), {
    jsonrpc: "2.0",
    method: "notifications/subscriptions/acknowledged",
    params: { notifications: { taskIds: [first, second] }, _meta: { [SUBSCRIPTION]: "listen" } },
  });
  bench.write("go", "");
  const seen: (readonly unknown[])[] = [];
  while (seen.length < 3) {
    const { method, params = {} } = await nextMessage(reader);
    assert.strictEqual(method, "notifications/tasks");
    assert.deepStrictEqual(params._meta, { [SUBSCRIPTION]: "listen" });
    assert.notStrictEqual(params.taskId, strange);
    seen.push([params.taskId, params.status]);
    if (params.status === "working") continue;
    const { result } = await (await ask(server, "tasks/get", { taskId: params.taskId })).json();
    const { _meta: _, resultType: __, ...asked } = result;
    const { _meta: ___, ...told } = params;
    assert.deepStrictEqual(told, asked);
  }
  assert.deepStrictEqual(seen, [[first, "completed"], [second, "working"], [second, "completed"]]);
});

test("X5 H4 who listens when the task has ended is told at once, and other filters are served beside it", async ({ bench, server }) => {
  const id = await begin(server, "echo done");
  const uri = `ahma://operations/${id}`;
  await (await ask(server, "tools/call", { name: "await", arguments: { operation_id: id } })).body?.cancel();
  const filter = { taskIds: [id], toolsListChanged: true, resourceSubscriptions: [uri] };
  await using reader = new EventReader(await listen(server, filter));
  const { params } = await nextMessage(reader);
  assert.deepStrictEqual(params?.notifications, filter);
  const told = await nextMessage(reader);
  assert.deepStrictEqual([told.method, told.params?.taskId, told.params?.status], [
    "notifications/tasks",
    id,
    "completed",
  ]);
  bench.write(".ahma/tools/b.json", JSON.stringify({ name: "more", command: "echo", description: "Two." }));
  // What the end of the operation changed may still be told before it.
  await reader.message(({ method }) => method === "notifications/tools/list_changed");
});

test("X5 C3 without the extension listening to tasks is -32021, wrong taskIds are -32602, JSON alone is 406, over HTTP", async ({ server }) => {
  const id = await begin(server, "true");
  const without = await server.modern("subscriptions/listen", { notifications: { taskIds: [id] } });
  const { error } = await without.json();
  assert.deepStrictEqual([without.status, error.code, error.data], [400, -32021, {
    requiredCapabilities: { extensions: { [TASKS]: {} } },
  }]);
  for (const taskIds of ["x", [7], [id, null], {}, Array(1001).fill(id)]) {
    const response = await listen(server, { taskIds });
    assert.deepStrictEqual([response.status, (await response.json()).error.code], [400, -32602]);
  }
  const json = await ask(server, "subscriptions/listen", { notifications: { taskIds: [id] } });
  assert.strictEqual(json.status, 406);
  await json.body?.cancel();
  // The control: without tasks no client needs the extension.
  const plain = await server.modern("subscriptions/listen", { notifications: { toolsListChanged: true } });
  await using reader = new EventReader(plain);
  assert.deepStrictEqual((await nextMessage(reader)).params?.notifications, { toolsListChanged: true });
});

// The last one of this server.
test("H11 X5 a stop ends a subscription to tasks with its answer, and the server as well", async ({ server }) => {
  const id = await begin(server, "sleep 0.1");
  await using reader = new EventReader(await listen(server, { taskIds: [id] }));
  await nextMessage(reader);
  server.kill("SIGTERM");
  const rest = await reader.rest();
  const last = rest.at(-1)?.message;
  assert.deepStrictEqual([last?.id, last?.result?.resultType], ["listen", "complete"]);
  assert.strictEqual((await server.exit()).code, 0);
});
