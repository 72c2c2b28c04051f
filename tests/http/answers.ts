/** What HTTP adds to the wire: status codes, headers, sessions and streams. */
import assert from "node:assert/strict";
import { EventReader } from "../_support/clients/event_reader.ts";
import { HttpClient } from "../_support/clients/http_client.ts";
import { initializeMessage } from "../_support/servers/http_server.ts";
import { toolAnswer } from "../_support/json_rpc.ts";
import { test } from "./servers.ts";

async function statusOf(response: Response | Promise<Response>): Promise<number> {
  const { status, body } = await response;
  await body?.cancel();
  return status;
}

async function failureOf(response: Response | Promise<Response>): Promise<readonly [number, number, unknown]> {
  const answer = await response;
  const { id, error } = await answer.json();
  return [answer.status, error.code, id];
}

test("H1 health answers, other paths are not found, other methods not allowed", async ({ server }) => {
  const base = server.url.replace("/mcp", "");
  const health = await fetch(`${base}/health`);
  assert.deepStrictEqual([health.status, await health.text()], [200, "OK"]);
  assert.strictEqual(await statusOf(fetch(base)), 404);
  assert.strictEqual(await statusOf(fetch(`${base}/.well-known/oauth-protected-resource`)), 404);
  const put = await fetch(server.url, { method: "PUT" });
  assert.deepStrictEqual([put.status, put.headers.get("allow")], [405, "GET, POST, DELETE, OPTIONS"]);
  await put.body?.cancel();
});

test("H1 the server card says before a connection what a connection says, and nothing of tools or the machine", async ({ server }) => {
  const url = `${server.url}/server-card`;
  const answer = await fetch(url);
  assert.deepStrictEqual([answer.status, answer.headers.get("content-type"), answer.headers.get("cache-control")], [
    200,
    "application/mcp-server-card+json",
    "public, max-age=3600",
  ]);
  const text = await answer.text();
  const asked = await fetch(url, { headers: { accept: "application/mcp-server-card+json" } });
  assert.deepStrictEqual([asked.status, await asked.text()], [200, text]);
  const { remotes: [remote], name, version, ...rest } = JSON.parse(text);
  assert.deepStrictEqual(Object.keys(rest), ["$schema", "description"]);
  assert.deepStrictEqual(Object.keys(remote), ["type", "url", "supportedProtocolVersions"]);
  assert.deepStrictEqual([remote.type, remote.url], ["streamable-http", server.url]);
  // Each version that it names is spoken there, by the server that it names.
  assert.deepStrictEqual(remote.supportedProtocolVersions.slice(-2), ["2025-11-25", "2026-07-28"]);
  for (const protocol of remote.supportedProtocolVersions) {
    const accept = "application/json";
    const { result } = protocol === "2026-07-28"
      ? await (await server.modern("server/discover", {}, { accept })).json()
      : await (await server.post(initializeMessage(protocol), { accept })).json();
    const info = result.serverInfo ?? result._meta["io.modelcontextprotocol/serverInfo"];
    assert.deepStrictEqual([`localhost/${info.name}`, info.version], [name, version]);
    assert.ok((result.supportedVersions ?? [result.protocolVersion]).includes(protocol), JSON.stringify(result));
  }
  const page = await fetch(url, { headers: { origin: "https://ide.example" } });
  assert.deepStrictEqual([await page.text(), page.headers.get("access-control-allow-origin")], [
    text,
    "https://ide.example",
  ]);
  assert.strictEqual(await statusOf(fetch(url, { headers: { origin: "https://evil.example" } })), 403);
  assert.strictEqual(await statusOf(fetch(url, { method: "POST", body: "{}" })), 405);
  const head = await fetch(url, { method: "HEAD" });
  assert.deepStrictEqual([head.status, await head.text()], [200, ""]);
});

