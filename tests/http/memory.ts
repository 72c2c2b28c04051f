/**
 * What a session took it gives back when it ends (N5): nothing of it is reachable any more, so the collector has it. The
 * server is the product's own composition in this process, where what it made can be watched.
 */
import assert from "node:assert/strict";
import { isDeepStrictEqual } from "node:util";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { SILENT } from "../../src/base/log.ts";
import { ownHosts } from "../../src/http/request_guard.ts";
import { HttpServer } from "../../src/bridge/http_server.ts";
import { SessionStore } from "../../src/bridge/session/session_store.ts";
import { parseCommandLine } from "../../src/settings/flags/parse_command_line.ts";
import { isolatedServices } from "../../src/app/http/http_isolation.ts";
import { inProcessServices, KEEP_ALIVE_MS, sharedServices } from "../../src/app/http/http_services.ts";
import { readInvocation } from "../../src/settings/settings.ts";
import { plainCall } from "../../src/service/connection/plain_calls.ts";
import { buildServer } from "../../src/service/connection/server.ts";
import { until } from "../_support/deadline.ts";
import { EventReader } from "../_support/clients/event_reader.ts";
import { BOTH, initializeMessage } from "../_support/servers/http_server.ts";
import { MODERN_META } from "../_support/json_rpc.ts";
import { Workbench } from "../_support/workbench.ts";
import { STDIO_SERVER } from "./stdio_server.ts";

const SHELL = "sandboxed_shell";
const ROUNDS = 2;

/** What the server made, by what it is. */
type Watched = Map<string, WeakRef<object>[]>;

interface Served {
  readonly server: HttpServer;
  readonly sessions: SessionStore;
  readonly watched: Watched;
}

/** How the server was asked to serve. */
interface Asked {
  readonly flags?: readonly string[];
  readonly serve: typeof inProcessServices;
}

/** Serves in this process, and watches what is made for each session and each request of 2026-07-28. */
async function serve(bench: Workbench, { flags = [], serve }: Asked, stack: AsyncDisposableStack): Promise<Served> {
  const line = parseCommandLine([
    "--mode",
    "http",
    "--inline-wait",
    "100",
    "--sandbox-scope",
    bench.scope,
    ...flags,
  ]);
  assert.ok(line.ok);
  const environment = { HOME: bench.home, PATH: Deno.env.get("PATH") ?? "" };
  const invocation = readInvocation(line.value, { environment, cores: 2 });
  assert.ok(invocation.ok && invocation.value.kind === "run" && invocation.value.settings.http !== undefined);
  const { settings } = invocation.value;
  const watched: Watched = new Map();
  const watch = (what: string, one: object) => watched.set(what, [...watched.get(what) ?? [], new WeakRef(one)]);
  const { http } = settings;
  assert.ok(http !== undefined);
  const { open, stateless } = await serve({
    settings,
    http,
    flags: line.value.flags,
    environment,
    token: undefined,
    echo: undefined,
    log: SILENT,
    makeServer(service, options) {
      const server = buildServer(service, options);
      watch(`${options.revision} server`, server);
      // That of 2026-07-28 is one for all requests.
      if (options.revision === "2025-11-25") watch("registry", service.registry);
      return server;
    },
    plainCall(message) {
      const call = plainCall(message);
      if (call !== undefined) watch("2026-07-28 call", call);
      return call;
    },
  }, stack);
  const sessions = new SessionStore({
    // A session is held by the link of its backend, and a stream by its session.
    open(link, client) {
      const backend = open(link, client);
      watch("link", link);
      watch("backend", backend);
      return backend;
    },
    most: 64,
    idleMs: 60_000,
    keepAliveMs: KEEP_ALIVE_MS,
    echo: undefined,
    log: SILENT,
  });
  const server = new HttpServer({
    host: "127.0.0.1",
    port: 0,
    rules: (port) => ({ hosts: ownHosts("127.0.0.1", port, []), origins: new Set(), token: undefined, instance: "" }),
    sessions,
    stateless,
    log: SILENT,
  });
  stack.defer(() => server.stop());
  return { server, sessions, watched };
}

