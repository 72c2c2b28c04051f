/** What servers behind ours have beside tools: resources and templates at addresses of ours, prompts under their prefix. */
import assert from "node:assert/strict";
import type { Client } from "@modelcontextprotocol/client";
import { createMcpHandler, Server } from "@modelcontextprotocol/server";
import { until, withDeadline } from "./_support/deadline.ts";
import { EVERYTHING, MISSING } from "./_support/servers/everything.ts";
import { MODERN_META } from "./_support/json_rpc.ts";
import { testCache } from "./_support/packages/npm_tools.ts";
import { processesWith } from "./_support/processes.ts";
import { HttpServerProcess } from "./_support/servers/http_server.ts";
import { connectClient, connectHttpClient } from "./_support/clients/sdk_client.ts";
import { runProgram } from "./_support/terminal.ts";
import { type Era, ERAS } from "./_support/server_process.ts";
import { upstreamServer, withServers, writeServers } from "./_support/servers/upstream.ts";
import { Workbench } from "./_support/workbench.ts";

const SCRIPT = await Deno.readTextFile(new URL("fixtures/offering_server.py", import.meta.url));

/** Of the server without definitions. */
const TOOLS = ["cancelled", "changed", "connect", "die", "echo", "facts", "read", "steps", "wait", "write"];

const FEATURES = "ahma://servers/all/demo://resource/static/document/features.md";
const TEMPLATE = "ahma://servers/all/demo://resource/dynamic/text/{resourceId}";

/** The server of the fixture, whose lists a tool of it replaces. */
function offering(bench: Workbench): object {
  return { command: "python3", args: [bench.write("offering.py", SCRIPT)] };
}

/** How many processes of a server run for the bench. */
async function started(bench: Workbench, script: string): Promise<number> {
  return (await processesWith(bench.marker)).filter(({ command }) =>
    /^\S*python3? /.test(command) && command.includes(script)
  )
    .length;
}

/** What server-everything offers under names of ours. */
async function offersOfEverything(client: Client): Promise<void> {
  const features = async () => {
    const { resources } = await client.listResources(undefined, { cacheMode: "refresh" });
    return resources.find(({ uri }) => uri === FEATURES);
  };
  assert.deepStrictEqual(await until(features, 10_000, "the resources of the server"), {
    uri: FEATURES,
    name: "features.md",
    description: "Static document file exposed from /docs: features.md",
    mimeType: "text/markdown",
  });
  const { resourceTemplates } = await client.listResourceTemplates();
  assert.deepStrictEqual(resourceTemplates.map(({ uriTemplate }) => uriTemplate).slice(-2), [
    TEMPLATE,
    "ahma://servers/all/demo://resource/dynamic/blob/{resourceId}",
  ]);
  const uri = TEMPLATE.replace("{resourceId}", "3");
  const { contents: [read] } = await client.readResource({ uri });
  assert.deepStrictEqual([read?.uri, read?.mimeType, read && "text" in read && /^Resource 3/.test(read.text)], [
    uri,
    "text/plain",
    true,
  ]);
  const { completion } = await client.complete({
    ref: { type: "ref/resource", uri: TEMPLATE },
    argument: { name: "resourceId", value: "7" },
  });
  assert.deepStrictEqual(completion.values, ["7"]);
  const { content } = await client.callTool({ name: "all_get-resource-links", arguments: { count: 1 } });
  const link = content.find(({ type }) => type === "resource_link");
  const linked = link?.type === "resource_link" ? link.uri : "";
  assert.match(linked, /^ahma:\/\/servers\/all\/demo:\/\/resource\/dynamic\/\w+\/1$/);
  assert.deepStrictEqual((await client.readResource({ uri: linked })).contents[0]?.uri, linked);
  const prompts = (await client.listPrompts()).prompts.filter(({ name }) => name.startsWith("all_"));
  assert.deepStrictEqual(prompts.map(({ name }) => name), [
    "all_simple-prompt",
    "all_args-prompt",
    "all_completable-prompt",
    "all_resource-prompt",
  ]);
  assert.deepStrictEqual(prompts[1]?.arguments?.map(({ name, required }) => [name, required]), [
    ["city", true],
    ["state", false],
  ]);
  const { messages: [message] } = await client.getPrompt({ name: "all_args-prompt", arguments: { city: "Bern" } });
  assert.match(JSON.stringify(message), /weather in Bern/);
  const completed = await client.complete({
    ref: { type: "ref/prompt", name: "all_completable-prompt" },
    argument: { name: "name", value: "A" },
    context: { arguments: { department: "Engineering" } },
  });
  assert.deepStrictEqual(completed.completion.values, ["Alice"]);
  const wanted = { resourceType: "Text", resourceId: "1" };
  const { messages } = await client.getPrompt({ name: "all_resource-prompt", arguments: wanted });
  assert.match(JSON.stringify(messages), /"uri":"ahma:\/\/servers\/all\/demo:\/\/resource\/dynamic\/text\/1"/);
  await assert.rejects(client.getPrompt({ name: "all_args-prompt", arguments: {} }), /all: /);
  await assert.rejects(client.readResource({ uri: "ahma://servers/all/demo://none" }), /Resource not found/);
  await assert.rejects(client.readResource({ uri: "ahma://servers/none/x" }), /names no configured server/);
}