test("H8 pages of allowed origins may read answers, by exact match", async ({ server }) => {
  const headers = { origin: "https://ide.example" };
  const preflight = await fetch(server.url, { method: "OPTIONS", headers });
  assert.deepStrictEqual(
    [preflight.status, preflight.headers.get("access-control-allow-origin"), preflight.headers.get("vary")],
    [204, "https://ide.example", "Origin"],
  );
  assert.match(preflight.headers.get("access-control-allow-headers") ?? "", /Mcp-Session-Id/);
  const answer = await server.post(initializeMessage("2025-11-25"), { headers, accept: "application/json" });
  assert.strictEqual(answer.headers.get("access-control-allow-origin"), "https://ide.example");
  assert.match(answer.headers.get("access-control-expose-headers") ?? "", /Mcp-Session-Id/);
  await answer.body?.cancel();
  const other = await fetch(server.url, { method: "OPTIONS", headers: { origin: "https://ide.example.evil" } });
  assert.deepStrictEqual([other.status, other.headers.get("access-control-allow-origin")], [403, null]);
  await other.body?.cancel();
});

test("H7 the answer has the form that Accept asks for", async ({ server }) => {
  const forms: readonly (readonly [accept: string | null, expected: string | number])[] = [
    ["text/event-stream", "text/event-stream"],
    ["application/json", "application/json"],
    [null, "application/json"],
    ["*/*", "application/json"],
    ["application/json, text/event-stream", "text/event-stream"],
    ["text/html", 406],
  ];
  const seen = [];
  for (const [accept] of forms) {
    const response = await server.post(initializeMessage("2025-11-25"), { accept });
    const text = await response.text();
    seen.push([accept, response.status === 200 ? response.headers.get("content-type") : response.status]);
    if (response.status === 200) assert.match(text, /"protocolVersion":"2025-11-25"/);
  }
  assert.deepStrictEqual(seen, forms);
});

test("H4 H8 C3 a request that is none of this protocol gets its status, its code and its id", async ({ server }) => {
  await using client = await HttpClient.connect(server);
  const ping = { jsonrpc: "2.0", id: "p", method: "ping" };
  const other = crypto.randomUUID();
  const rows: readonly (readonly [what: string, response: Promise<Response>, expected: readonly unknown[]])[] = [
    ["no JSON", server.post("{", { headers: client.headers }), [400, -32700, null]],
    ["an empty body", server.post("", { headers: client.headers }), [400, -32700, null]],
    ["a batch", server.post([ping], { headers: client.headers }), [400, -32600, null]],
    ["no JSON-RPC", server.post({ id: 3, method: "ping" }, { headers: client.headers }), [400, -32600, 3]],
    ["id null", server.post({ ...ping, id: null }, { headers: client.headers }), [400, -32600, null]],
    ["no session", server.post(ping), [400, -32000, "p"]],
    ["an unknown session", server.post(ping, { headers: { "mcp-session-id": other } }), [404, -32001, "p"]],
    ["a version that never was", client.send(ping, { headers: { "mcp-protocol-version": "1999-01-01" } }), [
      400,
      -32000,
      "p",
    ]],
    ["initialize again", client.send(initializeMessage("2025-11-25", { id: 7 })), [400, -32600, 7]],
    ["initialize without a version", server.post({ jsonrpc: "2.0", id: 8, method: "initialize", params: {} }), [
      400,
      -32602,
      8,
    ]],
    ["another type", client.send(ping, { headers: { "content-type": "text/plain" } }), [415, -32000, null]],
  ];
  const seen = [];
  for (const [what, response] of rows) seen.push([what, await failureOf(response)]);
  assert.deepStrictEqual(seen, rows.map(([what, , expected]) => [what, expected]));
  assert.deepStrictEqual((await client.request("ping")).result, {});
});

