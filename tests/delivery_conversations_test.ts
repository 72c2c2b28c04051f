/** Calls that wait for a line, a port, silence or input, as tasks of both generations: the task is the call, not its operation. */
import assert from "node:assert/strict";
import { HttpClient } from "./_support/clients/http_client.ts";
import { TaskClient } from "./_support/clients/modern.ts";
import { until } from "./_support/deadline.ts";
import { MODERN_META, type RpcMessage, type ToolAnswer, toolAnswer } from "./_support/json_rpc.ts";
import { freePort } from "./_support/servers/listening.ts";
import { HttpServerProcess } from "./_support/servers/http_server.ts";
import { ServerProcess } from "./_support/server_process.ts";
import { sharing } from "./_support/sharing.ts";
import { Workbench } from "./_support/workbench.ts";

/** A client that takes tasks. */
interface TaskTaker {
  /** What a call may have that makes it a task at once. */
  readonly args: object;
  /** Members of `params` that ask for a task. */
  readonly params: object;
  request(method: string, params: object): Promise<RpcMessage>;
}

interface Wire {
  readonly name: string;
  readonly isCore: boolean;
  /** Registers a test with a client of the wire's server. */
  test(name: string, run: (bench: Workbench, client: TaskTaker) => Promise<void>): void;
}

const CORE = { args: {}, params: { task: {} } };
const EXTENSION = { args: { execution_mode: "AsyncResultPush" }, params: {} };
const WITH_TASKS = {
  ...MODERN_META,
  "io.modelcontextprotocol/clientCapabilities": { extensions: { "io.modelcontextprotocol/tasks": {} } },
};
const FOR_EVER = "tail -f /dev/null";
const GO = waitFor("go");

/** A shell line that ends when a file is there: what a call waits for must not come before its task is made. */
function waitFor(file: string): string {
  return `until [ -e ${file} ]; do sleep 0.02; done`;
}

function writeTool(bench: Workbench): void {
  const leaf = { name: "up", description: "Serves.", argv: ["-c", `${GO}; echo up; ${FOR_EVER}`], until: "up" };
  const file = { name: "serve", description: "Serves.", command: "sh", subcommand: [leaf] };
  bench.write(".ahma/tools/serve.json", JSON.stringify(file));
}

const testCore = sharing((bench) => {
  writeTool(bench);
  return ServerProcess.start(bench);
});
/** It waits long for what ends early; a call that asks for its id at once gets it. */
const testNewest = sharing((bench) => {
  writeTool(bench);
  return ServerProcess.start(bench, { era: "2026-07-28", flags: ["--inline-wait", "30000"] });
});
/** Of both eras. */
const testHttp = sharing((bench) => {
  writeTool(bench);
  return HttpServerProcess.start(bench);
});

const WIRES: readonly Wire[] = [
  {
    name: "2025-11-25, stdio",
    isCore: true,
    test: (name, run) =>
      testCore(name, async ({ bench, server }) => {
        await run(bench, { ...CORE, request: (method, params) => server.request(method, params) });
      }),
  },
  {
    name: "2025-11-25, HTTP",
    isCore: true,
    test: (name, run) =>
      testHttp(name, async ({ bench, server }) => {
        await using client = await HttpClient.connect(server);
        await run(bench, { ...CORE, request: (method, params) => client.request(method, params) });
      }),
  },
  {
    name: "2026-07-28, stdio",
    isCore: false,
    test: (name, run) =>
      testNewest(name, async ({ bench, server }) => {
        const client = new TaskClient(server);
        await run(bench, { ...EXTENSION, request: (method, params) => client.request(method, params) });
      }),
  },
  {
    name: "2026-07-28, HTTP",
    isCore: false,
    test: (name, run) =>
      testHttp(name, async ({ bench, server }) => {
        const request = async (method: string, params: object) => {
          const headers = { "mcp-protocol-version": "2026-07-28", "mcp-method": method, ...named(method, params) };
          const message = { jsonrpc: "2.0", id: 1, method, params: { ...params, _meta: WITH_TASKS } };
          return await (await server.post(message, { accept: "application/json", headers })).json();
        };
        await run(bench, { ...EXTENSION, request });
      }),
  },
];

function wires(...names: readonly string[]): readonly Wire[] {
  return names.map((name) => WIRES.find((wire) => wire.name === name) ?? assert.fail(name));
}

