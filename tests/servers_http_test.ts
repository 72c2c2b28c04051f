/** Servers at an address behind ours, and foreign servers from npm. */
import assert from "node:assert/strict";
import { HTTP_PERMISSIONS } from "../scripts/permissions.ts";
import { HttpClient } from "./_support/clients/http_client.ts";
import { HttpServerProcess } from "./_support/servers/http_server.ts";
import { EVERYTHING, MISSING } from "./_support/servers/everything.ts";
import { freePort, listening } from "./_support/servers/listening.ts";
import type { ServerProcess } from "./_support/server_process.ts";
import { namesOf, upstreamServer, withServers, writeServers } from "./_support/servers/upstream.ts";
import { Workbench } from "./_support/workbench.ts";

/** Its tools for a client without capabilities, in order. */
const TOOLS = ["echo", "get-annotated-message", "get-env", "get-resource-links", "get-sum", "get-tiny-image"];

/** server-everything over HTTP; disposal ends it. */
function everythingOverHttp(transport: "streamableHttp" | "sse") {
  return listening(() => [...EVERYTHING.command, transport], (port) => ({ PORT: String(port) }));
}

/** What of server-everything works the same over every transport of HTTP; servers_offers_test.ts has it over stdio. */
async function tryEverything(server: ServerProcess, prefix: string): Promise<void> {
  const names = await namesOf(server, prefix);
  assert.deepStrictEqual(TOOLS.filter((name) => !names.includes(`${prefix}${name}`)), []);
  assert.deepStrictEqual((await server.call(`${prefix}echo`, { message: "hi" })).result, {
    content: [{ type: "text", text: "Echo: hi" }],
  });
  const image = (await server.call(`${prefix}get-tiny-image`)).result["content"];
  assert.deepStrictEqual(Array.isArray(image) && image.map(({ type }) => type), ["text", "image", "text"]);
  const wrong = await server.call(`${prefix}get-sum`, { a: "x" });
  assert.deepStrictEqual([wrong.isError, /invalid/i.test(wrong.text)], [true, true], wrong.text);
  const progress: unknown[] = [];
  server.listen(({ method, params }) => {
    if (method === "notifications/progress" && params?.["progressToken"] === prefix) progress.push(params["progress"]);
  });
  await server.call(`${prefix}trigger-long-running-operation`, { duration: 1, steps: 3 }, { progressToken: prefix });
  assert.deepStrictEqual(progress, [1, 2, 3]);
}

/** Our own program as a server at an address. */
function behind(bench: Workbench, port: number): Promise<HttpServerProcess> {
  return HttpServerProcess.start(bench, { port, flags: ["--tool-prefix", "own_"] });
}

/** `far` is where the server of 2026-07-28 works. */
async function followResource(server: ServerProcess, far: Workbench): Promise<void> {
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
}

/** Its next start gets a new session. */
async function startsAgain(server: ServerProcess, far: Workbench, first: HttpServerProcess): Promise<void> {
  const say = async () => (await server.call("far_own_sandboxed_shell", { command: "echo said" })).output;
  assert.deepStrictEqual([await namesOf(server, "far_"), await say()], [["far_own_sandboxed_shell"], "said\n"]);
  await followResource(server, far);
  await first[Symbol.asyncDispose]();
  const { text, isError } = await server.call("far_own_sandboxed_shell", { command: "echo said" });
  assert.deepStrictEqual([isError, text.includes("check before you repeat it")], [true, true], text);
  await using _second = await behind(far, first.port);
  assert.deepStrictEqual(await say(), "said\n");
}

Deno.test({
  name:
    `O1 O2 X5d servers at addresses: those of npm work, a client of 2025-11-25 follows a resource, and the next start of a server gets a new session${MISSING}`,
  ignore: MISSING !== "",
  async fn(t) {
    using far = new Workbench();
    using bench = new Workbench();
    const first = await behind(far, freePort());
    await using web = await everythingOverHttp("streamableHttp");
    await using sse = await everythingOverHttp("sse");
    const servers = {
      web: { url: `http://127.0.0.1:${web.port}/mcp` },
      sse: { url: `http://127.0.0.1:${sse.port}/sse` },
      far: { url: first.url, includeTools: ["own_sandboxed_shell"] },
    };
    await using server = await withServers(bench, servers, { permissions: HTTP_PERMISSIONS });
    for (const name of ["web", "sse"]) await t.step(name, () => tryEverything(server, `${name}_`));
    await t.step("a server that starts again", () => startsAgain(server, far, first));
  },
});

/** A server at an address, which notes what it receives. */
function sayingServer(seen: [string, Headers][]) {
  return Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, async (request) => {
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
}

/** What the program says of a server that is itself. */
async function assertCallsItselfOnce(client: HttpClient): Promise<void> {
  await client.request("tools/list");
  const { text } = await client.call("srv_echo", { text: "said" });
  const { text: status } = await client.call("status");
  const line = status.split("\n").find((one) => one.startsWith("self: ")) ?? "";
  const why = "The address is this program's own: servers may not serve each other";
  assert.deepStrictEqual([text, line.replace(/ \(next try.*/, "")], ["said\n\n", `self: failed: ${why}`]);
}

Deno.test("O6 only the arguments of a client's request reach a server at an address, and the program calls itself once", async () => {
  using bench = new Workbench();
  const seen: [string, Headers][] = [];
  await using far = sayingServer(seen);
  const port = freePort();
  const servers = {
    far: { url: `http://127.0.0.1:${far.addr.port}/mcp`, headers: { "X-Api-Key": "${env:KEY}" } },
    self: { url: `http://127.0.0.1:${port}/mcp` },
    srv: upstreamServer(bench),
  };
  const flags = ["--mcp-config", writeServers(bench, servers), "--read", bench.scope];
  await using server = await HttpServerProcess.start(bench, { port, flags, environment: { KEY: "k3y" } });
  const credentials = { authorization: "Bearer z-of-client", cookie: "c=z-of-client", "x-other": "z-of-client" };
  await using client = await HttpClient.connect(server, { headers: credentials, roots: [bench.scope] });
  assert.deepStrictEqual((await client.call("far_say", { a: 1 })).text, "said");
  const all = seen.map(([text, sent]) => `${text} ${[...sent].join()}`).join("\n");
  assert.deepStrictEqual([all.includes("z-of-client"), all.includes('"arguments":{"a":1}')], [false, true]);
  assert.deepStrictEqual(seen.every(([, sent]) => sent.get("x-api-key") === "k3y"), seen.length > 0);
  await assertCallsItselfOnce(client);
});

Deno.test("O2 O6 H3 an isolated session has servers of its own, in its own scope, reaches addresses, and calls itself once", async () => {
  using bench = new Workbench();
  await using far = sayingServer([]);
  const port = freePort();
  writeServers(bench, {
    srv: { ...upstreamServer(bench), env: { A: "1" } },
    far: { url: `http://127.0.0.1:${far.addr.port}/mcp` },
    self: { url: `http://127.0.0.1:${port}/mcp` },
  });
  const flags = ["--session-isolation", "--max-sessions", "1", "--mcp-config", "../mcp.json", "--read", bench.scope];
  await using server = await HttpServerProcess.start(bench, { port, flags });
  const directory = await Deno.realPath(await Deno.makeTempDir({ dir: bench.parent }));
  await using client = await HttpClient.connect(server, { roots: [directory] });
  await assertCallsItselfOnce(client);
  assert.deepStrictEqual(JSON.parse((await client.call("srv_facts")).text).cwd, directory);
  assert.deepStrictEqual((await client.call("far_say")).text, "said");
});
