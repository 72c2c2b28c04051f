/** What stdio adds to the wire: one client for one process, lines, and the end of input. */
import assert from "node:assert/strict";
import type { RpcMessage } from "../_support/json_rpc.ts";
import { ServerProcess } from "../_support/server_process.ts";
import { sharing } from "../_support/sharing.ts";
import { exists, Workbench } from "../_support/workbench.ts";

/** Everything is said on stderr: the end of a server fails its tests when stdout carried anything but messages. */
const flags = ["--debug", "--log-to-stderr"];
const TESTS = {
  "2025-11-25": sharing((bench) => {
    bench.write(".ahma/tools/a.json", JSON.stringify({ name: "own", command: "echo", description: "0" }));
    return ServerProcess.start(bench, { flags });
  }),
  "2026-07-28": sharing((bench) => ServerProcess.start(bench, { era: "2026-07-28", flags })),
};

const test = TESTS["2025-11-25"];
const testNewest = TESTS["2026-07-28"];

function initialize(protocolVersion: string, capabilities: object = {}): object {
  return { protocolVersion, capabilities, clientInfo: { name: "raw", version: "1" } };
}

/** Sends one line and gives the answer to the request `id`. */
async function exchange(server: ServerProcess, line: object, id: string | number): Promise<RpcMessage> {
  await server.send(line);
  return await server.message((message) => message.id === id && message.method === undefined, {
    what: JSON.stringify(line),
  });
}

Deno.test("C3 fault 6: before initialize nothing is served but ping, and initialize comes once, over stdio", async () => {
  using bench = new Workbench();
  await using server = await ServerProcess.start(bench, { era: "none" });
  await server.send({ jsonrpc: "2.0", method: "notifications/initialized" });
  const run = { name: "sandboxed_shell", arguments: { command: "touch early", execution_mode: "Synchronous" } };
  const requests: readonly (readonly [method: string, params: object])[] = [
    ["tools/list", {}],
    ["tools/call", run],
    ["resources/list", {}],
    ["logging/setLevel", { level: "info" }],
    ["tasks/list", {}],
    ["no/such/method", {}],
  ];
  for (const [method, params] of requests) {
    const { error } = await server.request(method, params);
    assert.deepStrictEqual([error?.code, /initialize/.test(error?.message ?? "")], [-32602, true], method);
  }
  assert.deepStrictEqual((await server.request("ping")).result, {});
  for (const params of [{}, { protocolVersion: 7, capabilities: {}, clientInfo: { name: "a", version: "1" } }]) {
    assert.strictEqual((await server.request("initialize", params)).error?.code, -32602);
  }
  assert.deepStrictEqual(server.unclaimed, [], "nothing was sent before the handshake");
  assert.strictEqual((await server.initialize("2025-06-18")).result?.protocolVersion, "2025-06-18");
  assert.strictEqual((await server.request("initialize", initialize("2025-11-25"))).error?.code, -32600);
  assert.match((await server.shell("ls; echo end")).output, /^end\n$/, "the early call ran nothing");
});

