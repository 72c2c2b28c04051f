/** Questions to a person over each transport, and what is left of them when a side goes away (S35). */
import assert from "node:assert/strict";
import type { ElicitResult } from "@modelcontextprotocol/client";
import {
  type Answer,
  type Asking,
  askingFlags,
  choosing,
  CLIENT,
  Greeter,
  HOSTS,
  withAsking,
} from "./_support/clients/asking.ts";
import { connectHttpClient } from "./_support/clients/sdk_client.ts";
import { withDeadline } from "./_support/deadline.ts";
import { namesHere } from "./_support/names_here.ts";
import type { Era } from "./_support/server_process.ts";
import { HttpServerProcess } from "./_support/servers/http_server.ts";
import { Workbench } from "./_support/workbench.ts";
import { ANYTHING } from "../src/service/sdk/wrong_parameters.ts";
import { member } from "../src/wire/json_value.ts";

const DEADLINE = 20_000;
/** A form waits for most of a minute. */
const SILENCE_DEADLINE = 300_000;
const GREETED = /^(?:\[a person is asked: connect to one\.example\.test:\d+\?\]\n)?HTTP\/1\.1 400/;

Deno.test("S35 H3 isolated sessions are asked and answered separately, and clients without a session are not asked", async () => {
  using bench = new Workbench();
  bench.write("client.py", CLIENT);
  await using greeter = new Greeter();
  await using server = await HttpServerProcess.start(bench, {
    flags: [
      "--session-isolation",
      "--max-sessions",
      "2",
      "--sandbox-scope",
      bench.scope,
      "--sync",
      ...askingFlags(greeter.port),
    ],
    prefix: namesHere(bench, HOSTS.join(" ")),
  });
  const forms: string[] = [];
  const connectTo = async (answer: string, era: Era) => {
    const client = await connectHttpClient(server.url, era, {
      capabilities: { elicitation: {} },
      onElicit: (params) => {
        forms.push(answer);
        return choosing(answer)(String(params["message"]));
      },
    });
    const connect = async () => {
      const command = `python3 client.py one.example.test:${greeter.port}`;
      const { content } = await client.callTool({ name: "sandboxed_shell", arguments: { command } });
      return content.map((part) => part.type === "text" ? part.text : "").join("\n");
    };
    return { connect, close: () => client.close() };
  };
  const yes = await connectTo("this session", "2025-11-25");
  const no = await connectTo("no", "2025-11-25");
  const without = await connectTo("this session", "2026-07-28");
  assert.match(await yes.connect(), GREETED);
  assert.match(await yes.connect(), GREETED);
  assert.match(await no.connect(), /was refused by the person who was asked/);
  assert.match(await yes.connect(), GREETED);
  assert.match(await without.connect(), /start the server with --network \.\.\.,one/);
  assert.deepStrictEqual(forms, ["this session", "no"]);
  await Promise.all([yes, no, without].map((one) => one.close()));
});

/** Connects from an operation whose call has its answer by then, and gives the operation's result as JSON. */
async function connectLater({ client, bench, port }: Asking): Promise<string> {
  const command = `until [ -e go ]; do sleep 0.02; done; python3 client.py one.example.test:${port}`;
  const begun = await client.callTool({
    name: "sandboxed_shell",
    arguments: { command, execution_mode: "AsyncResultPush" },
  });
  bench.write("go", "\n");
  const [, id] = /(op_\w+)/.exec(JSON.stringify(begun.content)) ?? [];
  const ended = await client.callTool({ name: "await", arguments: { operation_id: id } });
  return JSON.stringify(ended.content);
}