const [CORE_STDIO, CORE_HTTP] = [wires("2025-11-25, stdio"), wires("2025-11-25, HTTP")];
/** Each era and each transport once. */
const ONE_PAIR = wires("2025-11-25, stdio", "2026-07-28, HTTP");
const OTHER_PAIR = wires("2025-11-25, HTTP", "2026-07-28, stdio");

function named(method: string, params: object): Record<string, string> {
  const { name, taskId } = params as { readonly name?: string; readonly taskId?: string };
  const value = method.startsWith("tasks/") ? taskId : name;
  return value === undefined ? {} : { "mcp-name": value };
}

/** A client that takes tasks, the calls that it makes, and the directory in which its commands run. */
class Conversation {
  readonly #client: TaskTaker;
  readonly #isCore: boolean;
  readonly #bench: Workbench;
  readonly #place: string;

  constructor(client: TaskTaker, { isCore }: { readonly isCore: boolean }, bench: Workbench) {
    this.#client = client;
    this.#isCore = isCore;
    this.#bench = bench;
    this.#place = crypto.randomUUID();
    this.write("here");
  }

  /** Makes a file that a command waits for. */
  write(file: string): void {
    this.#bench.write(`${this.#place}/${file}`, "");
  }

  /** Waits for a file of a command. */
  async appears(file: string): Promise<void> {
    await this.#bench.appears(`${this.#place}/${file}`);
  }

