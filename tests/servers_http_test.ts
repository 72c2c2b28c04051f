/** Servers at an address behind ours, and foreign servers from npm over every transport. */
import assert from "node:assert/strict";
import { HTTP_PERMISSIONS } from "../scripts/permissions.ts";
import { HttpClient } from "./_support/clients/http_client.ts";
import { HttpServerProcess } from "./_support/servers/http_server.ts";
import { EVERYTHING, MISSING } from "./_support/servers/everything.ts";
import { freePort, listening } from "./_support/servers/listening.ts";
import { testCache } from "./_support/packages/npm_tools.ts";
import { pythonPackage } from "./_support/packages/python_packages.ts";
import type { ServerProcess } from "./_support/server_process.ts";
import { namesOf, upstreamServer, withServers, writeServers } from "./_support/servers/upstream.ts";
import { Workbench } from "./_support/workbench.ts";

/** Its tools for a client without capabilities, in order. */
const TOOLS = ["echo", "get-annotated-message", "get-env", "get-resource-links", "get-sum", "get-tiny-image"];

function withHttp(bench: Workbench, servers: Readonly<Record<string, object>>): Promise<ServerProcess> {
  return withServers(bench, servers, { permissions: HTTP_PERMISSIONS });
}

/** server-everything over HTTP; disposal ends it. */
function everythingOverHttp(transport: "streamableHttp" | "sse") {
  return listening(() => [...EVERYTHING.command, transport], (port) => ({ PORT: String(port) }));
}

/** What of server-everything works the same over every transport. */
async function tryEverything(server: ServerProcess): Promise<void> {
  const names = await namesOf(server, "all_");
  assert.deepStrictEqual(TOOLS.filter((name) => !names.includes(`all_${name}`)), []);
  assert.deepStrictEqual((await server.call("all_echo", { message: "hi" })).result, {
    content: [{ type: "text", text: "Echo: hi" }],
  });
  const image = (await server.call("all_get-tiny-image")).result["content"];
  assert.deepStrictEqual(Array.isArray(image) && image.map(({ type }) => type), ["text", "image", "text"]);
  const wrong = await server.call("all_get-sum", { a: "x" });
  assert.deepStrictEqual([wrong.isError, /invalid/i.test(wrong.text)], [true, true], wrong.text);
  const progress: unknown[] = [];
  server.listen(({ method, params }) => method === "notifications/progress" && progress.push(params?.["progress"]));
  await server.call("all_trigger-long-running-operation", { duration: 1, steps: 3 }, { progressToken: "t" });
  assert.deepStrictEqual(progress, [1, 2, 3]);
}

Deno.test({
  name: `O1 O2 server-everything from npm works over stdio, in its sandbox${MISSING}`,
  ignore: EVERYTHING.problem !== undefined,
  async fn() {
    using bench = new Workbench();
    const [command, ...args] = EVERYTHING.command;
    await using server = await withServers(bench, { all: { command, args: [...args, "stdio"] } }, {
      flags: ["--read", testCache()],
    });
    await tryEverything(server);
    const { text } = await server.call("all_get-env");
    assert.match(text, /\.local\/share\/ahma\/servers\//);
  },
});

for (const transport of ["streamableHttp", "sse"] as const) {
  Deno.test({
    name: `O1 O2 server-everything from npm works over ${transport}, found by its address alone${MISSING}`,
    ignore: EVERYTHING.problem !== undefined,
    async fn() {
      using bench = new Workbench();
      await using everything = await everythingOverHttp(transport);
      await using server = await withHttp(bench, {
        all: { url: `http://127.0.0.1:${everything.port}/${transport === "sse" ? "sse" : "mcp"}` },
      });
      await tryEverything(server);
    },
  });
}

/** Our own program as a server at an address. */
function behind(bench: Workbench, port: number): Promise<HttpServerProcess> {
  return HttpServerProcess.start(bench, { port, flags: ["--tool-prefix", "own_"] });
}

Deno.test("O2 a server at an address that was started again gets a new session, and the call works", async () => {
  using far = new Workbench();
  using bench = new Workbench();
  const port = freePort();
  const first = await behind(far, port);
  await using server = await withHttp(bench, { far: { url: first.url, includeTools: ["own_sandboxed_shell"] } });
  const say = async () => (await server.call("far_own_sandboxed_shell", { command: "echo said" })).output;
  assert.deepStrictEqual([await namesOf(server, "far_"), await say()], [["far_own_sandboxed_shell"], "said\n"]);
  await first[Symbol.asyncDispose]();
  const { text, isError } = await server.call("far_own_sandboxed_shell", { command: "echo said" });
  assert.deepStrictEqual([isError, text.includes("check before you repeat it")], [true, true], text);
  await using _second = await behind(far, port);
  assert.deepStrictEqual(await say(), "said\n");
});

Deno.test("O2 X5d a resource of a server of 2026-07-28 is read and followed by a client of 2025-11-25", async () => {
  using far = new Workbench();
  using bench = new Workbench();
  await using behindUs = await behind(far, 0);
  await using server = await withHttp(bench, { far: { url: behindUs.url } });
  await namesOf(server, "far_");
  const command = "until [ -e go ]; do sleep 0.05; done";
  const { text } = await server.call("far_own_sandboxed_shell", { command, execution_mode: "AsyncResultPush" });
  const uri = `ahma://servers/far/ahma://operations/${/op_\w+/.exec(text)?.[0]}`;
  const state = async () => {
    const [contents] = (await server.request("resources/read", { uri })).result?.["contents"] as { text: string }[];
    return JSON.parse(contents?.text ?? "{}").status;
  };
  assert.deepStrictEqual([await state(), (await server.request("resources/subscribe", { uri })).result], [
    "running",
    {},
  ]);
  far.write("go", "");
  await server.notification("notifications/resources/updated", (params) => params["uri"] === uri);
  assert.deepStrictEqual(await state(), "completed");
});

Deno.test("O6 only the arguments of a client's request reach a server at an address", async () => {
  using bench = new Workbench();
  const seen: [string, Headers][] = [];
  await using far = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, async (request) => {
    const text = await request.text();
    seen.push([text, request.headers]);
    const { id, method } = text === "" ? {} : JSON.parse(text);
    if (request.method !== "POST") return new Response(null, { status: 405 });
    if (id === undefined) return new Response(null, { status: 202 });
    const serverInfo = { name: "far", version: "1" };
    const results: Readonly<Record<string, unknown>> = {
      "initialize": { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo },
      "tools/list": { tools: [{ name: "say", inputSchema: { type: "object" } }] },
      "tools/call": { content: [{ type: "text", text: "said" }] },
    };
    const result = results[method];
    const answer = result === undefined ? { error: { code: -32601, message: "unknown" } } : { result };
    return Response.json({ jsonrpc: "2.0", id, ...answer });
  });
  const url = `http://127.0.0.1:${far.addr.port}/mcp`;
  const headers = { "X-Api-Key": "${env:KEY}" };
  const flags = ["--mcp-config", writeServers(bench, { far: { url, headers } })];
  await using server = await HttpServerProcess.start(bench, { flags, environment: { KEY: "k3y" } });
  const credentials = { authorization: "Bearer z-of-client", cookie: "c=z-of-client", "x-other": "z-of-client" };
  await using client = await HttpClient.connect(server, { headers: credentials });
  assert.deepStrictEqual((await client.call("far_say", { a: 1 })).text, "said");
  const all = seen.map(([text, sent]) => `${text} ${[...sent].join()}`).join("\n");
  assert.deepStrictEqual([all.includes("z-of-client"), all.includes('"arguments":{"a":1}')], [false, true]);
  assert.deepStrictEqual(seen.every(([, sent]) => sent.get("x-api-key") === "k3y"), seen.length > 0);
});

