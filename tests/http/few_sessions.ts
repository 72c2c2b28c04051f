/** A server with room for one session (H8) and without hot reload: how long clients of 2026-07-28 may keep its lists (C3). */
import assert from "node:assert/strict";
import { until } from "../_support/deadline.ts";
import { HttpClient } from "../_support/clients/http_client.ts";
import type { RpcMessage } from "../_support/json_rpc.ts";
import { HttpServerProcess, initializeMessage } from "../_support/servers/http_server.ts";
import { type Shared, sharing } from "../_support/sharing.ts";
import { test } from "./servers.ts";

const LISTS = ["tools/list", "prompts/list", "resources/list", "resources/templates/list"];

const testFew = sharing((bench) => {
  const subcommand = [{ name: "default", description: "d" }];
  bench.write(".ahma/tools/say.json", JSON.stringify({ name: "say", description: "d", command: "echo", subcommand }));
  bench.write(".ahma/prompts/one.md", "text");
  const flags = ["--no-hot-reload", "--max-sessions", "1", "--session-idle", "6"];
  return HttpServerProcess.start(bench, { flags });
});

/** Of each list. */
async function hints(ask: (method: string) => Promise<RpcMessage>): Promise<readonly unknown[]> {
  const answers = await Promise.all(LISTS.map(ask));
  return answers.map(({ result }) => [result?.["ttlMs"], result?.["cacheScope"]]);
}

function modernHints(server: HttpServerProcess): Promise<readonly unknown[]> {
  return hints(async (method) => await (await server.modern(method, {}, { accept: "application/json" })).json());
}

const [KEPT, NOT] = [[300_000, "private"], [0, "private"]];

testFew(
  "C3 with --no-hot-reload lists may be kept five minutes, tools once their checks have ended",
  async ({ server }) => {
    await until(
      async () => JSON.stringify((await modernHints(server))[0]) === JSON.stringify(KEPT),
      60_000,
      "tools that may be kept",
    );
    assert.deepStrictEqual(await modernHints(server), [KEPT, KEPT, NOT, KEPT]);
  },
);

test("C3 lists that may change are not to be kept", async ({ server }) => {
  assert.deepStrictEqual(await modernHints(server), [NOT, NOT, NOT, KEPT]);
});

testFew(
  "H8 H11 C3 sessions that begin and end again do not pile up while their commands end, their number is limited, an unused one ends, and clients of earlier versions get no hints",
  async (shared) => {
    await doNotPileUp(shared);
    await areFew(shared);
  },
);

async function begin(server: HttpServerProcess): Promise<number> {
  const answer = await server.post(initializeMessage("2025-11-25"), { accept: "application/json" });
  await answer.body?.cancel();
  return answer.status;
}

async function doNotPileUp({ bench, server }: Shared<HttpServerProcess>): Promise<void> {
  for (const name of ["one", "two"]) {
    await using client = await HttpClient.connect(server);
    await client.start(`touch ${name}.begun; until test -e go; do sleep 0.05; done; touch ${name}.ended`);
    await bench.appears(`${name}.begun`);
    assert.strictEqual((await client.fetch("DELETE")).status, 204);
  }
  const third = await server.post(initializeMessage("2025-11-25"), { accept: "application/json" });
  assert.strictEqual(third.status, 503);
  assert.match((await third.json()).error.message, /2 sessions are still ending/);
  bench.write("go", "");
  await bench.appears("two.ended");
}

async function areFew({ server }: Shared<HttpServerProcess>): Promise<void> {
  const connect = () => HttpClient.connect(server, { listens: false }).catch(() => undefined);
  await using client = await until(connect, 10_000, "room for another session");
  assert.deepStrictEqual(await hints((method) => client.request(method)), LISTS.map(() => [undefined, undefined]));
  const second = await server.post(initializeMessage("2025-11-25"), { accept: "application/json" });
  assert.deepStrictEqual([second.status, (await second.json()).error.code], [503, -32000]);
  // With an event stream it is in use; the stream's end comes with the session's.
  const stream = await client.fetch("GET", { accept: "text/event-stream" });
  assert.strictEqual(stream.status, 200);
  await stream.body?.cancel();
  await until(async () => await begin(server) === 200, 20_000, "the idle session to end");
  const gone = await client.send({ jsonrpc: "2.0", id: 1, method: "ping" });
  assert.strictEqual(gone.status, 404);
  await gone.body?.cancel();
}