Deno.test("C1 C3 fault 12: a hasty client is served, a probe of the newest era settles nothing, initialize with an unknown version is answered with the newest of its era, and a client is asked for nothing that the server does not need, over stdio", async () => {
  using bench = new Workbench();
  await using server = await ServerProcess.start(bench, { era: "none" });
  const asked: RpcMessage[] = [];
  server.listen((message) => {
    if (message.method !== undefined && message.id !== undefined) asked.push(message);
  });
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const probe = await exchange(server, { jsonrpc: "2.0", id: "p", method: "server/discover", params: { _meta } }, "p");
  assert.deepStrictEqual(probe.result?.supportedVersions, ["2026-07-28"]);
  assert.strictEqual((await server.request("tools/list")).error?.code, -32602);
  const answers = [1, 2].map((id) => server.message((message) => message.id === `h${id}`, { what: `answer ${id}` }));
  const params = initialize("2199-01-01", { roots: { listChanged: true }, sampling: {}, elicitation: {} });
  const both = [{ id: "h1", method: "initialize", params }, { id: "h2", method: "tools/list" }];
  await server.write(both.map((message) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`).join(""));
  const [opened, listed] = await Promise.all(answers);
  assert.deepStrictEqual([opened?.result?.protocolVersion, listed?.error], ["2025-11-25", undefined]);
  await server.send({ jsonrpc: "2.0", method: "notifications/initialized" });
  await server.send({ jsonrpc: "2.0", method: "notifications/roots/list_changed" });
  await server.shell("true");
  await server.call("status");
  // The scope is what the program was started with; no client needs to be asked.
  assert.deepStrictEqual(asked, []);
});

testNewest(
  "C1 C3 fault 11: every request with an envelope of another version is -32022, over stdio",
  async ({ server }) => {
    const ask = (id: string, version: unknown) => {
      const _meta = {
        "io.modelcontextprotocol/protocolVersion": version,
        "io.modelcontextprotocol/clientCapabilities": {},
      };
      return exchange(server, { jsonrpc: "2.0", id, method: "tools/list", params: { _meta } }, id);
    };
    for (const round of ["first", "later"]) {
      for (const version of ["2199-01-01", "2025-11-25", "1999-01-01", ""]) {
        const { error } = await ask(`${round} ${version}`, version);
        assert.deepStrictEqual([error?.code, error?.data], [-32022, { supported: ["2026-07-28"], requested: version }]);
      }
      assert.strictEqual((await ask(`${round} 7`, 7)).error?.code, -32602);
      assert.notStrictEqual((await ask(`${round} right`, "2026-07-28")).result, undefined, "the control");
    }
    const bare = await exchange(server, { jsonrpc: "2.0", id: "bare", method: "tools/list" }, "bare");
    assert.strictEqual(bare.error?.code, -32602);
  },
);

test("X5 C3 fault 16: fifty changes of tool files and a hundred operations are few announcements, over stdio", async ({ bench, server }) => {
  await server.request("tools/list");
  await server.request("resources/list");
  const seen = new Map<string, number>();
  server.listen(({ method = "" }) => seen.set(method, (seen.get(method) ?? 0) + 1));
  const begin = performance.now();
  for (let turn = 1; turn <= 50; turn++) {
    bench.write(".ahma/tools/a.json", JSON.stringify({ name: "own", command: "echo", description: `${turn}` }));
    await Promise.all([server.shell("true"), server.shell("true")]);
  }
  bench.write(".ahma/tools/last.json", JSON.stringify({ name: "last", command: "echo", description: "last" }));
  const names = async () => JSON.stringify((await server.request("tools/list")).result);
  while (!(await names()).includes('"name":"last"')) await server.notification("notifications/tools/list_changed");
  const seconds = (performance.now() - begin) / 1000;
  const [tools = 0, resources = 0] = ["tools", "resources"].map((what) =>
    seen.get(`notifications/${what}/list_changed`)
  );
  const most = Math.ceil(seconds) + 1;
  assert.ok(tools >= 1 && tools <= 10 * most, `${tools} of tools in ${seconds} s`);
  assert.ok(resources >= 1 && resources <= most, `${resources} of resources in ${seconds} s`);
});

for (const [era, test] of Object.entries(TESTS)) {
  test(`C3 fault 19: notifications and answers are answered by nothing, whatever is in them, over stdio in ${era}`, async ({ server }) => {
    await server.request("tools/list");
    const before = server.unclaimed.length;
    const messages = [
      { method: "notifications/initialized" },
      { method: "notifications/none", params: { x: 1 } },
      { method: "notifications/cancelled" },
      { method: "notifications/cancelled", params: { requestId: "never" } },
      { method: "notifications/cancelled", params: { requestId: {} } },
      { method: "notifications/progress", params: { progressToken: "none", progress: 1 } },
      { method: "notifications/none", params: [1] },
      { method: "notifications/none", unknown: 1 },
      { method: "tools/call", params: { name: "sandboxed_shell", arguments: { command: "touch ran" } } },
      { id: 99, result: {} },
      { id: "none", error: { code: -1, message: "x" } },
      // Answers that are broken: answering them could go on for ever.
      { id: null, error: { code: -32700, message: "Parse error" } },
      { error: { code: -32700, message: "Parse error" } },
      { id: 7, result: 7 },
      { id: 7, result: {}, error: { code: 1, message: "x" } },
      { id: {}, result: {} },
    ];
    for (const message of messages) await server.send({ jsonrpc: "2.0", ...message });
    // Lines that say nothing.
    await server.write("\r\n \n\n");
    // And what nests too deep to be read.
    const list = "[".repeat(100_000) + "]".repeat(100_000);
    await server.write(`{"jsonrpc":"2.0","id":1,"result":{"a":${list}}}\n`);
    await server.write(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":${list}}}\n`);
    const { output } = await server.shell("test ! -e ran && echo end");
    assert.match(output, /^end\n$/, "a call without an id runs nothing");
    // What the server announces by itself, of the sandbox and of what other tests changed, answers none of them.
    const announced = /^notifications\/(sandbox\/configured|(tools|resources)\/list_changed)$/;
    const told = server.unclaimed.slice(before).filter(({ method = "" }) => !announced.test(method));
    assert.deepStrictEqual(told, []);
  });

  test(`B6 C3 fault 5: a cancelled call ends its processes and gets no response, over stdio in ${era}`, async ({ bench, server }) => {
    const params = server.request("tools/call", {
      name: "sandboxed_shell",
      arguments: { command: "touch doomed; sleep 300; echo end", execution_mode: "Synchronous" },
    }, { id: "doomed", deadline: 60_000 });
    const answered = params.then(() => true, () => false);
    await bench.appears("doomed");
    await server.send({
      jsonrpc: "2.0",
      method: "notifications/cancelled",
      params: { requestId: "doomed", reason: "test" },
    });
    await bench.processesGone("sleep 300");
    // Whatever the server had to say to the cancelled request comes before the answer to a later one.
    await server.shell("true");
    assert.equal(await Promise.race([answered, Promise.resolve("no response")]), "no response");
  });
}