for (const isolated of [false, true]) {
  const how = isolated ? "of isolated sessions" : "of one process";
  Deno.test(`O6 a server ${how} that is configured behind itself calls itself once, and says so`, async () => {
    using bench = new Workbench();
    const port = freePort();
    const servers = { self: { url: `http://127.0.0.1:${port}/mcp` }, srv: upstreamServer(bench) };
    const flags = ["--mcp-config", writeServers(bench, servers), "--read", bench.scope];
    const more = isolated ? ["--session-isolation"] : [];
    await using server = await HttpServerProcess.start(bench, { port, flags: [...flags, ...more] });
    await using client = await HttpClient.connect(server, { roots: [bench.scope] });
    await client.request("tools/list");
    const { text } = await client.call("srv_echo", { text: "said" });
    const { text: status } = await client.call("status");
    const line = status.split("\n").find((one) => one.startsWith("self: ")) ?? "";
    const why = "The address is this program's own: servers may not serve each other";
    assert.deepStrictEqual([text, line.replace(/ \(next try.*/, "")], ["said\n\n", `self: failed: ${why}`]);
  });
}

Deno.test("O2 H3 an isolated session has servers of its own, in its own scope, and reaches addresses too", async () => {
  using far = new Workbench();
  using bench = new Workbench();
  await using behindUs = await behind(far, 0);
  const script = { ...upstreamServer(bench), env: { A: "1" } };
  writeServers(bench, { srv: script, far: { url: behindUs.url } });
  const flags = ["--session-isolation", "--mcp-config", "../mcp.json", "--read", bench.scope];
  await using server = await HttpServerProcess.start(bench, { flags });
  const directory = await Deno.realPath(await Deno.makeTempDir({ dir: bench.parent }));
  await using client = await HttpClient.connect(server, { roots: [directory] });
  assert.deepStrictEqual(JSON.parse((await client.call("srv_facts")).text).cwd, directory);
  assert.deepStrictEqual((await client.call("far_own_sandboxed_shell", { command: "pwd" })).output, `${far.scope}\n`);
});

const PYTHON = await pythonPackage("mcp", "1.30.0");
if (PYTHON.problem !== undefined && Deno.env.get("CI") !== undefined) throw new Error(PYTHON.problem);

Deno.test({
  name: `O1 O2 a server made with the Python SDK works over stdio${
    PYTHON.problem === undefined ? "" : ` (left out: ${PYTHON.problem})`
  }`,
  ignore: PYTHON.problem !== undefined,
  async fn() {
    using bench = new Workbench();
    const script = bench.write(
      "adds.py",
      `from mcp.server.fastmcp import Context, FastMCP
server = FastMCP("adds")
@server.tool()
async def add(a: int, b: int, context: Context) -> int:
    "Adds"
    await context.report_progress(1, 2)
    return a + b
server.run()
`,
    );
    await using server = await withServers(bench, { sum: { command: PYTHON.python, args: [script] } }, {
      flags: ["--read", testCache()],
    });
    assert.deepStrictEqual(await namesOf(server, "sum_"), ["sum_add"]);
    const added = await server.call("sum_add", { a: 2, b: 3 }, { progressToken: "p" });
    assert.deepStrictEqual([added.text, added.result["structuredContent"]], ["5", { result: 5 }]);
    await server.notification("notifications/progress", ({ progressToken, total }) => {
      return progressToken === "p" && total === 2;
    });
    const wrong = await server.call("sum_add", { a: "x" });
    assert.deepStrictEqual([wrong.isError, wrong.text.includes("validation error")], [true, true], wrong.text);
  },
});