/** A stateless subscription lives as long as its stream is open. */
async function followsResource(server: HttpServerProcess, client: Client): Promise<void> {
  const uri = "ahma://servers/srv/memo://one";
  // A connection whose end is its client's alone: the runtime's fetch may keep it after the end of a stream.
  const stream = await listenRaw(server, { resourceSubscriptions: [uri] });
  const notify = async (method: string) => {
    const args = { method, params: { uri: "memo://one" } };
    const { content: [part] } = await client.callTool({ name: "srv_notify", arguments: args });
    return JSON.parse(part?.type === "text" ? part.text : "{}").subscribed;
  };
  assert.deepStrictEqual(await notify("notifications/resources/updated"), ["memo://one"]);
  await stream.hears(`"uri":"${uri}"`);
  stream.connection.close();
  await until(async () => (await notify("notifications/none")).length === 0, 10_000, "the end of the subscription");
}

Deno.test({
  name:
    `O2 C3 C4 Q2 H4 X5d resources and prompts of server-everything are listed, given, completed and linked under names of ours, and updates and log messages reach a client that asks, with a session and without${MISSING}`,
  ignore: EVERYTHING.problem !== undefined,
  async fn(t) {
    using bench = new Workbench();
    const [command, ...args] = EVERYTHING.command;
    const handler = createMcpHandler(loggingServer);
    const serve = (request: Request) => handler.fetch(request);
    await using far = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, serve);
    const servers = {
      all: { command, args: [...args, "stdio"] },
      srv: offering(bench),
      loud: { ...offering(bench), args: [bench.write("loud.py", SCRIPT)], logs: true },
      far: { url: `http://127.0.0.1:${far.addr.port}/mcp` },
    };
    const flags = ["--mcp-config", writeServers(bench, servers), "--read", testCache()];
    await using server = await HttpServerProcess.start(bench, { flags });
    for (const era of ERAS) {
      const client = await connectHttpClient(server.url, era);
      const heard: unknown[] = [];
      client.setNotificationHandler("notifications/message", ({ params }) => void heard.push(params));
      const logs = era === "2025-11-25" ? logsOfLevel : logsOfRequests;
      await t.step(`client of ${era}`, () => offersOfEverything(client));
      await t.step(`log messages, ${era}`, () => logs(client, heard));
      await t.step(`updates of a resource, ${era}`, () => updatesReach(client, era));
      if (era === "2026-07-28") await t.step("a stateless subscription", () => followsResource(server, client));
      await client.close();
    }
    await handler.close();
  },
});