/** In each era: a call that its client takes as a task, or would if it were one. */
async function provesTask(asking: Asking, era: Era): Promise<void> {
  const { client, port, forms } = asking;
  const request = async (method: string, params: Readonly<Record<string, unknown>>) =>
    await client.request({ method, params: { ...params } }, ANYTHING);
  const call = {
    name: "sandboxed_shell",
    arguments: { command: `sleep 1; python3 client.py two.example.test:${port}` },
  };
  const extensions = { "io.modelcontextprotocol/tasks": {} };
  const answer = era === "2025-11-25"
    ? await request("tools/call", { ...call, task: { ttl: 60_000 } })
    : await request("tools/call", {
      ...call,
      _meta: { "io.modelcontextprotocol/clientCapabilities": { elicitation: {}, extensions } },
    });
  const taskId = member(member(answer, "task"), "taskId");
  assert.equal(typeof taskId, era === "2025-11-25" ? "string" : "undefined");
  const result = taskId === undefined ? answer : await request("tasks/result", { taskId });
  assert.match(JSON.stringify(result), /\[a person is asked: [^\]]*\]\\nHTTP\/1\.1 400/);
  assert.equal(forms.length, 1);
  const later = await connectLater(asking);
  assert.match(later, era === "2025-11-25" ? /HTTP\/1\.1 400/ : /ahma_mcp grants allow q_\w+/);
  assert.equal(forms.length, era === "2025-11-25" ? 2 : 1);
}

Deno.test("S35 X5 a call that its client takes as a task asks before it is one, and a call that was answered leaves its questions to a terminal, 2026-07-28", () =>
  withAsking(choosing("this session"), (asking) => provesTask(asking, "2026-07-28"), {
    era: "2026-07-28",
    flags: [],
  }));

Deno.test("S35 X5 X14 questions of tasks, of a cancelled command, without an answer, and of a client that disconnects, 2025-11-25", async (test) => {
  const [cancelled, left] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const never = Promise.withResolvers<ElicitResult>();
  const unanswered = (shown: PromiseWithResolvers<void>) => {
    shown.resolve();
    return never.promise;
  };
  let times = 0;
  const answer: Answer = (message) => {
    if (message.includes(" to four.")) return new Promise<ElicitResult>(() => {});
    if (message.includes(" to five.")) return unanswered(left);
    if (message.includes(" to three.") && times++ === 0) return unanswered(cancelled);
    return choosing("this session")(message);
  };
  await withAsking(answer, async (asking) => {
    await test.step("a call that its client takes as a task asks its client while it works, and an operation in the background later", () =>
      provesTask(asking, "2025-11-25"));
    await test.step("a cancelled command takes its question back, which is no refusal", () =>
      provesCancelled(asking, cancelled.promise));
    await test.step("silence until the connection ends is a no: its host is not asked for again", () =>
      provesSilence(asking));
    await test.step("a client that disconnects during a question leaves nothing behind", () =>
      provesLeft(asking, left.promise, () => never.resolve({ action: "cancel" })));
  }, { flags: [] });
});

/** Begins to connect in the background; gives the operation's id. */
async function beginTo({ client, port }: Asking, host: string): Promise<string | undefined> {
  const begun = await client.callTool({
    name: "sandboxed_shell",
    arguments: { command: `python3 client.py ${host}.example.test:${port}`, execution_mode: "AsyncResultPush" },
  });
  return /(op_\w+)/.exec(JSON.stringify(begun.content))?.[1];
}

async function provesCancelled(asking: Asking, shown: Promise<void>): Promise<void> {
  const { client, connect, forms } = asking;
  const before = forms.length;
  const id = await beginTo(asking, "three");
  await withDeadline(shown, DEADLINE, "the question");
  await client.callTool({ name: "cancel", arguments: { operation_id: id } });
  assert.match(await connect("three"), GREETED);
  assert.equal(forms.length, before + 2);
}

async function provesSilence(asking: Asking): Promise<void> {
  const { client, connect, forms } = asking;
  const before = forms.length;
  const id = await beginTo(asking, "four");
  const options = { timeout: SILENCE_DEADLINE };
  let text = "still runs";
  while (text.includes("still runs")) {
    const { content } = await client.callTool({ name: "await", arguments: { operation_id: id } }, options);
    text = JSON.stringify(content);
  }
  assert.match(text, /was asked for, and no person allowed it\. A person can allow it: start the server/);
  assert.match(await connect("four"), /^gaierror\nSandbox: "four\.example\.test" was asked for, and no person/);
  assert.equal(forms.length, before + 1);
}

async function provesLeft({ client, server, connect }: Asking, shown: Promise<void>, end: () => void): Promise<void> {
  const asking = connect("five").catch(() => undefined);
  await withDeadline(shown, DEADLINE, "the question");
  await server.closeInput();
  assert.equal((await server.exit()).code, 0);
  end();
  await client.close();
  await asking;
}
