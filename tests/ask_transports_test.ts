/** Questions to a person over each transport, and what is left of them when a side goes away (S35). */
import assert from "node:assert/strict";
import type { ElicitResult } from "@modelcontextprotocol/client";
import { type Asking, askingFlags, choosing, CLIENT, Greeter, HOSTS, withAsking } from "./_support/clients/asking.ts";
import { connectHttpClient } from "./_support/clients/sdk_client.ts";
import { withDeadline } from "./_support/deadline.ts";
import { namesHere } from "./_support/names_here.ts";
import { type Era, ERAS } from "./_support/server_process.ts";
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
    flags: ["--session-isolation", "--sandbox-scope", bench.scope, "--sync", ...askingFlags(greeter.port)],
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

Deno.test("S35 clients that share a sandbox are not asked: the start is refused", async () => {
  using bench = new Workbench();
  await assert.rejects(
    HttpServerProcess.start(bench, { flags: askingFlags(80) }),
    /Cannot ask for network \(--ask\) where clients share one sandbox: .*--session-isolation/,
  );
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

for (const era of ERAS) {
  const how = era === "2025-11-25"
    ? "asks its client while it works, and an operation in the background later"
    : "asks before it is one, and a call that was answered leaves its questions to a terminal";
  Deno.test(`S35 X5 a call that its client takes as a task ${how}, ${era}`, async () => {
    await withAsking(choosing("this session"), async (asking) => {
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
    }, { era, flags: [] });
  });
}

Deno.test("S35 silence until the connection ends is a no: its host is not asked for again", async () => {
  await withAsking(() => new Promise<ElicitResult>(() => {}), async ({ client, connect, port, forms }) => {
    const begun = await client.callTool({
      name: "sandboxed_shell",
      arguments: { command: `python3 client.py one.example.test:${port}`, execution_mode: "AsyncResultPush" },
    });
    const [, id] = /(op_\w+)/.exec(JSON.stringify(begun.content)) ?? [];
    const options = { timeout: SILENCE_DEADLINE };
    let text = "still runs";
    while (text.includes("still runs")) {
      const { content } = await client.callTool({ name: "await", arguments: { operation_id: id } }, options);
      text = JSON.stringify(content);
    }
    assert.match(text, /was asked for, and no person allowed it\. A person can allow it: start the server/);
    assert.match(await connect("one"), /^gaierror\nSandbox: "one\.example\.test" was asked for, and no person/);
    assert.equal(forms.length, 1);
  }, { flags: [] });
});

Deno.test("S35 a cancelled command takes its question back, which is no refusal", async () => {
  const shown = Promise.withResolvers<void>();
  const answers: (ElicitResult | Promise<ElicitResult>)[] = [];
  const never = Promise.withResolvers<ElicitResult>();
  const answer = () => {
    shown.resolve();
    return answers.length++ === 0 ? never.promise : choosing("this session")("");
  };
  await withAsking(answer, async ({ client, connect, port, forms }) => {
    const begun = await client.callTool({
      name: "sandboxed_shell",
      arguments: { command: `python3 client.py one.example.test:${port}`, execution_mode: "AsyncResultPush" },
    });
    const [, id] = /(op_\w+)/.exec(JSON.stringify(begun.content)) ?? [];
    await withDeadline(shown.promise, DEADLINE, "the question");
    await client.callTool({ name: "cancel", arguments: { operation_id: id } });
    assert.match(await connect("one"), GREETED);
    assert.equal(forms.length, 2);
    never.resolve({ action: "cancel" });
  }, { flags: [] });
});

Deno.test("S35 X14 a client that disconnects during a question leaves nothing behind", async () => {
  const shown = Promise.withResolvers<void>();
  const never = Promise.withResolvers<ElicitResult>();
  const answer = () => {
    shown.resolve();
    return never.promise;
  };
  await withAsking(answer, async ({ client, server, port }) => {
    const asking = client.callTool({
      name: "sandboxed_shell",
      arguments: { command: `python3 client.py one.example.test:${port}` },
    }).catch(() => undefined);
    await withDeadline(shown.promise, DEADLINE, "the question");
    await server.closeInput();
    assert.equal((await server.exit()).code, 0);
    never.resolve({ action: "cancel" });
    await client.close();
    await asking;
  });
});
