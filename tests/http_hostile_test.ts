/** Clients that try to end the server, or to take what it needs: it refuses them, and serves the others. */
import assert from "node:assert/strict";
import { until } from "./_support/deadline.ts";
import { HttpClient } from "./_support/http_client.ts";
import { HttpServerProcess } from "./_support/http_server.ts";
import { Workbench } from "./_support/workbench.ts";

const SCRIPT = await Deno.readTextFile(new URL("fixtures/stdio_server.py", import.meta.url));

function nested(depth: number): string {
  return '{"1":'.repeat(depth) + "1" + "}".repeat(depth);
}

async function refusalOf(response: Promise<Response>): Promise<readonly unknown[]> {
  const answer = await response;
  const { id, error } = await answer.json();
  return [answer.status, error?.code, id];
}

const MODES: Readonly<Record<string, (scope: string, script: string) => readonly string[]>> = {
  shared: () => [],
  isolated: (scope) => ["--session-isolation", "--sandbox-scope", scope],
  fronted: (_, script) => ["--server-command", "python3", "--server-args", script],
};

for (const [mode, flags] of Object.entries(MODES)) {
  Deno.test(`H8 C2 a message that nests too deep to be written again is refused, and the server lives, ${mode}`, async () => {
    using bench = new Workbench();
    const script = bench.write("server.py", SCRIPT);
    await using server = await HttpServerProcess.start(bench, { flags: flags(bench.scope, script) });
    await using client = await HttpClient.connect(server);
    const { headers } = client;
    const call = (depth: number) =>
      `{"jsonrpc":"2.0","id":"deep","method":"tools/call","params":{"name":"x","arguments":{"x":${nested(depth)}}}}`;
    const answer = `{"jsonrpc":"2.0","id":1,"result":{"x":${nested(100_000)}}}`;
    const note = `{"jsonrpc":"2.0","method":"notifications/x","params":{"x":${nested(100_000)}}}`;
    assert.deepStrictEqual(await refusalOf(server.post(call(100_000), { headers })), [400, -32600, "deep"]);
    assert.deepStrictEqual(await refusalOf(server.post(answer, { headers })), [400, -32600, 1]);
    assert.deepStrictEqual(await refusalOf(server.post(note, { headers })), [400, -32600, null]);
    // What a program may well send goes through.
    const allowed = await server.post(call(400), { headers, accept: "application/json" });
    assert.strictEqual(allowed.status, 200);
    assert.strictEqual((await allowed.json()).id, "deep");
    assert.deepStrictEqual((await client.request("ping")).result, {});
  });
}

Deno.test("H8 a server whose connections are all taken serves again when they are free", async () => {
  using bench = new Workbench();
  await using server = await HttpServerProcess.start(bench);
  await using client = await HttpClient.connect(server);
  const usual = await limitOfFiles(server.pid);
  const open = (await Array.fromAsync(Deno.readDir(`/proc/${server.pid}/fd`))).length;
  await limitFiles(server.pid, open + 20);
  const taken = await Promise.all(Array.from({ length: 60 }, () => connected(server.port)));
  try {
    // The kernel takes connections that the server has no room for: it has met its limit when one is closed by it.
    await Promise.race(taken.map((one) => one?.read(new Uint8Array(1)).catch(() => null) ?? null));
  } finally {
    for (const one of taken) one?.close();
  }
  await until(() => healthy(server), 10_000, "the server to serve again");
  await limitFiles(server.pid, usual);
  // Its sessions are still there, and their streams.
  assert.match((await client.shell("echo still here")).text, /still here/);
});

/** The soft one. */
async function limitOfFiles(pid: number): Promise<number> {
  const limits = await Deno.readTextFile(`/proc/${pid}/limits`);
  return Number(/^Max open files\s+(\d+)/m.exec(limits)?.[1]);
}

async function limitFiles(pid: number, most: number): Promise<void> {
  const { success } = await new Deno.Command("prlimit", { args: [`--pid=${pid}`, `--nofile=${most}:`] }).output();
  assert.ok(success);
}

async function connected(port: number): Promise<Deno.TcpConn | undefined> {
  try {
    return await Deno.connect({ hostname: "127.0.0.1", port });
  } catch (thrown) {
    if (thrown instanceof Deno.errors.ConnectionRefused || thrown instanceof Deno.errors.ConnectionReset) {
      return undefined;
    }
    throw thrown;
  }
}

async function healthy(server: HttpServerProcess): Promise<boolean> {
  try {
    return (await (await fetch(new URL("/health", server.url))).text()) === "OK";
  } catch (thrown) {
    if (thrown instanceof TypeError) return false;
    throw thrown;
  }
}
