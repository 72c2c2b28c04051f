import assert from "node:assert/strict";
import { runOnTerminal, runProgram } from "./_support/terminal.ts";
import { Workbench } from "./_support/workbench.ts";

/** An MCP server of the first era with two pages of tools, which tries to write where it may not. */
const SERVER = `
import json, sys
print("this server greets on stdout")
print("and complains on stderr", file=sys.stderr)
try:
    open(sys.argv[1], "w").write("x")
    wrote = "wrote"
except OSError:
    wrote = "denied"
for line in sys.stdin:
    message = json.loads(line)
    if "id" not in message:
        continue
    method, params = message["method"], message.get("params", {})
    if method == "server/discover" and sys.argv[2:] == ["ends"]:
        sys.exit("unexpected " + method)
    if sys.argv[2:] == ["is silent"] or method == "server/discover" and sys.argv[2:] == ["ignores"]:
        continue
    answer = {"jsonrpc": "2.0", "id": message["id"]}
    if method == "initialize":
        info = {"name": "other", "version": "7"}
        version = params["protocolVersion"]
        answer["result"] = {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": info}
    elif method == "tools/list" and "cursor" not in params:
        schema = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}
        answer["result"] = {"tools": [{"name": "first", "description": wrote, "inputSchema": schema}], "nextCursor": "2"}
    elif method == "tools/list":
        answer["result"] = {"tools": [{"name": "second", "inputSchema": {"type": "object"}}]}
    else:
        answer["error"] = {"code": -32601, "message": "unknown"}
    print(json.dumps(answer), flush=True)
`;

Deno.test("L2 T11 list-tools lists our own tools, as lines in a pipe and as JSON, and tells how to get what is missing", async () => {
  using bench = new Workbench();
  const tool = {
    command: "no-such-program-here",
    description: "x",
    synchronous: true,
    install_instructions: "Get it.",
  };
  bench.write(".ahma/tools/x.json", JSON.stringify(tool));
  const lines = await runProgram(bench, ["list-tools", "--bundles", "git"]);
  const names = lines.stdout.trimEnd().split("\n").map((line) => line.split("\t"));
  const missing = /^Not available: no-such-program-here: "no-such-program-here" is not on the PATH .*\. Get it\.\n$/;
  assert.strictEqual(lines.code, 0);
  assert.match(lines.stderr, missing);
  assert.deepStrictEqual(names.slice(0, 5).map(([name]) => name), [
    "await",
    "cancel",
    "sandboxed_shell",
    "send",
    "status",
  ]);
  assert.ok(names.every((fields) => fields.length === 3));
  assert.match(names[2]?.[1] ?? "", /^command\* /);
  const json = await runProgram(bench, ["--mode", "list-tools", "--bundles", "git", "--json"]);
  const { tools, unavailable } = JSON.parse(json.stdout);
  assert.deepStrictEqual(tools.map(({ name }: { name: string }) => name), names.map(([name]) => name));
  assert.deepStrictEqual(
    [unavailable.map(({ names }: { names: string[] }) => names), tools[2].inputSchema.required],
    [[["no-such-program-here"]], ["command"]],
  );
});

Deno.test("L2 list-tools is a coloured table on a terminal", async () => {
  using bench = new Workbench();
  const { code, stdout } = await runOnTerminal(bench, ["list-tools"]);
  assert.strictEqual(code, 0);
  assert.ok(stdout.includes("\n\x1b[1mstatus\x1b[0m           Shows running"), stdout);
  assert.doesNotMatch(stdout, /\t/);
});