test("H4 C3 fault 7: an ended session is gone, DELETE is 204 and everything after it 404, over HTTP", async ({ server }) => {
  await using client = await HttpClient.connect(server);
  assert.match(client.session, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  assert.strictEqual(await statusOf(client.fetch("DELETE")), 204);
  assert.deepStrictEqual(await failureOf(client.send({ jsonrpc: "2.0", id: 1, method: "ping" })), [404, -32001, 1]);
  assert.strictEqual(await statusOf(client.fetch("GET", { accept: "text/event-stream" })), 404);
  assert.strictEqual(await statusOf(client.fetch("DELETE")), 404);
  assert.strictEqual(await statusOf(fetch(server.url, { method: "DELETE" })), 400);
});

// That what does not end within the grace is ended then is tested beside the session store, without the 10 s.
test("H4 X14 DELETE is answered at once, what runs in the session has its grace, and another session is left alone", async ({ bench, server }) => {
  await using one = await HttpClient.connect(server);
  await using other = await HttpClient.connect(server);
  await one.start("touch one; until [ -e ended.go ]; do sleep 0.05; done; touch ended; sleep 0.1");
  const slow = await other.start("touch other; sleep 2222");
  await bench.appears("one");
  await bench.appears("other");
  assert.strictEqual(await statusOf(one.fetch("DELETE")), 204);
  bench.write("ended.go", "");
  await bench.appears("ended");
  assert.match((await other.call("status")).text, /^1 running/);
  // Else the server would give it its 10 s, too.
  await other.call("cancel", { operation_id: slow.operation?.operation_id });
});

test("H4 C3 fault 12: initialize with an unknown version is answered with the newest of its era, over HTTP", async ({ server }) => {
  const response = await server.post(initializeMessage("2199-01-01"), { accept: "application/json" });
  assert.strictEqual((await response.json()).result.protocolVersion, "2025-11-25");
});

test("B6 C3 fault 5: a cancelled request gets no answer, in either form, and its command ends, over HTTP", async ({ bench, server }) => {
  await using client = await HttpClient.connect(server);
  for (const accept of ["application/json", "text/event-stream"]) {
    const file = `started-${accept.length}`;
    const params = {
      name: "sandboxed_shell",
      arguments: { command: `touch ${file}; sleep 3333`, execution_mode: "Synchronous" },
    };
    const waiting = client.send({ jsonrpc: "2.0", id: file, method: "tools/call", params }, { accept });
    await bench.appears(file);
    assert.strictEqual(await client.notify("notifications/cancelled", { requestId: file }), 202);
    const text = await (await waiting).text();
    assert.doesNotMatch(text, /"result"|"error"/);
    await bench.processesGone("sleep 3333", 30_000);
  }
});

/** What has a meaning in an event stream, or ends a line for some reader. */
const TRICKY = "some data: here\nid: 7\n\ndata: {}\nevent: x\u2028data: y\u2029end";

test("H7 C3 output that looks like an event is the same in one body and in a stream, in the newest era too", async ({ bench, server }) => {
  bench.write("tricky", TRICKY);
  const params = { name: "sandboxed_shell", arguments: { command: "cat tricky", execution_mode: "Synchronous" } };
  const json = await (await server.modern("tools/call", params, { accept: "application/json" })).json();
  await using reader = new EventReader(await server.modern("tools/call", params, { accept: "text/event-stream" }));
  const stream = (await reader.rest()).at(-1)?.message ?? {};
  for (const answer of [json, stream]) {
    assert.strictEqual(toolAnswer(answer).output.trimEnd(), TRICKY);
  }
});

test("H8 a Host that makes no URL is refused as any that is not ours", async ({ server }) => {
  for (const host of ["[::1", "a b", "127.0.0.1:x"]) {
    const answer = await server.raw(`GET /health HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
    assert.match(answer, /^HTTP\/1\.1 403 /, host);
  }
  const own = `127.0.0.1:${server.port}`;
  assert.match(
    await server.raw(`GET /health HTTP/1.1\r\nHost: ${own}\r\nConnection: close\r\n\r\n`),
    /^HTTP\/1\.1 200 /,
  );
});

test("H8 C3 a compressed POST is refused with 415 and what the server takes, and the same one as it is gets a session", async ({ server }) => {
  const text = JSON.stringify(initializeMessage("2025-11-25"));
  const post = (body: BodyInit, headers: Readonly<Record<string, string>> = {}) =>
    fetch(server.url, {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json", ...headers },
      body,
    });
  for (const coding of ["gzip", "deflate"] as const) {
    const packed = await new Response(new Blob([text]).stream().pipeThrough(new CompressionStream(coding))).bytes();
    const response = await post(packed, { "content-encoding": coding });
    const { error } = await response.json();
    assert.deepStrictEqual([response.status, response.headers.get("accept-encoding"), error.message], [
      415,
      "identity",
      `Unsupported content encoding "${coding}": send the body of a POST as it is`,
    ]);
  }
  for (const headers of [{}, { "content-encoding": "identity" }]) {
    const response = await post(text, headers);
    assert.deepStrictEqual([response.status, (await response.json()).result.protocolVersion], [200, "2025-11-25"]);
  }
});