class Client {
  readonly #url: string;
  #session = "";

  constructor({ port }: HttpServer) {
    this.#url = `http://127.0.0.1:${port}/mcp`;
  }

  async begin(): Promise<this> {
    const response = await this.post(initializeMessage("2025-11-25"));
    this.#session = response.headers.get("mcp-session-id") ?? "";
    await response.text();
    await (await this.post({ jsonrpc: "2.0", method: "notifications/initialized" })).text();
    return this;
  }

  post(message: object, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
    const all = { ...this.#headers(), "content-type": "application/json", accept: BOTH, ...headers };
    return fetch(this.#url, { method: "POST", headers: all, body: JSON.stringify(message) });
  }

  request(id: number, method: string, params: object = {}): Promise<Response> {
    return this.post({ jsonrpc: "2.0", id, method, params });
  }

  call(id: number, command: string, more: object = {}): Promise<Response> {
    return this.request(id, "tools/call", {
      name: SHELL,
      arguments: { command },
      _meta: { progressToken: id },
      ...more,
    });
  }

  async listen(): Promise<EventReader> {
    return new EventReader(await fetch(this.#url, { headers: { ...this.#headers(), accept: "text/event-stream" } }));
  }

  stateless(method: string, params: object): Promise<Response> {
    const message = { jsonrpc: "2.0", id: 1, method, params: { ...params, _meta: MODERN_META } };
    return this.post(message, {
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": method,
      ...method === "tools/call" && { "mcp-name": SHELL },
    });
  }

  async end(): Promise<void> {
    await (await fetch(this.#url, { method: "DELETE", headers: this.#headers() })).text();
  }

  #headers(): Record<string, string> {
    return this.#session === "" ? {} : { "mcp-session-id": this.#session };
  }
}

/** What clients do in a session before they end it. */
const USES: Readonly<Record<string, (client: Client, bench: Workbench) => Promise<unknown>>> = {
  "nothing": () => Promise.resolve(),
  "a call": async (client) => await (await client.call(1, "echo word")).text(),
  "a call that goes on": async (client, bench) => {
    const gate = crypto.randomUUID();
    const file = bench.write(gate, "");
    await (await client.call(1, `until [ ! -e ${gate} ]; do sleep 0.05; done`)).text();
    await client.end();
    await Deno.remove(file);
  },
  "a call that is taken back": async (client, bench) => {
    const gate = crypto.randomUUID();
    const command = `touch ${gate}; sleep 5555`;
    const args = { name: SHELL, arguments: { command, execution_mode: "Synchronous" } };
    const calling = client.request(1, "tools/call", args);
    await bench.appears(gate);
    await (await client.post({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } })).text();
    await (await calling).text();
  },
  "a task with progress": async (client) => {
    await (await client.call(1, "echo word", { task: {} })).text();
    await (await client.request(2, "tasks/list")).text();
  },
  "a stream and subscriptions": async (client) => {
    await using reader = await client.listen();
    await (await client.request(1, "resources/subscribe", { uri: "ahma://operations" })).text();
    await (await client.request(2, "resources/list")).text();
    await (await client.call(3, "echo word")).text();
    await reader.message(({ method }) => method === "notifications/resources/updated");
  },
  "a stream that is open at the end": async (client) => {
    const reader = await client.listen();
    await client.end();
    await reader.rest();
  },
  "an answer that is not read": async (client) => await (await client.call(1, "seq 10000")).body?.cancel(),
};

/** The same with a third-party server. */
const FRONTED_USES: typeof USES = {
  "nothing": () => Promise.resolve(),
  "a call with progress": async (client) => {
    const params = { name: "progress", arguments: { word: "word" }, _meta: { progressToken: 1 } };
    await (await client.request(1, "tools/call", params)).text();
  },
  "a call that is open at the end": async (client, bench) => {
    const file = crypto.randomUUID();
    const calling = client.request(1, "tools/call", { name: "slow", arguments: { file: `${bench.scope}/${file}` } });
    await bench.appears(file);
    await (await client.post({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } })).text();
    await (await calling).text();
  },
  "a stream and a subscription": async (client) => {
    await using reader = await client.listen();
    await (await client.request(1, "resources/subscribe", { uri: "x://word" })).text();
    await (await client.request(2, "tools/call", { name: "tell", arguments: { word: "word" } })).text();
    await reader.message(({ method }) => method === "notifications/resources/updated");
  },
};

const MODERN_USES: Readonly<Record<string, (client: Client) => Promise<unknown>>> = {
  "a call": async (client) =>
    await (await client.stateless("tools/call", { name: SHELL, arguments: { command: "echo word" } })).text(),
  "a list": async (client) => await (await client.stateless("tools/list", {})).text(),
  "a subscription that is left": async (client) => {
    const params = { notifications: { toolsListChanged: true } };
    await using reader = new EventReader(await client.stateless("subscriptions/listen", params));
    await reader.message(({ method }) => method === "notifications/subscriptions/acknowledged");
  },
};

/** Looks until the collector has left so many and no more. */
async function assertCollected(watched: Watched, kept: Readonly<Record<string, number>>): Promise<void> {
  setFlagsFromString("--expose-gc");
  const collect: () => void = runInNewContext("gc");
  // The runtime lets go of a connection's last request in its own time.
  await until(
    () => {
      collect();
      return isDeepStrictEqual(reachable(watched), kept);
    },
    20_000,
    `the collector to leave ${JSON.stringify(kept)}`,
  ).catch((late: unknown) => {
    assert.deepStrictEqual(reachable(watched), kept, String(late));
  });
}

function reachable(watched: Watched): Readonly<Record<string, number>> {
  return Object.fromEntries([...watched].map(([what, refs]) => [what, refs.filter((one) => one.deref()).length]));
}

Deno.test("N5 H4 nothing of a session that ended is reachable, however it was used, nor of a request of 2026-07-28", async () => {
  using bench = new Workbench();
  await using stack = new AsyncDisposableStack();
  const { server, sessions, watched } = await serve(bench, { serve: inProcessServices }, stack);
  for (let round = 0; round < ROUNDS; round++) {
    for (const use of Object.values(USES)) {
      const client = await new Client(server).begin();
      await use(client, bench);
      await client.end();
    }
    for (const use of Object.values(MODERN_USES)) await use(new Client(server));
  }
  assert.strictEqual(sessions.size, 0);
  const made = ROUNDS * Object.keys(USES).length;
  const all = Object.fromEntries([...watched].map(([what, { length }]) => [what, length]));
  const expected = { "2025-11-25 server": made, registry: made, link: made, backend: made };
  // The SDK has no part in the call.
  assert.deepStrictEqual(all, { ...expected, "2026-07-28 server": 2 * ROUNDS, "2026-07-28 call": ROUNDS });
  // What lasts is seen to last: these are one session's.
  const lasting = await new Client(server).begin();
  const kept = {
    "2025-11-25 server": 1,
    registry: 1,
    link: 1,
    backend: 1,
    "2026-07-28 server": 0,
    "2026-07-28 call": 0,
  };
  await assertCollected(watched, kept);
  await lasting.end();
});

for (const mode of [[], ["--session-isolation"]]) {
  Deno.test(`N5 H4 H10 nothing of a session with a third-party server is reachable when it has ended ${mode.join("")}`, async () => {
    using bench = new Workbench();
    await using stack = new AsyncDisposableStack();
    const script = bench.write(`${bench.elsewhere}/server.py`, STDIO_SERVER);
    const flags = ["--server-command", "python3", "--server-args", script, "--read", bench.elsewhere, ...mode];
    const asked: Asked = {
      flags,
      serve: (options, rooms) =>
        mode.length > 0 ? isolatedServices(options, rooms) : sharedServices(options, ["python3", script], rooms),
    };
    const { server, sessions, watched } = await serve(bench, asked, stack);
    for (const use of Object.values(FRONTED_USES)) {
      const client = await new Client(server).begin();
      await use(client, bench);
      await client.end();
    }
    const lasting = await new Client(server).begin();
    assert.strictEqual(sessions.size, 1);
    await assertCollected(watched, { link: 1, backend: 1 });
    await lasting.end();
  });
}