test("C2 C3 fault 2: --debug and --log-to-stderr leave stdout to the protocol, over stdio", async ({ server }) => {
  await server.shell("echo out; echo err >&2; exit 3");
  await server.start("echo background");
  await server.request("no/such/method");
  await server.write("garbage\n");
  await server.message(({ error, id }) => error !== undefined && (id ?? null) === null, { what: "the parse error" });
  assert.notEqual(server.stderr, "", "the log went to stderr");
});

Deno.test("C3 fault 9: the end of input before any message ends the program, with code 0, over stdio", async () => {
  using bench = new Workbench();
  await using server = await ServerProcess.start(bench, { era: "none" });
  await server.closeInput();
  assert.equal((await server.exit(5_000)).code, 0);
});

// The last one of this server.
test("X14 C3 fault 9: the end of input ends the program at once, with code 0, and the grandchildren of commands, over stdio", async ({ bench, server }) => {
  const orphan = `setsid nohup sh -c 'trap "" TERM HUP; touch orphan; sleep 7171' >/dev/null 2>&1 &`;
  // They have a quarter of a second after their command: a test that looks for them then may come too late.
  const begun = "until [ -e orphan ] && [ -e grandchild ]; do sleep 0.02; done; touch ready; " +
    "sleep 9; touch outlived";
  await server.start(`${orphan} (touch grandchild; sleep 7171 &); ${begun}`);
  await bench.appears("ready");
  await server.closeInput();
  assert.strictEqual((await server.exit()).code, 0);
  assert.ok(!exists(`${bench.scope}/outlived`)); // a grace that is waited for takes ten seconds
  await bench.processesGone("sleep 7171");
});
