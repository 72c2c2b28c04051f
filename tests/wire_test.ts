import assert from "node:assert/strict";
import { withDeadline } from "./_support/deadline.ts";
import type { RpcMessage } from "./_support/json_rpc.ts";
import { connectClient } from "./_support/sdk_client.ts";
import { ERAS, ServerProcess } from "./_support/server_process.ts";
import { Workbench } from "./_support/workbench.ts";

const LEGACY_VERSIONS = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] as const;

function isErrorWithoutId({ error, id }: RpcMessage): boolean {
  return error !== undefined && (id ?? null) === null;
}

for (const version of LEGACY_VERSIONS) {
  Deno.test(`C1 initialize answers ${version} with the same version`, async () => {
    using bench = new Workbench();
    await using server = await ServerProcess.start(bench, { era: "none" });
    const { result } = await server.initialize(version);
    assert.equal(result?.protocolVersion, version);
  });
}

Deno.test("C1 C3 fault 12: initialize with an unknown version is answered with the newest of its era, over stdio", async () => {
  using bench = new Workbench();
  await using server = await ServerProcess.start(bench, { era: "none" });
  const { result } = await server.initialize("2199-01-01");
  assert.equal(result?.protocolVersion, "2025-11-25");
});

Deno.test("C1 server/discover names 2026-07-28 and tools", async () => {
  using bench = new Workbench();
  await using server = await ServerProcess.start(bench, { era: "2026-07-28" });
  const { result } = await server.request("server/discover");
  assert.ok(JSON.stringify(result).includes("2026-07-28"), JSON.stringify(result));
  assert.notEqual((result?.capabilities as Record<string, unknown> | undefined)?.tools, undefined);
});