  /** A call that the client makes without a task. */
  async call(name: string, args: object): Promise<ToolAnswer> {
    const own = name === "sandboxed_shell" ? { working_directory: this.#place, ...args } : args;
    return toolAnswer(await this.#client.request("tools/call", { name, arguments: own }));
  }

  /** The id of the task that a call has become. */
  async begin(args: object, name = "sandboxed_shell"): Promise<string> {
    const { args: more, params } = this.#client;
    const own = { working_directory: this.#place, ...name === "sandboxed_shell" && more, ...args };
    const { result, error } = await this.#client.request("tools/call", { name, arguments: own, ...params });
    const task = (this.#isCore ? result?.["task"] : result) as { readonly taskId?: string } | undefined;
    return task?.taskId ?? assert.fail(JSON.stringify(error ?? result));
  }

  async status(taskId: string): Promise<string> {
    return String((await this.#client.request("tasks/get", { taskId })).result?.["status"]);
  }

  /** The result of a task that ends by itself. */
  async answer(taskId: string): Promise<ToolAnswer> {
    if (this.#isCore) {
      const answer = toolAnswer(await this.#client.request("tasks/result", { taskId }));
      assert.strictEqual(await this.status(taskId), "completed");
      return answer;
    }
    const found: ToolAnswer[] = [];
    await until(
      async () => {
        const { result } = await this.#client.request("tasks/get", { taskId });
        if (result?.["status"] === "working") return false;
        assert.strictEqual(result?.["status"], "completed");
        found.push(toolAnswer({ result: result["result"] as RpcMessage["result"] & object }));
        return true;
      },
      30_000,
      `the task ${taskId} to end`,
    );
    return found[0] ?? assert.fail();
  }

  /** Cancels the operation that an answer names: a server over HTTP that is told to end waits ten seconds for it. */
  async endWhatGoesOn(text: string): Promise<void> {
    await this.call("cancel", { operation_id: /op_\w+/.exec(text)?.[0] });
  }

  async cancel(taskId: string): Promise<RpcMessage> {
    return await this.#client.request("tasks/cancel", { taskId });
  }
}

/** Registers a test for each wire. */
function onEachWire(
  what: string,
  run: (client: Conversation, bench: Workbench) => Promise<void>,
  wires: readonly Wire[] = WIRES,
): void {
  for (const wire of wires) {
    wire.test(`X5 ${wire.name}: ${what}`, (bench, client) => run(new Conversation(client, wire, bench), bench));
  }
}

onEachWire("a task that waits for a line ends with it, and the operation goes on under its id", async (client) => {
  const command = `${waitFor("begun")}; echo up; ${GO}; echo bye`;
  const task = await client.begin({ command, until: "up" });
  client.write("begun");
  const { text } = await client.answer(task);
  assert.match(text, /^op_\w+ still runs after [^\n]+\. `await` returns its result\. It wrote:\n> up$/);
  const [id] = /op_\w+/.exec(text) ?? [];
  // What goes on is not the task's.
  await client.cancel(task);
  assert.strictEqual(await client.status(task), "completed");
  const waited = await client.call("await", { operation_id: id, timeout_seconds: 0 });
  assert.match(waited.text, /^op_\w+ still runs after /);
  client.write("go");
  assert.match((await client.call("await", { operation_id: id })).text, /^up\nbye\n/);
  // The task is what the call was answered with.
  assert.strictEqual((await client.answer(task)).text, text);
});

const LISTENS = "import socket, time; s = socket.socket(); s.bind(('127.0.0.1', PORT)); s.listen(); time.sleep(600)";

onEachWire("a task that waits for silence, a port or the end of its command says which came", async (client) => {
  const quiet = await client.begin({ command: `echo a; ${FOR_EVER}`, until_quiet: 0.3 });
  const { text } = await client.answer(quiet);
  assert.match(text, /^op_\w+ still runs after [^\n]+, silent for 300 ms\. [^\n]+ Output so far:\na\n$/);
  const port = freePort();
  const listening = await client.begin({
    command: `${GO}; python3 -c "${LISTENS.replace("PORT", String(port))}"`,
    until_port: port,
  });
  client.write("go");
  const atPort = (await client.answer(listening)).text;
  assert.match(atPort, new RegExp(` and listens at port ${port}\\. `));
  const ended = await client.begin({ command: `${waitFor("end")}; echo over; exit 3`, until: "never" });
  client.write("end");
  const over = (await client.answer(ended)).text;
  assert.match(over, /^over\n\[exit code 3, [^\n]+\]\n\[ended without a line with "never"\]$/);
  for (const one of [text, atPort]) await client.endWhatGoesOn(one);
}, ONE_PAIR);

onEachWire("a task that is cancelled while it waits ends its operation", async (client, bench) => {
  const task = await client.begin({ command: "touch runs; sleep 600", until: "never" });
  await client.appears("runs");
  assert.strictEqual(await client.status(task), "working");
  await client.cancel(task);
  await bench.processesGone("sleep 600");
  await until(async () => await client.status(task) === "cancelled", 30_000, "the task to be cancelled");
}, OTHER_PAIR);

onEachWire("a leaf of a tool file that waits for a line is such a task", async (client) => {
  const task = await client.begin({ execution_mode: "AsyncResultPush" }, "serve_up");
  client.write("go");
  const { text } = await client.answer(task);
  assert.match(text, /^op_\w+ still runs after [^\n]+ It wrote:\n> up$/);
  await client.endWhatGoesOn(text);
}, ONE_PAIR);

/** Whether a text says that an operation has ended. */
function isNews(id: string | undefined, text: string): boolean {
  return new RegExp(`Ended since:\\n[^]*\\[${id} completed`).test(text);
}

onEachWire(
  "a question ends the task, `send` answers it, and `send` and `await` are called without a task",
  async (client) => {
    for (const open of [{ input: true }, { tty: true }]) {
      const task = await client.begin({ command: "printf 'Name? '; read name; echo hello $name; exit 4", ...open });
      const { text } = await client.answer(task);
      assert.match(text, /^op_\w+ waits for input: "Name\?"\. `send` types\.$/);
      const [id] = /op_\w+/.exec(text) ?? [];
      // Its end is later than the usual half second of silence on a busy machine.
      const sent = await client.call("send", { operation_id: id, text: "fish\n", until_quiet: 60 });
      assert.match(sent.text, /hello fish\n\[exit code 4, [^\n]+\]$/);
      assert.strictEqual((await client.answer(task)).text, text);
    }
  },
  CORE_STDIO,
);

onEachWire("a call that asks for the id at once ends its task with it", async (client) => {
  const task = await client.begin({
    command: `${GO}; echo bye`,
    execution_mode: "AsyncResultPush",
  });
  const { text } = await client.answer(task);
  assert.match(text, /^op_\w+ (started|still runs after [^\n]+)\. `await` returns its result\.$/);
  client.write("go");
  const [id] = /op_\w+/.exec(text) ?? [];
  assert.match((await client.call("await", { operation_id: id })).text, /^bye\n\[exit code 0, [^\n]+\]$/);
  assert.strictEqual((await client.answer(task)).text, text);
}, CORE_HTTP);

onEachWire(
  "an operation that goes on after its task is news when it ends, and the cancel of the task is refused",
  async (client) => {
    const task = await client.begin({
      command: `echo up; ${GO}; touch over`,
      until: "up",
    });
    const [id] = /op_\w+/.exec((await client.answer(task)).text) ?? [];
    const { error } = await client.cancel(task);
    assert.deepStrictEqual([error?.code, /it has ended already, its state is completed$/.test(error?.message ?? "")], [
      -32602,
      true,
    ]);
    client.write("go");
    await client.appears("over");
    const news = async () => isNews(id, (await client.call("sandboxed_shell", { command: "true" })).text);
    await until(news, 30_000, "the news of the end");
  },
  CORE_STDIO,
);

onEachWire(
  "news come with the result of a later task, and no call that becomes a task loses them",
  async (client) => {
    const { text } = await client.call("sandboxed_shell", {
      command: `${GO}; touch over`,
      execution_mode: "AsyncResultPush",
    });
    const [id] = /op_\w+/.exec(text) ?? [];
    client.write("go");
    await client.appears("over");
    const news = async () => isNews(id, (await client.answer(await client.begin({ command: "true" }))).text);
    await until(news, 30_000, "the news of the end");
  },
  CORE_HTTP,
);

testCore("X5 X6 2025-11-25: progress of a task that waits for a line ends with it", async ({ bench, server }) => {
  const seen: unknown[] = [];
  server.listen(({ method, params }) => {
    if (method === "notifications/progress") seen.push(params?.["progress"]);
    if (method === "notifications/tasks/status") seen.push(params?.["status"]);
    // The command writes its next line when the one before has come.
    if (method === "notifications/progress") bench.write(`heard-${seen.length}`, "");
  });
  const command = `echo one; ${waitFor("heard-1")}; echo two; ${waitFor("heard-2")}; echo three; ${FOR_EVER}`;
  const { result } = await server.request("tools/call", {
    name: "sandboxed_shell",
    arguments: { command, until: "three" },
    task: {},
  }, { progressToken: "p" });
  const { taskId } = result?.["task"] as { readonly taskId: string };
  assert.match(toolAnswer(await server.request("tasks/result", { taskId })).text, /\n> three$/);
  await server.notification("notifications/tasks/status", (params) => params.taskId === taskId);
  assert.deepStrictEqual(seen.slice(0, 2), [1, 2]);
  assert.strictEqual(seen.at(-1), "completed");
});

testNewest(
  "X5 2026-07-28: a subscriber to a call that is a task gets one notification, with the answer",
  async ({ bench, server }) => {
    const client = new TaskClient(server);
    const args = { ...EXTENSION.args, command: `${waitFor("heard")}; echo up; ${FOR_EVER}`, until: "up" };
    const { result } = await client.request("tools/call", { name: "sandboxed_shell", arguments: args });
    const taskId = String(result?.["taskId"]);
    const params = { notifications: { taskIds: [taskId] }, _meta: WITH_TASKS };
    await server.send({ jsonrpc: "2.0", id: "listens", method: "subscriptions/listen", params });
    await server.notification("notifications/subscriptions/acknowledged");
    bench.write("heard", "");
    const { params: task } = await server.notification("notifications/tasks");
    assert.strictEqual(task?.["status"], "completed");
    const { text } = toolAnswer({ result: task?.["result"] as object as Record<string, unknown> });
    assert.match(text, /\n> up$/);
    await client.request("tools/call", { name: "cancel", arguments: { operation_id: /op_\w+/.exec(text)?.[0] } });
    assert.deepStrictEqual(server.unclaimed.filter(({ method }) => method === "notifications/tasks"), []);
    await server.send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: "listens" } });
  },
);

testNewest(
  "X5 2026-07-28: a question, and a line that comes early, are the answer, without a task",
  async ({ server }) => {
    const client = new TaskClient(server);
    for (
      const [args, expected] of [
        [{ command: "printf 'Name? '; read name", input: true }, /^op_\w+ waits for input: "Name\?"/],
        [{ command: `echo up; ${FOR_EVER}`, until: "up" }, /\n> up$/],
      ] as const
    ) {
      const answer = await client.request("tools/call", { name: "sandboxed_shell", arguments: args });
      assert.strictEqual(answer.result?.["resultType"], "complete");
      const { text } = toolAnswer(answer);
      assert.match(text, expected);
      await client.request("tools/call", { name: "cancel", arguments: { operation_id: /op_\w+/.exec(text)?.[0] } });
    }
  },
);
