import { strict as assert } from "node:assert";
import { InMemoryTransport } from "@modelcontextprotocol/client";
import { type JSONRPCMessage, ProtocolError, type Result } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { success } from "../../base/outcome.ts";
import { makeService, PlayedRunner } from "../_support/connection.ts";
import { InitializeOrder } from "../sdk/initialize_order.ts";
import type { ToolSource } from "../service.ts";
import { DirectCalls } from "./direct_calls.ts";
import { buildConnection, type ConnectionServer, revisionOf } from "./server.ts";

const RESULTS: Readonly<Record<string, () => unknown>> = {
  plain: () => ({ content: [{ type: "text", text: "a" }], isError: true, _meta: { "a/b": 1 } }),
  image: () => ({ content: [{ type: "image", data: "AAAA", mimeType: "image/png" }] }),
  structured: () => ({ content: [{ type: "text", text: "{}", annotations: {} }], structuredContent: {}, extra: 1 }),
  without: () => ({}),
  wrong: () => ({ content: [{ type: "text", text: 1 }] }),
  empty: () => ({ content: [] }),
  refused: () => {
    throw new ProtocolError(-32_001, "No", { why: "not" });
  },
  broken: () => {
    throw new Error("Broken");
  },
};

/** Tools that give what is no concern of the layer. */
const SOURCE: ToolSource = {
  list: () => Promise.resolve([]),
  call: (_, { name }) => {
    const result = RESULTS[name];
    return result === undefined
      ? Promise.resolve({ ok: false, problem: { known: Object.keys(RESULTS) } })
      : Promise.resolve().then(() => success(result() as never));
  },
};

/** A connection, past the SDK or through it. */
class Connection implements AsyncDisposable {
  /** Calls that went past the SDK. */
  direct = 0;
  readonly runner = new PlayedRunner((command) => {
    if (!("shell" in command.request.run) || command.request.run.shell !== "wait") command.exit(0);
  });
  readonly #client: InMemoryTransport;
  readonly #served: ReturnType<typeof serveStdio>;
  readonly #answers: JSONRPCMessage[] = [];
  #onAnswer: () => void = () => {};

  constructor(isDirect: boolean) {
    const own = makeService({ runner: this.runner });
    const service = { ...own, sources: [SOURCE, ...own.sources] };
    const [client, wire] = InMemoryTransport.createLinkedPair();
    this.#client = client;
    let built: ConnectionServer | undefined;
    const order = new InitializeOrder(wire);
    const layer = new DirectCalls(order, () =>
      isDirect && built?.answerCall !== undefined
        ? (call, signal) => {
          this.direct++;
          return built?.answerCall?.(call, signal) ?? assert.fail();
        }
        : undefined);
    this.#served = serveStdio(
      (context) => (built = buildConnection(service, { revision: revisionOf(context) })).server,
      { transport: layer },
    );
    client.onmessage = (message) => {
      this.#answers.push(message);
      this.#onAnswer();
    };
  }

  async send(message: object): Promise<void> {
    await this.#client.send({ jsonrpc: "2.0", ...message } as JSONRPCMessage);
  }

  async answer(id: unknown): Promise<Result> {
    for (;;) {
      const found = this.#answers.find((one) => "id" in one && one.id === id && !("method" in one));
      if (found !== undefined) return found;
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#onAnswer = resolve;
      await promise;
    }
  }

  async initialize(): Promise<void> {
    const clientInfo = { name: "raw", version: "1" };
    const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo };
    await this.send({ id: "begin", method: "initialize", params });
    await this.answer("begin");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#served.close();
  }
}

const SHELL = { name: "sandboxed_shell", arguments: { command: "true", execution_mode: "Synchronous" } };
/** Parameters of calls, and how many of them go past the SDK. */
const CALLS: readonly (readonly [params: unknown, direct: number])[] = [
  [SHELL, 1],
  [{ ...SHELL, arguments: { command: 7 } }, 1],
  [{ name: "sandboxed_shel" }, 1],
  ...Object.keys(RESULTS).map((name) => [{ name, arguments: {} }, 1] as const),
  [{ name: "plain" }, 1],
  [{ ...SHELL, _meta: {} }, 0],
  [{ ...SHELL, task: {} }, 0],
  [{ name: 7, arguments: {} }, 0],
  [{ name: "plain", arguments: [] }, 0],
  [{}, 0],
  [undefined, 0],
];

/** Without what no two answers have in common. */
function stable(answer: Result): unknown {
  return JSON.parse(JSON.stringify(answer).replaceAll(/op_[0-9A-Z]+|\d{4}-[-\d]+T[\d:.]+Z/g, "ANY"));
}

Deno.test("C3 X4 DirectCalls answer each call as the SDK does, whatever it asks for and comes of it", async () => {
  await using past = new Connection(true);
  await using through = new Connection(false);
  for (const one of [past, through]) await one.initialize();
  for (const [id, [params, direct]] of CALLS.entries()) {
    const before = past.direct;
    const answers = await Promise.all([past, through].map(async (one) => {
      await one.send({ id, method: "tools/call", params });
      return stable(await one.answer(id));
    }));
    assert.deepStrictEqual(answers[0], answers[1], JSON.stringify(params));
    assert.strictEqual(past.direct - before, direct, JSON.stringify(params));
  }
  assert.strictEqual(through.direct, 0);
});

Deno.test("B6 DirectCalls end a call that the client cancels, and answer it never", async () => {
  await using past = new Connection(true);
  await past.initialize();
  const params = { ...SHELL, arguments: { ...SHELL.arguments, command: "wait" } };
  await past.send({ id: "one", method: "tools/call", params });
  const command = await past.runner.next();
  await past.send({ method: "notifications/cancelled", params: { requestId: "one", reason: "enough" } });
  assert.deepStrictEqual([await command.ended, past.direct], [{ kind: "signalled", signal: "SIGTERM" }, 1]);
  await past.send({ id: "two", method: "tools/call", params: SHELL });
  await past.answer("two");
  const early = await Promise.race([past.answer("one").then(() => "answered"), Promise.resolve("not")]);
  assert.strictEqual(early, "not");
});

Deno.test("C3 DirectCalls leave a call before the end of the handshake to the order of a connection", async () => {
  await using past = new Connection(true);
  await past.send({ id: 1, method: "tools/call", params: SHELL });
  assert.ok("error" in await past.answer(1));
  assert.deepStrictEqual([past.direct, past.runner.requests], [0, []]);
});