for (const era of ERAS) {
  Deno.test(`C1 X3 the SDK's client lists and calls tools in ${era}`, async () => {
    using bench = new Workbench();
    await using server = await ServerProcess.start(bench, { era: "none" });
    const client = await connectClient(server, era);
    const { tools } = await client.listTools();
    const names = tools.map(({ name }) => name);
    for (const name of ["await", "cancel", "sandboxed_shell", "status"]) assert.ok(names.includes(name), name);
    const result = await client.callTool({
      name: "sandboxed_shell",
      arguments: { command: "echo over the sdk", execution_mode: "Synchronous" },
    });
    assert.match(JSON.stringify(result.content), /over the sdk/);
    await client.close();
  });

  Deno.test(`C2 malformed JSON is -32700 and the connection lives on in ${era}`, async () => {
    using bench = new Workbench();
    await using server = await ServerProcess.start(bench, { era });
    await server.request("tools/list");
    await server.write("{ this is not JSON\n");
    const refusal = await server.message(isErrorWithoutId, { what: "the parse error" });
    assert.equal(refusal.error?.code, -32700);
    assert.notEqual((await server.request("tools/list")).result, undefined);
  });

  Deno.test(`C2 an unknown method is -32601 in ${era}`, async () => {
    using bench = new Workbench();
    await using server = await ServerProcess.start(bench, { era });
    assert.equal((await server.request("no/such/method")).error?.code, -32601);
    assert.notEqual((await server.request("tools/list")).result, undefined);
  });

  Deno.test(`X4 C3 fault 4: an unknown tool is -32602, over stdio in ${era}`, async () => {
    using bench = new Workbench();
    await using server = await ServerProcess.start(bench, { era });
    const { error } = await server.request("tools/call", { name: "sandboxed_shel", arguments: {} });
    assert.equal(error?.code, -32602);
    assert.match(error?.message ?? "", /sandboxed_shel/);
  });

  Deno.test(`C3 fault 14: ids 0 and text are answered with the same id and type, over stdio in ${era}`, async () => {
    using bench = new Workbench();
    await using server = await ServerProcess.start(bench, { era });
    for (const id of [0, "0", 'a"b', 9_007_199_254_740_991]) {
      const answer = await server.request("tools/list", {}, { id });
      assert.strictEqual(answer.id, id);
      assert.notEqual(answer.result, undefined);
    }
  });

  Deno.test(`C2 a line of 17 MiB is refused and the server lives on in ${era}`, async () => {
    using bench = new Workbench();
    await using server = await ServerProcess.start(bench, { era });
    await server.request("tools/list");
    const refused = server.message((message) => message.error !== undefined, { what: "the refusal" });
    await server.write(`{"jsonrpc":"2.0","id":"long","method":"tools/list","params":{"x":"`);
    const mebibyte = "x".repeat(1 << 20);
    for (let sent = 0; sent < 17; sent++) await server.write(mebibyte);
    await server.write(`"}}\n`);
    assert.ok([-32700, -32600].includes((await refused).error?.code ?? 0), JSON.stringify(await refused));
    assert.notEqual((await server.request("tools/list")).result, undefined);
  });

  Deno.test(`C2 a line of 15 MiB is served in ${era}`, async () => {
    using bench = new Workbench();
    await using server = await ServerProcess.start(bench, { era });
    const size = 15 << 20;
    const answer = await server.shell("wc -c", { stdin: "x".repeat(size) });
    assert.match(answer.text, new RegExp(`^\\s*${size}$`, "m"));
  });

  Deno.test(`B6 C3 fault 5: a cancelled call ends its processes and gets no response, over stdio in ${era}`, async () => {
    using bench = new Workbench();
    await using server = await ServerProcess.start(bench, { era });
    const params = server.request("tools/call", {
      name: "sandboxed_shell",
      arguments: { command: "touch started; sleep 300; echo end", execution_mode: "Synchronous" },
    }, { id: "doomed", deadline: 60_000 });
    const answered = params.then(() => true, () => false);
    await bench.appears("started");
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

Deno.test("C3 ping is answered with an empty result", async () => {
  using bench = new Workbench();
  await using server = await ServerProcess.start(bench);
  assert.deepStrictEqual((await server.request("ping")).result, {});
});

Deno.test("C3 every result of 2026-07-28 says that it is complete", async () => {
  using bench = new Workbench();
  await using server = await ServerProcess.start(bench, { era: "2026-07-28" });
  assert.equal((await server.request("tools/list")).result?.resultType, "complete");
  assert.equal((await server.shell("true")).result.resultType, "complete");
});

Deno.test("C3 fault 3: progress rises, carries the caller's token, and stops with the response, over stdio", async () => {
  using bench = new Workbench();
  await using server = await ServerProcess.start(bench);
  await server.call("sandboxed_shell", {
    command: "for i in 1 2 3; do echo line $i; sleep 0.3; done",
    execution_mode: "Synchronous",
  }, { progressToken: "p-1" });
  const before = server.unclaimed.length;
  await server.request("ping");
  const notes = server.unclaimed.filter(({ method }) => method === "notifications/progress").map(({ params }) =>
    params
  );
  assert.equal(server.unclaimed.length, before, "no message after the response");
  assert.ok(notes.length >= 2, `two or more of them: ${JSON.stringify(notes)}`);
  assert.deepStrictEqual(new Set(notes.map((note) => note?.progressToken)), new Set(["p-1"]));
  const steps = notes.map((note) => Number(note?.progress));
  assert.deepStrictEqual(steps, [...new Set(steps)].toSorted((one, other) => one - other));
  assert.match(notes.map((note) => note?.message).join("\n"), /line 1[^]*line 3/);
});

Deno.test("C3 fault 3: without a token there is no progress, over stdio", async () => {
  using bench = new Workbench();
  await using server = await ServerProcess.start(bench);
  await server.shell("echo one; sleep 0.3; echo two");
  assert.deepStrictEqual(server.unclaimed.filter(({ method }) => method === "notifications/progress"), []);
});

Deno.test("C2 C3 fault 2: --debug and --log-to-stderr leave stdout to the protocol, over stdio", async () => {
  using bench = new Workbench();
  await using server = await ServerProcess.start(bench, { flags: ["--debug", "--log-to-stderr"] });
  await server.shell("echo out; echo err >&2; exit 3");
  await server.start("echo background");
  await server.request("no/such/method");
  await server.write("garbage\n");
  await server.message(isErrorWithoutId, { what: "the parse error" });
  assert.notEqual(server.stderr, "", "the log went to stderr");
});

for (const era of ERAS) {
  Deno.test(`C3 fault 9: the end of input ends the program at once, with code 0, over stdio in ${era}`, async () => {
    using bench = new Workbench();
    await using server = await ServerProcess.start(bench, { era });
    await server.shell("true");
    const begin = performance.now();
    await server.closeInput();
    const { code } = await server.exit();
    assert.equal(code, 0);
    // A tenth of a second, or two on a busy machine; a grace that is waited for takes ten.
    assert.ok(performance.now() - begin < 5_000, `it took ${performance.now() - begin} ms`);
  });
}

Deno.test("C3 fault 9: the end of input before any message ends the program, with code 0, over stdio", async () => {
  using bench = new Workbench();
  await using server = await ServerProcess.start(bench, { era: "none" });
  await server.closeInput();
  assert.equal((await withDeadline(server.exit(), 5_000, "the end")).code, 0);
});
