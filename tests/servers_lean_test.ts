/** `--lean`: two tools stand for the tools of other servers, and for those of tool files where that is asked for. */
import assert from "node:assert/strict";
import { connectClient } from "./_support/clients/sdk_client.ts";
import { until } from "./_support/deadline.ts";
import { ServerProcess } from "./_support/server_process.ts";
import { sharing } from "./_support/sharing.ts";
import { runProgram } from "./_support/terminal.ts";
import { upstreamServer, withServers } from "./_support/servers/upstream.ts";
import { Workbench } from "./_support/workbench.ts";

const BUILT_IN = ["await", "cancel", "sandboxed_shell", "send", "status"];
const LEAN = ["find_tools", "call_tool"];
const TEXT = { type: "object", properties: { text: { type: "string" } } };
const TITLE = {
  type: "object",
  properties: { body: { type: "string" }, title: { type: "string" } },
  required: ["title"],
};

/** A server with 200 tools, some of which the fixture knows. */
function manyTools(bench: Workbench): object {
  const objects = [
    "issue",
    "issue_comment",
    "pull_request",
    "branch",
    "release",
    "label",
    "file",
    "page",
    "user",
    "key",
  ];
  const verbs = ["create", "list", "get", "update", "delete", "search", "close", "lock", "copy", "move"];
  const crossed = verbs.flatMap((verb) =>
    objects.map((object) => ({
      name: `${verb}_${object}`,
      description: `Does ${verb} for one ${object.replace("_", " ")}. An issue may name it.`,
      inputSchema: { $schema: "http://json-schema.org/draft-07/schema#", ...TITLE },
      ...["get", "list"].includes(verb) && { annotations: { readOnlyHint: true } },
      ...verb === "delete" && { annotations: { destructiveHint: true } },
    }))
  );
  const known = ["echo", "steps", "wait", "cancelled"].map((name) => ({ name, inputSchema: TEXT }));
  const others = Array.from({ length: 200 - crossed.length - known.length }, (_, number) => ({
    name: `other_${number}`,
    description: `Creates thing ${number}, or an issue about it.`,
    inputSchema: TEXT,
  }));
  bench.write("definitions.json", JSON.stringify([...others, ...known, ...crossed]));
  return upstreamServer(bench, { cwd: bench.scope });
}

/** The first text of a result. */
function textOf(result: { readonly content?: unknown }): string {
  const [first] = result.content as readonly { readonly text: string }[]; // the SDK's client has checked it
  return first?.text ?? "";
}

/** One with many tools, one whose calls become operations, and one that changes a tool. */
function servers(bench: Workbench): Readonly<Record<string, object>> {
  define(bench, tool("changed", "Tells"), tool("echo", "Says"));
  return {
    srv: manyTools(bench),
    slow: upstreamServer(bench, { waitMs: 0, includeTools: ["wait"], env: { A: "1" } }),
    held: upstreamServer(bench, { cwd: `${bench.scope}/held` }),
  };
}

function tool(name: string, description: string): object {
  return { name, description, inputSchema: TEXT };
}

/** What `held` says from now on. */
function define(bench: Workbench, ...tools: readonly object[]): void {
  bench.write("held/definitions.json", JSON.stringify(tools));
}

const test = sharing(async (bench) => {
  const server = await withServers(bench, servers(bench), { flags: ["--lean"] });
  const areKnown = async () => !(await server.call("find_tools", {})).text.includes("Not known yet");
  await until(areKnown, 10_000, "the tools of the server");
  return server;
});

test("O6 --lean adds two tools for 203, the same in every session and version, which find and call them", async ({ server: older }) => {
  using bench = new Workbench();
  await using server = await withServers(bench, servers(bench), { flags: ["--lean"], era: "none" });
  const client = await connectClient(server, "2026-07-28");
  const find = async () => {
    const found = await client.callTool({ name: "find_tools", arguments: { query: "create issue", limit: 2 } });
    return textOf(found).includes("Not known yet") ? undefined : textOf(found);
  };
  const { tools } = await client.listTools();
  assert.deepStrictEqual((await until(find, 10_000, "the tools of the server")).split("\n"), [
    "srv_create_issue: Does create for one issue.",
    JSON.stringify(TITLE),
    "srv_create_issue_comment: Does create for one issue comment.",
    JSON.stringify(TITLE),
    "... 194 more",
  ]);
  const call = { name: "srv_create_issue", arguments: { title: "one" } };
  assert.deepStrictEqual(textOf(await client.callTool({ name: "call_tool", arguments: call })), "created one");
  const { result } = await older.request("tools/list");
  const lists = [tools, (await client.listTools()).tools, result?.["tools"] as typeof tools]; // the answer to tools/list
  for (const list of lists) {
    assert.deepStrictEqual(list.map(({ name }) => name), [...BUILT_IN, ...LEAN]);
    assert.deepStrictEqual(lean(list), lean(tools));
  }
  await client.close();
});