/** A stream of notifications at a connection of its own, once it is acknowledged. */
async function listenRaw(server: HttpServerProcess, notifications: object) {
  const method = "subscriptions/listen";
  const body = JSON.stringify({ jsonrpc: "2.0", id: "l", method, params: { notifications, _meta: MODERN_META } });
  const connection = await Deno.connect({ hostname: "127.0.0.1", port: server.port });
  const head = [
    `POST ${new URL(server.url).pathname} HTTP/1.1`,
    `Host: 127.0.0.1:${server.port}`,
    "Content-Type: application/json",
    "Accept: application/json, text/event-stream",
    "MCP-Protocol-Version: 2026-07-28",
    `Mcp-Method: ${method}`,
    `Content-Length: ${new TextEncoder().encode(body).length}`,
  ];
  await connection.write(new TextEncoder().encode(`${head.join("\r\n")}\r\n\r\n${body}`));
  let text = "";
  const hears = async (words: string) => {
    const buffer = new Uint8Array(4096);
    while (!text.includes(words)) {
      const length = await connection.read(buffer);
      if (length === null) throw new Error(`The stream ended: ${text}`);
      text += new TextDecoder().decode(buffer.subarray(0, length));
    }
  };
  await withDeadline(hears("acknowledged"), 10_000, "the acknowledgement");
  return { connection, hears: (words: string) => withDeadline(hears(words), 10_000, words) };
}

Deno.test("O2 O6 tools, instructions, resources and prompts come from the record at the second start, and nothing is started before a call; a prompt that a server changes is withheld until a person approves it, and each change is told once; ours keep their names", async () => {
  using bench = new Workbench();
  bench.write(".ahma/prompts/srv_part.md", "Ours");
  const servers = { srv: offering(bench), up: upstreamServer(bench) };
  for (const processes of [1, 0]) {
    await using server = await withServers(bench, servers, { era: "none" });
    const client = await connectClient(server, "2025-11-25");
    // On a busy machine the first list is given before the server has answered.
    const last = async () => (await client.listResources(undefined, { cacheMode: "refresh" })).resources.at(-1);
    const one = async () => {
      const found = await last();
      return found?.uri.startsWith("ahma://servers/srv/") === true ? found : undefined;
    };
    assert.deepStrictEqual(await until(one, 10_000, "the resource of the server"), {
      uri: "ahma://servers/srv/memo://one",
      name: "one",
      description: "First",
    });
    assert.deepStrictEqual(await started(bench, "offering.py"), processes);
    const [, said] = client.getInstructions()?.split("Other servers say of their tools:\n") ?? [];
    assert.deepStrictEqual(said, processes === 0 ? "srv: Use memo first. Then rest." : undefined);
    const prompts = async () => {
      const { prompts } = await client.listPrompts(undefined, { cacheMode: "refresh" });
      return prompts.length > 1 ? prompts.slice(1) : undefined;
    };
    assert.deepStrictEqual(await until(prompts, 10_000, "the prompt of the server"), [
      { name: "srv_greet", description: "Greets", arguments: [{ name: "who", required: true }] },
    ]);
    assert.deepStrictEqual(await started(bench, "offering.py"), processes);
    const listed = async () =>
      (await client.listTools(undefined, { cacheMode: "refresh" })).tools
        .map(({ name }) => name).filter((name) => name.startsWith("up_"));
    await until(async () => (await listed()).join() === TOOLS.map((name) => `up_${name}`).join(), 10_000, "its tools");
    if (processes === 0) {
      await startsAtACall(bench, client);
      await promptsChange(bench, client);
    }
    await client.close();
  }
});

