/** `--otlp`: what a collector is told of calls and operations, what it never is, and that a server works without it. */
import assert from "node:assert/strict";
import { HTTP_PERMISSIONS } from "../scripts/permissions.ts";
import { until } from "./_support/deadline.ts";
import { pythonPackage } from "./_support/packages/python_packages.ts";
import { TestCollector } from "./_support/servers/collector.ts";
import { freePort } from "./_support/servers/listening.ts";
import { HttpServerProcess } from "./_support/servers/http_server.ts";
import { namesOf, upstreamServer, withServers } from "./_support/servers/upstream.ts";
import { type RpcMessage, toolAnswer } from "./_support/json_rpc.ts";
import { ServerProcess } from "./_support/server_process.ts";
import { runProgram } from "./_support/terminal.ts";
import { Workbench } from "./_support/workbench.ts";

const PROTO = await pythonPackage("opentelemetry-proto", "1.45.2");
const CHECK = new URL("fixtures/otlp_check.py", import.meta.url).pathname;
const permissions = HTTP_PERMISSIONS;
const HEADERS = "OTEL_EXPORTER_OTLP_HEADERS";
const TRACE = "0af7651916cd43dd8448eb211c80319c";
const PARENT = "b7ad6b7169203331";
const META = { traceparent: `00-${TRACE}-${PARENT}-01`, tracestate: "vendor=1", baggage: "user=baggageword" };
const TRACED = [{ name: "traced", description: "Says its trace.", inputSchema: { type: "object" } }];
const TOOL = {
  name: "say",
  command: "printf",
  description: "Prints.",
  positional_args: [{ name: "text", type: "string", required: true, description: "What." }],
};

/** How many messages of each kind are of the official schema, and those that are not. */
async function checked(
  lines: readonly (readonly [path: string, body: string])[],
): Promise<Readonly<Record<string, unknown>> & { readonly refused: readonly string[] }> {
  const child = new Deno.Command(PROTO.python, { args: [CHECK], stdin: "piped", stdout: "piped", stderr: "piped" })
    .spawn();
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(lines.map((line) => `${JSON.stringify(line)}\n`).join("")));
  await writer.close();
  const { success, stdout, stderr } = await child.output();
  if (!success) throw new Error(new TextDecoder().decode(stderr).slice(-2000));
  return JSON.parse(new TextDecoder().decode(stdout));
}

/** The answer to a call with this `_meta`. */
function called(server: ServerProcess, name: string, _meta: object, args: object = {}): Promise<RpcMessage> {
  return server.request("tools/call", { name, arguments: args, _meta });
}

