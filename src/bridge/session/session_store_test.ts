import { strict as assert } from "node:assert";
import { Server, type Transport } from "@modelcontextprotocol/server";
import { SILENT } from "../../base/log.ts";
import { OperationRegistry } from "../../operation/registry.ts";
import type { Backend, ClientLink } from "./backend.ts";
import { inProcessBackends } from "../backends/in_process_backend.ts";
import { HttpSession } from "./session.ts";
import { SessionStore } from "./session_store.ts";

const CLIENT = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "1" } };
const IDLE_MS = 40;
/** A backend that the test makes busy; `ended` settles with its end. */
class PlayedBackend implements Backend {
  readonly link: ClientLink;
  isBusy = false;
  readonly #ended = Promise.withResolvers<number>();

  constructor(link: ClientLink) {
    this.link = link;
  }

  /** Settles with the time of the end. */
  get ended(): Promise<number> {
    return this.#ended.promise;
  }

  receive() {
    return undefined;
  }

  finish(): Promise<void> {
    this.#ended.resolve(performance.now());
    return Promise.resolve();
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

function playedStore() {
  const opened: PlayedBackend[] = [];
  const store = new SessionStore({
    open: (link) => {
      const backend = new PlayedBackend(link);
      opened.push(backend);
      return backend;
    },
    most: 10,
    idleMs: IDLE_MS,
    keepAliveMs: 60_000,
    echo: undefined,
    log: SILENT,
  });
  const open = () => {
    store.open(CLIENT);
    const backend = opened.at(-1);
    assert.ok(backend !== undefined);
    return backend;
  };
  return { store, open };
}

Deno.test("H8 a session with work is not idle, and after its work it has the whole time again", async () => {
  const { store, open } = playedStore();
  const busy = open();
  busy.isBusy = true;
  // Each of these ends because it is idle for long enough; it began after `busy` was last used.
  for (let round = 0; round < 3; round++) await open().ended;
  assert.strictEqual(store.size, 1);
  busy.isBusy = false;
  const over = performance.now();
  busy.link.used();
  assert.ok(await busy.ended - over >= IDLE_MS);
  await store.close("The test is over");
});

Deno.test("H4 X14 what runs in a session that is ended has its grace, and only that session", async () => {
  const registries: OperationRegistry[] = [];
  const store = new SessionStore({
    open: inProcessBackends({
      makeService: () => {
        const registry = new OperationRegistry({ maxConcurrency: 8, log: SILENT });
        registries.push(registry);
        const server = new Server({ name: "test", version: "1" }, { capabilities: {} });
        const connect = (transport: Transport) => ({
          open: () => server.connect(transport),
          end: () => server.close(),
        });
        return { registry, connect, close: () => Promise.resolve() };
      },
      graceMs: IDLE_MS,
      log: SILENT,
    }),
    most: 10,
    idleMs: 600_000,
    keepAliveMs: 60_000,
    echo: undefined,
    log: SILENT,
  });
  const [one, other] = [store.open(CLIENT), store.open(CLIENT)];
  assert.ok(one instanceof HttpSession && other instanceof HttpSession);
  const [first, second] = registries.map((registry) => runsUntilStopped(registry));
  assert.ok(first !== undefined && second !== undefined);
  const asked = performance.now();
  void one.end("The client ended the session");
  await registries[0]?.wait([first.id]);
  assert.ok(performance.now() - asked >= IDLE_MS - 1);
  assert.deepStrictEqual([first.state, second.state], ["cancelled", "running"]);
  await store.close("The test is over");
  assert.strictEqual(second.state, "cancelled");
});

/** An operation that ends when it is stopped, and not before. */
function runsUntilStopped(registry: OperationRegistry) {
  return registry.start(
    "sandboxed_shell",
    "waits",
    ({ signal }) =>
      new Promise((resolve) =>
        signal.addEventListener("abort", () => resolve({ kind: "signalled", signal: "SIGTERM" }))
      ),
  );
}