/** The two tools, without what only one version has. */
function lean(list: readonly { readonly name: string; readonly execution?: unknown }[]): readonly object[] {
  return list.filter(({ name }) => LEAN.includes(name)).map(({ execution: _, ...tool }) => tool);
}

test("O6 find_tools shows hints, arguments and whole definitions in few bytes, and names a wrong word", async ({ server }) => {
  const find = async (args: object) => (await server.call("find_tools", args)).text;
  assert.deepStrictEqual((await find({ query: "label" })).split("\n").filter((line) => !line.startsWith("{")), [
    "srv_close_label: Does close for one label.",
    "srv_copy_label: Does copy for one label.",
    "srv_create_label: Does create for one label.",
    "srv_delete_label(title, body?) [destructive]: Does delete for one label.",
    "srv_get_label(title, body?) [read-only]: Does get for one label.",
    "... 5 more",
  ]);
  assert.deepStrictEqual(
    await find({ query: "srv_get_key srv_echo" }),
    [
      "srv_get_key [read-only]: Does get for one key. An issue may name it.",
      JSON.stringify(TITLE),
      "srv_echo",
      JSON.stringify(TEXT),
    ].join("\n"),
  );
  const all = await find({});
  assert.deepStrictEqual([all.split(", ").length, all.includes("srv_create_issue, ")], [203, true]);
  assert.deepStrictEqual(await find({ query: "labell" }), await find({ query: "label" }));
  assert.deepStrictEqual(
    await find({ query: "isue" }),
    'None of 203 tools has a word of "isue"; did you mean "issue"?',
  );
  assert.ok((await find({ query: "create an issue" })).length < 1_000, "an answer is short");
});

test("O6 call_tool answers wrong calls as direct calls are, and calls no listed tool", async ({ server }) => {
  const attempts = [
    [{}, 'Cannot run "call_tool": argument "name" is missing: The tool\'s name'],
    [{ name: "srv_create_isue" }, 'Unknown tool "srv_create_isue"; did you mean "srv_create_issue"?'],
    [{ name: "zzz" }, 'Unknown tool "zzz"; `find_tools` finds tools'],
    [
      { name: "sandboxed_shell", arguments: { command: "true" } },
      'Tool "sandboxed_shell" is listed: it is called by its own name',
    ],
    [{ name: "call_tool", arguments: {} }, 'Tool "call_tool" is listed: it is called by its own name'],
    [{ name: "srv_echo", arguments: 5 }, 'Cannot run "call_tool": argument "arguments" is 5, expected an object'],
    [
      { name: "srv_echo", arguments: "[1]" },
      'Cannot run "call_tool": argument "arguments" is "[1]", expected an object',
    ],
    [
      { name: "srv_echo", text: "x" },
      'Cannot run "call_tool": argument "text" does not exist (arguments: name, arguments)',
    ],
  ] as const;
  const deep = `{"a":${"[".repeat(10_000)}${"]".repeat(10_000)}}`;
  const tooDeep = await server.call("call_tool", { name: "srv_echo", arguments: deep });
  assert.match(tooDeep.text, /^Cannot run "call_tool": argument "arguments" is .*, expected an object$/);
  for (const [args, expected] of attempts) {
    const { text, isError } = await server.call("call_tool", args);
    assert.deepStrictEqual([text, isError], [expected, true]);
  }
});

test("O6 O2 results, progress and the cancel of a request go through call_tool unchanged", async ({ bench, server }) => {
  const args = { name: "srv_echo", arguments: { text: "hello" } };
  assert.deepStrictEqual(
    (await server.call("call_tool", args)).result,
    (await server.call("srv_echo", args.arguments)).result,
  );
  const heard: unknown[] = [];
  server.listen(({ method, params }) =>
    method === "notifications/progress" && params?.["progressToken"] === "mine" && heard.push(params)
  );
  await server.call("call_tool", { name: "srv_steps" }, { progressToken: "mine" });
  assert.deepStrictEqual(
    heard,
    [1, 2, 3, 4].map((progress) => ({ progressToken: "mine", progress, total: 4, message: "step" })),
  );
  const cancelled = async () => Number((await server.call("srv_cancelled")).text);
  const before = await cancelled();
  const wait = { name: "srv_wait", arguments: { text: `${bench.scope}/never` } };
  const params = { name: "call_tool", arguments: wait, _meta: { progressToken: "begun" } };
  await server.send({ jsonrpc: "2.0", id: "gone", method: "tools/call", params });
  await server.notification("notifications/progress", ({ progressToken }) => progressToken === "begun");
  await server.send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: "gone" } });
  await until(async () => await cancelled() === before + 1, 10_000, "the cancel at the server");
});