/** A server whose tools are listed from the record starts with the first call of one. */
async function startsAtACall(bench: Workbench, client: Client): Promise<void> {
  const status = async () => JSON.stringify((await client.callTool({ name: "status", arguments: {} })).content);
  assert.deepStrictEqual([await started(bench, "upstream.py"), (await status()).includes("up: cached, 10 tools")], [
    0,
    true,
  ]);
  const { content, structuredContent, _meta } = await client.callTool({
    name: "up_echo",
    arguments: { text: "hello" },
  });
  assert.deepStrictEqual({ content, structuredContent, _meta }, {
    content: [
      { type: "text", text: "hello" },
      { type: "image", data: "aGk=", mimeType: "image/png" },
      { type: "resource_link", uri: "ahma://servers/up/file:///x", name: "x" },
    ],
    structuredContent: { said: "hello" },
    _meta: { mine: 1 },
  });
  assert.deepStrictEqual([await started(bench, "upstream.py"), (await status()).includes("up: ready, 10 tools")], [
    1,
    true,
  ]);
}

/** A prompt that a server changes is withheld until a person approves it; ours keep their names. */
async function promptsChange(bench: Workbench, client: Client): Promise<void> {
  let changes = 0;
  client.setNotificationHandler("notifications/prompts/list_changed", () => void changes++);
  const names = async () =>
    (await client.listPrompts(undefined, { cacheMode: "refresh" })).prompts.map(({ name }) => name);
  // On a busy machine the first list is given before the server has answered, which is then told.
  await until(async () => (await names()).join() === "srv_part,srv_greet", 10_000, "both prompts");
  await client.callTool({ name: "srv_notify", arguments: { method: "notifications/none" } });
  changes = 0;
  const prompts = [{ name: "greet", description: "Greets\u200b all" }, { name: "part", description: "Parts" }];
  const theirs = async () => /^srv_part,(srv_part_[0-9a-f]{6})$/.exec((await names()).join())?.[1];
  const named: string[] = [];
  for (let change = 0; change < 2; change++) {
    await client.callTool({ name: "srv_set", arguments: { prompts } });
    named.push(await until(theirs, 10_000, "the new prompt"));
  }
  const [name = ""] = named;
  await until(() => changes > 0, 10_000, "the notice of the change");
  assert.deepStrictEqual([changes, named], [1, [name, name]]);
  const textOf = async (name: string) => JSON.stringify((await client.getPrompt({ name })).messages[0]?.content);
  assert.deepStrictEqual([await textOf("srv_part"), await textOf(name)], [
    '{"type":"text","text":"Ours"}',
    '{"type":"text","text":"Hello ?"}',
  ]);
  await assert.rejects(client.getPrompt({ name: "srv_greet" }), /changed its definition.*servers approve srv/);
  const flags = ["--mcp-config", `${bench.parent}/mcp.json`];
  const run = async (...args: readonly string[]) => (await runProgram(bench, ["servers", ...args, ...flags])).stdout;
  assert.match(await run("diff", "srv"), /^srv prompt greet: changed\n.*- "Greets"\n.*\+ "Greets\\u200b all"$/ms);
  assert.match(await run("approve", "srv", "prompt greet"), /^srv: 1 definition approved: prompt greet$/m);
  await until(async () => (await names()).length === 3, 10_000, "the approved prompt");
  const { prompts: [, greet] } = await client.listPrompts();
  assert.deepStrictEqual(greet, { name: "srv_greet", description: "Greets all" });
}

