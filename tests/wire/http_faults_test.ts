/** The faults of servers (see nineteen.ts) over HTTP that no other test here is about: raw requests, no SDK. */
import assert from "node:assert/strict";
import { withDeadline } from "../_support/deadline.ts";
import { HttpClient } from "../_support/clients/http_client.ts";
import { HttpServerProcess, initializeMessage } from "../_support/servers/http_server.ts";
import { type Shared, sharing } from "../_support/sharing.ts";
import { Workbench } from "../_support/workbench.ts";

const ISOLATED = "--session-isolation";
/** Everything is said on stderr: the end of a server fails its tests when stdout carried anything. */
const TALKATIVE = ["--debug", "--log-to-stderr"];
const test = sharing((bench) => HttpServerProcess.start(bench, { flags: TALKATIVE }));
const testIsolated = sharing((bench) =>
  HttpServerProcess.start(bench, { flags: [ISOLATED, "--sandbox-scope", bench.scope] })
);
const INITIALIZED = { jsonrpc: "2.0", method: "notifications/initialized" };

async function codeOf(response: Response | Promise<Response>): Promise<readonly [number, number | undefined]> {
  const answer = await response;
  return [answer.status, (await answer.json()).error?.code];
}

test("H9 C3 fault 2: nothing is written to stdout, whatever commands and clients do, over HTTP", async ({ server }) => {
  await using client = await HttpClient.connect(server);
  assert.match((await client.shell("echo out; echo err >&2; exit 3")).text, /out\nerr/);
  assert.deepStrictEqual(await codeOf(server.post("{", { headers: client.headers })), [400, -32700]);
  assert.notEqual(server.stderr, "", "the control: there was something to say");
});

testIsolated(
  "H4 C3 fault 6: nothing is served before initialize, and nothing asked before initialized, over HTTP",
  async ({ server }) => {
    for (const method of ["tools/list", "ping", "tools/call", "no/such/method"]) {
      assert.deepStrictEqual(await codeOf(server.post({ jsonrpc: "2.0", id: 1, method })), [400, -32000], method);
    }
    const opening = await server.post(initializeMessage("2025-11-25", { hasRoots: true }), {
      accept: "application/json",
    });
    const headers = { "mcp-session-id": opening.headers.get("mcp-session-id") ?? "" };
    await opening.body?.cancel();
    const listening = await server.post({ jsonrpc: "2.0", id: 2, method: "tools/list" }, { headers });
    const reader = (listening.body ?? new ReadableStream<Uint8Array>()).pipeThrough(new TextDecoderStream())
      .getReader();
    // Whatever the server had to ask would come before the answer to this.
    const ping = await server.post({ jsonrpc: "2.0", id: 3, method: "ping" }, { headers, accept: "application/json" });
    assert.deepStrictEqual((await ping.json()).result, {});
    let text = "";
    const read = async (until: RegExp) => {
      while (!until.test(text)) text += (await withDeadline(reader.read(), 20_000, String(until))).value ?? "";
    };
    await read(/\n\n/);
    assert.doesNotMatch(text, /roots\/list/, "not before initialized");
    const accepted = await server.post(INITIALIZED, { headers });
    assert.deepStrictEqual([accepted.status, await accepted.text()], [202, ""]);
    await read(/roots\/list/);
    await reader.cancel();
  },
);

/** Its sessions, and the grandchildren of their commands, go with the server that is killed. */
async function leavesNothing({ bench, server }: Shared<HttpServerProcess>): Promise<void> {
  const orphan = `setsid nohup sh -c 'trap "" TERM HUP; sleep 7272' >/dev/null 2>&1 &`;
  await using client = await HttpClient.connect(server, { listens: false });
  await client.notify("notifications/initialized");
  await client.start(`${orphan} (sleep 7272 &); sleep 7272`);
  await bench.processesAppear("sleep 7272", 20_000);
  server.kill("SIGKILL");
  await server.exit();
  await bench.processesGone("sleep 7272", 20_000);
}

Deno.test("X10 H11 C3 fault 9: a server that is killed leaves no session and no grandchild, over HTTP", async () => {
  using bench = new Workbench();
  await using server = await HttpServerProcess.start(bench);
  await leavesNothing({ bench, server });
});

// The last test of this server.
testIsolated("X10 H11 C3 fault 9: the same where sessions are isolated, over HTTP", leavesNothing);

test("H4 C3 fault 10: ids of sessions and operations are random and never the same, over HTTP", async ({ server }) => {
  const opened = await Promise.all(Array.from({ length: 50 }, async () => {
    const response = await server.post(initializeMessage("2025-11-25"), { accept: "application/json" });
    await response.body?.cancel();
    return response.headers.get("mcp-session-id") ?? "";
  }));
  assert.strictEqual(new Set(opened).size, 50);
  for (const id of opened) assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  // No part that may vary is the same in all of them, and none counts up.
  for (const [from, to] of [[0, 8], [9, 13], [15, 18], [24, 36]] as const) {
    assert.ok(new Set(opened.map((id) => id.slice(from, to))).size > 40);
  }
  const parts = opened.map((id) => parseInt(id.slice(0, 8), 16));
  assert.ok(parts.some((part, index) => part < (parts[index - 1] ?? 0)), "they do not rise");
});

test("X5 C3 fault 16: a hundred operations are few announcements, in a session and to who listens, over HTTP", async ({ server }) => {
  await using client = await HttpClient.connect(server);
  await client.request("resources/list");
  const begin = performance.now();
  for (let turn = 0; turn < 25; turn++) {
    await Promise.all(Array.from({ length: 4 }, () => client.shell("true")));
  }
  await client.hears("notifications/resources/list_changed");
  const seconds = (performance.now() - begin) / 1000;
  const heard = client.heard.filter(({ method }) => method === "notifications/resources/list_changed").length;
  assert.ok(heard <= Math.ceil(seconds) + 1, `${heard} in ${seconds} s`);
});