test("O6 X1 X5a a slow call through call_tool becomes an operation, or a task", async ({ bench, server }) => {
  const waited = [{ type: "text", text: "waited" }, { type: "image", data: "aGk=", mimeType: "image/png" }];
  const slow = (file: string) => ({ name: "slow_wait", arguments: { text: `${bench.scope}/${file}` } });
  const { operation } = await server.call("call_tool", slow("go"));
  assert.deepStrictEqual(operation?.tool, "slow_wait");
  bench.write("go", "");
  const { result } = await server.call("await", { operation_id: operation.operation_id });
  assert.deepStrictEqual(result["content"], waited);
  const params = { name: "call_tool", arguments: slow("task"), task: { ttl: 60_000 } };
  const { taskId } = (await server.request("tools/call", params)).result?.["task"] as { readonly taskId: string };
  bench.write("task", "");
  assert.deepStrictEqual((await server.request("tasks/result", { taskId })).result?.["content"], waited);
  const refused = await server.request("tools/call", { name: "find_tools", arguments: {}, task: { ttl: 60_000 } });
  assert.deepStrictEqual(refused.error?.code, -32601);
});

Deno.test("O6 --lean-tool-files hides tool files and bundles, and doctor counts what is listed", async () => {
  using bench = new Workbench();
  const who = { name: "who", type: "string", description: "The person", required: true };
  const hello = { name: "hello", description: "Says hello.", synchronous: true, options: [who] };
  const greet = { name: "greet", description: "Greets one person.", command: "echo", subcommand: [hello] };
  bench.write(".ahma/tools/greet.json", JSON.stringify(greet));
  const ghost = { name: "ghost", description: "Is not there.", command: "no-such-program-at-all" };
  bench.write(".ahma/tools/ghost.json", JSON.stringify(ghost));
  const flags = ["--lean-tool-files", "--bundles", "file-tools", "--tool-prefix", "greet_"];
  await using server = await ServerProcess.start(bench, { flags });
  const { result } = await server.request("tools/list");
  const tools = result?.["tools"] as readonly {
    readonly name: string;
    readonly description: string;
    readonly execution?: object;
  }[];
  assert.deepStrictEqual(tools.map(({ name }) => name), [...BUILT_IN, ...LEAN].map((name) => `greet_${name}`));
  assert.match(tools[5]?.description ?? "", /not listed, of: file-tools, the project's tool files\./);
  assert.match(
    (await server.call("greet_find_tools", { query: "greeting hello" })).text,
    /^greet_hello: Says hello\.$/m,
  );
  const say = async (args: object) =>
    (await server.call("greet_call_tool", { name: "greet_hello", arguments: args })).output;
  assert.deepStrictEqual(await say({ who: "you" }), "hello --who you\n");
  const prefixed = { name: "greet_greet_hello", arguments: JSON.stringify({ who: "me" }) };
  assert.deepStrictEqual((await server.call("greet_call_tool", prefixed)).output, "hello --who me\n");
  const whole = (await server.call("greet_find_tools", { query: "greet_greet_hello" })).text;
  assert.deepStrictEqual(whole, (await server.call("greet_find_tools", { query: "greet_hello" })).text);
  const wrong = await say({ whoo: "you" });
  assert.deepStrictEqual(wrong, (await server.call("greet_greet_hello", { whoo: "you" })).text);
  assert.match(wrong, /Argument "whoo" is unknown; did you mean "who"/);
  const missing = (await server.call("greet_call_tool", { name: "ghost" })).text;
  assert.match(missing, /^Tool "ghost" is not available: .*no-such-program-at-all/);
  const { stdout } = await runProgram(bench, ["doctor", "--json", ...flags]);
  const { checks } = JSON.parse(stdout) as { readonly checks: readonly { id: string; message: string }[] };
  const listed = tools.map(({ execution: _, ...tool }) => tool);
  const bytes = new TextEncoder().encode(JSON.stringify({ tools: listed })).length;
  assert.deepStrictEqual(checks.find(({ id }) => id === "tools_list")?.message, `7 tools, ${bytes} bytes`);
});

test("O6 call_tool does not call what is withheld, and find_tools does not find it, with the reason and the way out", async ({ bench, server }) => {
  const find = async () => (await server.call("find_tools", { query: "held_changed held_echo" })).text;
  const call = (name: string, args: object) => server.call("call_tool", { name, arguments: args });
  assert.match(await find(), /^held_echo: Says$/m);
  assert.deepStrictEqual((await call("held_echo", { text: "x" })).text, "x\n\n");
  define(bench, tool("changed", "Tells"), tool("echo", "Says all"));
  await call("held_changed", {});
  await until(async () => !(await find()).includes("held_echo"), 20_000, "the tool to be withheld");
  assert.match(await find(), /^held_changed: Tells$/m);
  const { isError, text } = await call("held_echo", { text: "x" });
  const reason = "the server changed its definition since it was approved. " +
    'A person reads "ahma_mcp servers diff held" and then runs "ahma_mcp servers approve held"';
  assert.deepStrictEqual([isError, text], [true, `Tool "held_echo" is not available: ${reason}`]);
});