/** Updates of a resource, and changes of the list. */
async function updatesReach(client: Client, era: Era): Promise<void> {
  const uris = async () => {
    const { resources } = await client.listResources(undefined, { cacheMode: "refresh" });
    return resources.map(({ uri }) => uri).filter((uri) => uri.startsWith("ahma://servers/srv/"));
  };
  const offer = async (names: readonly string[]) => {
    const resources = names.map((name) => ({ uri: `memo://${name}`, name, description: "First" }));
    await client.callTool({ name: "srv_set", arguments: { resources } });
  };
  await offer(["one"]);
  await until(async () => (await uris()).join() === "ahma://servers/srv/memo://one", 10_000, "the resource");
  const heard: string[] = [];
  client.setNotificationHandler("notifications/resources/updated", ({ params }) => void heard.push(params.uri));
  let changes = 0;
  client.setNotificationHandler("notifications/resources/list_changed", () => void changes++);
  const [uri] = ["ahma://servers/srv/memo://one"];
  const subscription = era === "2026-07-28"
    ? await client.listen({ resourceSubscriptions: [uri], resourcesListChanged: true })
    : undefined;
  if (subscription === undefined) await client.subscribeResource({ uri });
  const tell = async (args: object) => {
    const { content: [part] } = await client.callTool({ name: "srv_notify", arguments: { ...args } });
    return JSON.parse(part?.type === "text" ? part.text : "{}");
  };
  const updated = (theirs: string) => tell({ method: "notifications/resources/updated", params: { uri: theirs } });
  assert.deepStrictEqual((await updated("memo://one")).subscribed, ["memo://one"]);
  await updated("memo://other");
  await until(() => Promise.resolve(heard.length > 0), 10_000, "the update");
  assert.deepStrictEqual(heard, [uri]);
  await offer(["one", "two"]);
  await until(async () => (await uris()).length === 2, 10_000, "the new resource");
  await until(() => changes > 0, 10_000, "the notice of the change");
  if (subscription === undefined) await client.unsubscribeResource({ uri });
  else await subscription.close();
  await until(async () => (await tell({ method: "notifications/none" })).subscribed.length === 0, 10_000, "the end");
}

/** A message for the log, as a server of the fixture sends it. */
function logged(level: string, data: unknown): object {
  return { method: "notifications/message", params: { level, logger: "db", data } };
}

/** A server of 2026-07-28, which writes to the log what its caller asked for. */
function loggingServer(): Server {
  const server = new Server({ name: "modern", version: "1" }, { capabilities: { tools: {}, logging: {} } });
  server.setRequestHandler("tools/list", () => ({ tools: [{ name: "work", inputSchema: { type: "object" } }] }));
  server.setRequestHandler("tools/call", async (_, { mcpReq }) => {
    for (const level of ["info", "error"] as const) await mcpReq.log(level, `a message of ${level}`, "db");
    return { content: [] };
  });
  return server;
}

/** Log messages of servers reach a client that asks for their level once, with the server's name. */
async function logsOfLevel(client: Client, heard: readonly unknown[]): Promise<void> {
  const notify = async (name: string, args: object) => {
    const { content: [part] } = await client.callTool({ name: `${name}_notify`, arguments: { ...args } });
    return JSON.parse(part?.type === "text" ? part.text : "{}");
  };
  const work = { name: "far_work", arguments: {} };
  await notify("srv", logged("error", "unheard"));
  await notify("loud", logged("info", "at once"));
  await client.callTool(work);
  await client.setLoggingLevel("warning");
  assert.deepStrictEqual((await notify("srv", logged("info", "too low"))).levels, ["warning"]);
  await notify("srv", logged("error", { text: "a\u200bb" }));
  await client.callTool(work);
  assert.deepStrictEqual(heard, [
    { level: "info", logger: "loud/db", data: "at once" },
    { level: "error", logger: "srv/db", data: { text: "ab" } },
    { level: "error", logger: "far/db", data: "a message of error" },
  ]);
}

/** The same of a client that names the level in each request. */
async function logsOfRequests(client: Client, heard: readonly unknown[]): Promise<void> {
  for (const level of [undefined, "warning"] as const) {
    const meta = level === undefined ? {} : { _meta: { "io.modelcontextprotocol/logLevel": level } };
    await client.callTool({ name: "srv_notify", arguments: { ...logged("error", `to ${level}`) }, ...meta });
    await client.callTool({ name: "far_work", arguments: {}, ...meta });
  }
  assert.deepStrictEqual(heard, [
    { level: "error", logger: "srv/db", data: "to warning" },
    { level: "error", logger: "far/db", data: "a message of error" },
  ]);
}