Deno.test("S3 L2 list-tools starts another server inside the sandbox and lists all its pages, also of one that ends at server/discover", async () => {
  using bench = new Workbench("ordinary");
  bench.write("server.py", SERVER);
  const planted = `${bench.elsewhere}/planted`;
  const command = ["--", "python3", "server.py", planted];
  const inside = await runProgram(bench, ["list-tools", "--json", ...command, "ends"]);
  assert.deepStrictEqual([inside.code, inside.stderr], [0, ""]);
  const first = { type: "object", properties: { a: { type: "string" } }, required: ["a"] };
  assert.deepStrictEqual(JSON.parse(inside.stdout), {
    tools: [
      { name: "first", description: "denied", inputSchema: first },
      { name: "second", inputSchema: { type: "object" } },
    ],
    server: { name: "other", version: "7" },
    unavailable: [],
  });
  const outside = await runProgram(bench, ["--list-tools", "--no-sandbox-server", ...command]);
  assert.deepStrictEqual([outside.code, outside.stdout], [0, "first\ta*\twrote\nsecond\t\t\n"]);
  assert.match(outside.stderr, /^Warning: Sandbox off for the third-party server \(--no-sandbox-server\)/m);
});

Deno.test("L2 list-tools lists a server of the first era that ignores server/discover", async () => {
  using bench = new Workbench();
  bench.write("server.py", SERVER);
  const command = ["--", "python3", "server.py", `${bench.elsewhere}/planted`, "ignores"];
  const listed = await runProgram(bench, ["list-tools", "--timeout", "9", ...command]);
  assert.deepStrictEqual(listed, { code: 0, stdout: "first\ta*\tdenied\nsecond\t\t\n", stderr: "" });
});

Deno.test("L2 list-tools gives up a silent server, and says how to wait longer", async () => {
  using bench = new Workbench();
  bench.write("server.py", SERVER);
  const command = ["--", "python3", "server.py", `${bench.elsewhere}/planted`, "is silent"];
  assert.deepStrictEqual(await runProgram(bench, ["list-tools", "--timeout", "2", ...command]), {
    code: 1,
    stdout: "",
    stderr: `Cannot list the tools of "${command.slice(1).join(" ")}": It did not answer within 2 s. ` +
      "A server that is downloaded first may need longer: --timeout SECONDS\nIt wrote:\nand complains on stderr\n",
  });
});

Deno.test("L2 list-tools says first why a server gave no answer, then what it wrote", async () => {
  using bench = new Workbench();
  const line = ["list-tools", "--", "sh", "-c", "echo trouble >&2; exit 3"];
  assert.deepStrictEqual(await runProgram(bench, line), {
    code: 1,
    stdout: "",
    stderr: 'Cannot list the tools of "sh -c echo trouble >&2; exit 3": It ended with exit code 3.\n' +
      "It wrote:\ntrouble\n",
  });
});

Deno.test("L2 list-tools lists a server over HTTP, by the script that gives it the network", async () => {
  using bench = new Workbench();
  await using server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, answer);
  const url = `http://127.0.0.1:${server.addr.port}/mcp`;
  const listed = await runProgram(bench, ["list-tools", "--http", url], { script: true });
  assert.deepStrictEqual(listed, { code: 0, stdout: "remote\t\tFar away.\n", stderr: "" });
  const without = await runProgram(bench, ["list-tools", "--http", url]);
  assert.deepStrictEqual([without.code, without.stdout], [1, ""]);
  assert.match(without.stderr, /this runtime was started without network permission/);
  const refused = await runProgram(bench, ["list-tools", "--http", "http://127.0.0.1:1/mcp"], { script: true });
  assert.deepStrictEqual([refused.code, refused.stdout], [1, ""]);
  assert.match(refused.stderr, /^Cannot list the tools of "http:\/\/127\.0\.0\.1:1\/mcp": /);
});

async function answer(request: Request): Promise<Response> {
  if (request.method !== "POST") return new Response(null, { status: 405 });
  const { id, method, params } = await request.json();
  if (id === undefined) return new Response(null, { status: 202 });
  const results: Record<string, unknown> = {
    "initialize": {
      protocolVersion: params?.protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: "remote", version: "1" },
    },
    "tools/list": { tools: [{ name: "remote", description: "Far away.", inputSchema: { type: "object" } }] },
  };
  const result = results[method];
  const error = { code: -32601, message: "unknown" };
  return Response.json({ jsonrpc: "2.0", id, ...result === undefined ? { error } : { result } });
}