Deno.test("V5 each call, operation and denial is reported to the collector in a trace, in messages of the official schema", async () => {
  assert.strictEqual(PROTO.problem, undefined);
  await using collector = new TestCollector();
  using bench = new Workbench("ordinary");
  bench.write("definitions.json", JSON.stringify(TRACED));
  bench.write(".ahma/tools/say.json", JSON.stringify(TOOL));
  const outside = bench.write(`${bench.elsewhere}/hiddenfile`, "contentword");
  const flags = ["--otlp", `${collector.url}/`];
  const environment = { [HEADERS]: "authorization=Bearer%20headerword,x-one=1" };
  let passedOn: unknown;
  {
    await using server = await withServers(bench, { far: upstreamServer(bench) }, { flags, permissions, environment });
    await namesOf(server, "far_");
    assert.strictEqual((await server.call("say", { text: "outputword" })).output, "outputword");
    await server.shell(`cat ${outside}; exit 3`);
    const waiting = await server.start("sleep 306");
    await server.call("cancel", { operation_id: waiting.operation?.operation_id });
    passedOn = JSON.parse(toolAnswer(await called(server, "far_traced", META)).text);
    assert.strictEqual((await server.request("tools/call", { name: "nameword" })).error?.code, -32602);
  }
  const { received, spans } = collector;
  const kinds = { "/v1/traces": 0, "/v1/metrics": 0 };
  for (const { path } of received) kinds[path as keyof typeof kinds] += 1; // unknown paths make the counts differ
  assert.deepStrictEqual(await checked(received.map(({ path, body }) => [path, body])), { ...kinds, refused: [] });
  assert.ok(kinds["/v1/metrics"] > 0);
  assert.deepStrictEqual(
    new Set(received.map(({ headers }) => headers.get("authorization"))),
    new Set(["Bearer headerword"]),
  );

  const tree = spans.map(({ name, kind, parentSpanId, status, attributes }) => {
    const state = attributes["ahma.state"] ?? attributes["error.type"] ?? "";
    return [name, kind, spans.find(({ spanId }) => spanId === parentSpanId)?.name ?? parentSpanId, status.code, state];
  });
  assert.deepStrictEqual(tree, [
    ["operation say", 1, "tools/call say", undefined, "completed"],
    ["tools/call say", 2, undefined, undefined, ""],
    ["operation sandboxed_shell", 1, "tools/call sandboxed_shell", 2, "failed"],
    ["tools/call sandboxed_shell", 2, undefined, undefined, ""],
    ["tools/call sandboxed_shell", 2, undefined, undefined, ""],
    ["operation sandboxed_shell", 1, "tools/call sandboxed_shell", 2, "cancelled"],
    ["tools/call cancel", 2, undefined, undefined, ""],
    ["tools/call far_traced", 3, "tools/call far_traced", undefined, "completed"],
    ["tools/call far_traced", 2, PARENT, undefined, ""],
    ["tools/call", 2, undefined, 2, "-32602"],
  ]);
  const [, , failed, , , , , behind, far] = spans;
  assert.deepStrictEqual([behind?.traceId, behind?.traceState, far?.traceId], [TRACE, "vendor=1", TRACE]);
  assert.deepStrictEqual(passedOn, { traceparent: `00-${TRACE}-${behind?.spanId}-01`, tracestate: "vendor=1" });
  assert.strictEqual(new Set(spans.map(({ spanId }) => spanId)).size, spans.length);
  for (const { startTimeUnixNano: start, endTimeUnixNano: end } of spans) assert.ok(BigInt(start) <= BigInt(end));
  const { "ahma.operation": _, "ahma.queued_ms": __, "ahma.output_bytes": ___, ...facts } = failed?.attributes ?? {};
  assert.deepStrictEqual(facts, {
    "gen_ai.tool.name": "sandboxed_shell",
    "ahma.state": "failed",
    "ahma.denials": "1",
    "ahma.network.refusals": "0",
    "process.exit.code": "3",
  });
  assert.deepStrictEqual([far?.attributes["ahma.client.name"], behind?.attributes["ahma.server"]], ["wire", "far"]);

  const values = (name: string, value: string) => {
    return Object.fromEntries([...collector.points(name)].map(([key, point]) => [key, point[value]]));
  };
  const ended = {
    "say completed": "1",
    "sandboxed_shell failed": "1",
    "sandboxed_shell cancelled": "1",
    "far_traced far completed": "1",
  };
  assert.deepStrictEqual(values("ahma.operations", "asInt"), ended);
  assert.deepStrictEqual(values("ahma.operation.duration", "count"), ended);
  assert.deepStrictEqual(values("ahma.operations.active", "asInt"), { running: "0" });
  assert.deepStrictEqual(values("ahma.denials", "asInt"), { "sandboxed_shell sandbox": "1" });
  assert.deepStrictEqual(values("mcp.server.operation.duration", "count"), {
    "tools/call say": "1",
    "tools/call sandboxed_shell": "2",
    "tools/call cancel": "1",
    "tools/call far_traced": "1",
    "tools/call -32602": "1",
  });

  const told = received.map(({ body }) => body).join("\n");
  const secret = [
    "outputword",
    "contentword",
    "hiddenfile",
    "sleep",
    "headerword",
    "nameword",
    "baggageword",
    "printf",
  ];
  const found = [...secret, bench.scope, bench.home, bench.elsewhere, bench.marker].filter((word) =>
    told.includes(word)
  );
  assert.deepStrictEqual(found, []);
});

Deno.test("V5 the check of messages refuses what the schema does not have", async () => {
  assert.strictEqual(PROTO.problem, undefined);
  const body = (span: object) => JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] });
  const good = { traceId: TRACE, spanId: PARENT, startTimeUnixNano: "1", kind: 1 };
  const wrong = [{ colour: 1 }, { spanId: "b7" }, { startTimeUnixNano: 1 }, { kind: "SPAN_KIND_SERVER" }];
  const bodies = [{}, ...wrong].map((more) => body({ ...good, ...more }));
  const { refused, ...counted } = await checked(bodies.map((one) => ["/v1/traces", one]));
  assert.deepStrictEqual(counted, { "/v1/traces": 1, "/v1/metrics": 0 });
  assert.deepStrictEqual(bodies.map((one) => refused.some((text) => text.startsWith(one))), [
    false,
    ...wrong.map(() => true),
  ]);
});

/** A flow with one step. */
const FLOW =
  "---\ndescription: One.\n---\n\n```mermaid\nstateDiagram-v2\n    [*] --> first\n    first --> [*]\n```\n\n" +
  '## Actions\n\n- first: tool "sandboxed_shell" with command="true"\n';
const [FLOW_TRACE, UNRECORDED] = [TRACE.replace("0", "1"), TRACE.replace("0", "2")];

Deno.test("V5 K7 L7 without --otlp a trace passes through unchanged, no collector is asked, not even one that a project names, and every answer is the same; with it a flow's calls are in its trace, and a trace that its client does not record is passed on and not reported", async () => {
  await using collector = new TestCollector();
  using bench = new Workbench("ordinary");
  bench.write("definitions.json", JSON.stringify(TRACED));
  bench.write(".ahma/flows/one.md", FLOW);
  bench.write(".ahma/settings.json", JSON.stringify({ otlp: collector.url }));
  const answers = async (more: readonly string[], alsoAsk: (server: ServerProcess) => Promise<void>) => {
    const flags = ["--bundles", "flow", ...more];
    await using server = await withServers(bench, { far: upstreamServer(bench) }, { flags, permissions });
    await namesOf(server, "far_");
    const list = await server.request("tools/list");
    const { result } = await server.request("tools/call", {
      name: "sandboxed_shell",
      arguments: { command: "echo hi; exit 3", execution_mode: "Synchronous" },
    });
    const traced = await Promise.all([META, { ...META, traceparent: "00-0-0-01" }, {}].map(async (meta) => {
      return JSON.parse(toolAnswer(await called(server, "far_traced", meta)).text);
    }));
    await alsoAsk(server);
    const text = JSON.stringify(result).replace(/op_\w+/g, "ID").replace(/\d+ ms|\d+\.\d s|_ms":[\d.]+/g, "TIME");
    return { list: JSON.stringify(list.result), text, traced };
  };
  const { baggage: _, ...kept } = META;
  const isIgnored = /"otlp" of ".*settings\.json" is ignored: a project may not set "otlp"/;
  const off = await answers([], ({ stderr }) => Promise.resolve(assert.match(stderr, isIgnored)));
  assert.deepStrictEqual([off.traced, collector.received], [[kept, {}, {}], []]);
  const on = await answers(["--otlp", collector.url], async (server) => {
    const answer = await called(server, "far_traced", { traceparent: `00-${UNRECORDED}-${PARENT}-00` });
    assert.match(toolAnswer(answer).text, new RegExp(`00-${UNRECORDED}-(?!${PARENT})\\w{16}-00`));
    const meta = { traceparent: `00-${FLOW_TRACE}-${PARENT}-01` };
    toolAnswer(await called(server, "flow", meta, { flow_name: "one" }));
  });
  assert.deepStrictEqual([on.list, on.text], [off.list, off.text]);
  const inTrace = (wanted: string) => collector.spans.flatMap(({ name, traceId }) => traceId === wanted ? [name] : []);
  assert.deepStrictEqual(inTrace(FLOW_TRACE), ["operation sandboxed_shell", "operation flow", "tools/call flow"]);
  assert.deepStrictEqual(inTrace(UNRECORDED), []);
  // The three that its client records have one for our call, and one for that of the server behind.
  assert.strictEqual(collector.spans.filter(({ name }) => name === "tools/call far_traced").length, 6);
  assert.strictEqual(collector.points("mcp.server.operation.duration").get("tools/call far_traced")?.["count"], "4");
});

Deno.test("V5 a message is sent again after the pause that a busy collector asks for; a refused one is not repeated, a redirection not followed, so headers reach only the named collector, and one that never answers delays no end", async () => {
  const times: number[] = [];
  const statuses = [503, 429, 200, 400];
  await using other = new TestCollector();
  const unanswered = Promise.withResolvers<Response>();
  let isMute = false;
  await using collector = new TestCollector((path) => {
    if (isMute) return unanswered.promise;
    if (times.length >= 4) return Response.redirect(`${other.url}${path}`, 307);
    if (path !== "/v1/traces") return Response.json({});
    const index = times.push(performance.now()) - 1;
    return new Response("{}", { status: statuses[index] ?? 200, headers: { "retry-after": index === 1 ? "3" : "0" } });
  });
  using bench = new Workbench("ordinary");
  const environment = { AHMA_OTLP: collector.url, [HEADERS]: "authorization=headerword" };
  {
    await using server = await ServerProcess.start(bench, { flags: ["--log-to-stderr"], permissions, environment });
    const names = () => collector.received.filter(({ path }) => path === "/v1/traces").map(({ body }) => body);
    await server.shell("true");
    await until(() => names().length >= 3, 20_000, "a third message");
    const [first, second, third] = names();
    assert.deepStrictEqual([second, third], [first, first]);
    assert.ok((times[2] ?? 0) - (times[1] ?? 0) >= 3000);
    await server.shell("true");
    await until(() => names().length >= 4, 20_000, "a fourth message");
    await server.shell("true");
    await until(() => names().length >= 5, 20_000, "a fifth message");
    assert.notStrictEqual(names()[4], names()[3]);
    const lines = server.stderr.split("\n").filter((line) => line.includes("--otlp"));
    assert.strictEqual(lines.length, 1, server.stderr);
    isMute = true;
    await server.shell("true");
    await until(() => names().length >= 6, 20_000, "a sixth message");
    await server.shell("true");
    await endsSoon(server);
  }
  unanswered.resolve(new Response());
  assert.deepStrictEqual(other.received, []);
});

/** A request may take 10 seconds, and the end waits for less than one of them. */
async function endsSoon(server: ServerProcess): Promise<void> {
  const began = performance.now();
  await server[Symbol.asyncDispose]();
  assert.ok(performance.now() - began < 9000);
}

Deno.test("V5 a collector that is not there costs one line of the log, and delays no end", async () => {
  using bench = new Workbench("ordinary");
  const flags = ["--log-to-stderr", "--otlp", `http://127.0.0.1:${freePort()}/pathword`];
  await using server = await ServerProcess.start(bench, { flags, permissions });
  await server.shell("true");
  await until(() => server.stderr.includes("--otlp"), 20_000, "a line of the log");
  await server.shell("true");
  await endsSoon(server);
  const lines = server.stderr.split("\n").filter((line) => line.includes("--otlp"));
  assert.strictEqual(lines.length, 1, lines.join("\n"));
  assert.match(lines[0] ?? "", /\{"why":"tcp connect error: Connection refused \(os error 111\)"\}$/);
});

Deno.test("V5 a call of the command line is told, and an address with a password is refused without being shown", async () => {
  await using collector = new TestCollector();
  using bench = new Workbench("ordinary");
  const told = await runProgram(bench, ["call", "--otlp", collector.url, "sandboxed_shell", "--", "echo hi"], {
    permissions,
  });
  assert.deepStrictEqual([told.code, collector.spans.map(({ name }) => name)], [
    0,
    ["operation sandboxed_shell", "tools/call sandboxed_shell"],
  ]);
  const refused = await runProgram(bench, ["--otlp", "http://user:secretword@127.0.0.1/"], { permissions });
  assert.deepStrictEqual([refused.code, refused.stderr.includes("secretword")], [2, false], refused.stderr);
  assert.match(refused.stderr, /Cannot use the address of --otlp: it /);
});

Deno.test("V5 over HTTP the calls of sessions and of stateless requests are reported, each with its client", async () => {
  await using collector = new TestCollector();
  using bench = new Workbench("ordinary");
  const params = { name: "sandboxed_shell", arguments: { command: "true", execution_mode: "Synchronous" } };
  {
    await using server = await HttpServerProcess.start(bench, { flags: ["--otlp", collector.url] });
    const initialize = {
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: { name: "sessionword", version: "2" },
    };
    const begun = await server.post({ jsonrpc: "2.0", id: 1, method: "initialize", params: initialize });
    await begun.text();
    const headers = {
      "mcp-session-id": begun.headers.get("mcp-session-id") ?? "",
      "mcp-protocol-version": "2025-11-25",
    };
    const calls = [
      () => server.post({ jsonrpc: "2.0", id: 2, method: "tools/call", params }, { headers }),
      () => server.modern("tools/call", params),
    ];
    for (const call of calls) assert.match(await (await call()).text(), /"exit_code":0/);
  }
  const told = collector.spans.map(({ name, attributes }) => [
    name,
    attributes["ahma.client.name"],
    attributes["network.transport"],
  ]);
  assert.deepStrictEqual(told, [
    ["operation sandboxed_shell", undefined, undefined],
    ["tools/call sandboxed_shell", "sessionword", "tcp"],
    ["operation sandboxed_shell", undefined, undefined],
    ["tools/call sandboxed_shell", "wire", "tcp"],
  ]);
});
