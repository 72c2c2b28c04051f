import { strict as assert } from "node:assert";
import { killDelay } from "../../base/command/kill_delay.ts";
import { makeService, PlayedRunner, type ServiceParts } from "../_support/connection.ts";
import { serveStdioConnection } from "./stdio_connection.ts";

/** stdin and stdout in memory, as a raw client sees them. */
class Wire {
  readonly stop = new AbortController();
  readonly #encoder = new TextEncoder();
  #chunks: (Uint8Array | null)[] = [];
  #wakeReader = () => {};
  #lines: string[] = [];
  #written = "";
  #decoder = new TextDecoder();
  #wakeClient = () => {};
  /** What `write` does instead of taking everything. */
  onWrite: ((bytes: Uint8Array) => number) | undefined;

  readonly input = {
    read: async (buffer: Uint8Array): Promise<number | null> => {
      while (this.#chunks.length === 0) await new Promise<void>((resolve) => this.#wakeReader = resolve);
      const chunk = this.#chunks[0] ?? null;
      if (chunk === null) return null;
      const size = Math.min(chunk.length, buffer.length);
      buffer.set(chunk.subarray(0, size));
      if (size === chunk.length) this.#chunks.shift();
      else this.#chunks[0] = chunk.subarray(size);
      return size;
    },
  };
  readonly output = {
    write: (bytes: Uint8Array): Promise<number> => {
      try {
        // Never more than 1,000 bytes at once: a partial write loses nothing.
        const size = this.onWrite?.(bytes) ?? Math.min(bytes.length, 1000);
        this.#take(bytes.subarray(0, size));
        return Promise.resolve(size);
      } catch (thrown) {
        return Promise.reject(thrown);
      }
    },
  };

  send(...messages: readonly unknown[]): void {
    this.sendText(messages.map((message) => `${JSON.stringify(message)}\n`).join(""));
  }

  sendText(text: string): void {
    this.#chunks.push(this.#encoder.encode(text));
    this.#wakeReader();
  }

  end(): void {
    this.#chunks.push(null);
    this.#wakeReader();
  }

  /** The next message on stdout. */
  async receive(): Promise<Record<string, unknown>> {
    while (this.#lines.length === 0) await new Promise<void>((resolve) => this.#wakeClient = resolve);
    return JSON.parse(this.#lines.shift() ?? "");
  }

  /** Messages that were written and not received yet. */
  get left(): readonly string[] {
    return [...this.#lines, ...this.#written === "" ? [] : [this.#written]];
  }

  #take(bytes: Uint8Array): void {
    const parts = (this.#written + this.#decoder.decode(bytes, { stream: true })).split("\n");
    this.#written = parts.pop() ?? "";
    this.#lines.push(...parts);
    this.#wakeClient();
  }
}

const INITIALIZE = {
  jsonrpc: "2.0",
  id: 0,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "raw", version: "0" } },
};

function shell(id: unknown, command: string) {
  const params = { name: "sandboxed_shell", arguments: { command, execution_mode: "Synchronous" } };
  return { jsonrpc: "2.0", id, method: "tools/call", params };
}

async function open(parts: ServiceParts = {}, graceMs = 10_000) {
  const wire = new Wire();
  const service = makeService(parts);
  const ended = serveStdioConnection(service, {
    input: wire.input,
    output: wire.output,
    stop: wire.stop.signal,
    graceMs,
  });
  wire.send(INITIALIZE);
  assert.strictEqual((await wire.receive()).id, 0);
  wire.send({ jsonrpc: "2.0", method: "notifications/initialized" });
  return { wire, service, ended };
}

Deno.test("C2 malformed input is answered with the code and id of JSON-RPC, and the connection lives on", async () => {
  const { wire, ended } = await open();
  const cases: readonly (readonly [string, number, unknown])[] = [
    ["{ this is not JSON", -32700, null],
    ['"\\ud800', -32700, null],
    ["[]", -32600, null],
    ["[1]", -32600, null],
    ["1", -32600, null],
    ["null", -32600, null],
    ['{"jsonrpc":"1.0","id":7,"method":"ping"}', -32600, 7],
    ['{"jsonrpc":"2.0","id":"x"}', -32600, "x"],
    ['{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600, null],
    ['{"jsonrpc":"2.0","id":1.5,"method":"ping"}', -32600, 1.5],
    ['{"jsonrpc":"2.0","id":8,"method":"ping","params":[1]}', -32600, 8],
    ['{"jsonrpc":"2.0","id":9,"method":"no/such"}', -32601, 9],
  ];
  for (const [line, code, id] of cases) {
    wire.sendText(`\n  \r\n${line}\r\n`);
    const answer = await wire.receive();
    const { code: answered } = answer.error as { code: number };
    assert.deepStrictEqual([answered, answer.id], [code, id], line);
  }
  wire.send({ jsonrpc: "2.0", id: "last", method: "ping" });
  assert.deepStrictEqual(await wire.receive(), { jsonrpc: "2.0", id: "last", result: {} });
  wire.end();
  await ended;
  assert.deepStrictEqual(wire.left, []);
});

Deno.test("C2 a line over 16 MiB is refused and skipped, one below is served", async () => {
  const runner = new PlayedRunner((command) => command.exit(0));
  const { wire, ended } = await open({ runner });
  wire.send(shell(1, "x".repeat(17 * 1024 * 1024)));
  const refusal = await wire.receive();
  assert.deepStrictEqual([(refusal.error as { code: number }).code, refusal.id], [-32600, 1]);
  wire.send(shell(2, "x".repeat(15 * 1024 * 1024)));
  assert.strictEqual((await wire.receive()).id, 2);
  assert.strictEqual(runner.requests.length, 1);
  wire.end();
  await ended;
});

Deno.test("C2 a long answer and what follows it come out whole and in order, whatever a write takes", async () => {
  const runner = new PlayedRunner((command) => {
    command.write(`${"ü".repeat(20_000)}\n`);
    command.exit(0);
  });
  const { wire, ended } = await open({ runner, settings: { inline: { bytes: 100_000, lines: 10 } } });
  let calls = 0;
  wire.onWrite = (bytes) => {
    if (++calls % 7 === 0) throw new Deno.errors.WouldBlock("full");
    return Math.min(bytes.length, 1 + calls % 3 * 5000);
  };
  wire.send(shell(1, "long"), { jsonrpc: "2.0", id: 2, method: "ping" }, { jsonrpc: "2.0", id: 3, method: "ping" });
  const ids = [await wire.receive(), await wire.receive(), await wire.receive()].map((message) => message.id);
  assert.deepStrictEqual([...ids].sort(), [1, 2, 3]);
  wire.end();
  await ended;
});

Deno.test("C3 ids 0, text and large are answered with the same id", async () => {
  const { wire, ended } = await open();
  for (const id of [0, "0", 'a"b', Number.MAX_SAFE_INTEGER]) {
    wire.send({ jsonrpc: "2.0", id, method: "ping" });
    assert.deepStrictEqual((await wire.receive()).id, id);
  }
  wire.end();
  await ended;
});

Deno.test("X14 after the end of input not a byte is written, and what runs is ended at once, to be killed after 1 s", async () => {
  const runner = new PlayedRunner();
  const { wire, service, ended } = await open({ runner });
  const background = {
    name: "sandboxed_shell",
    arguments: { command: "background", execution_mode: "AsyncResultPush" },
  };
  wire.send({ jsonrpc: "2.0", id: 1, method: "tools/call", params: background });
  assert.strictEqual((await wire.receive()).id, 1);
  wire.send(shell(2, "forever"));
  const commands = [await runner.next(), await runner.next()];
  wire.end();
  await ended;
  assert.deepStrictEqual(wire.left, []);
  assert.deepStrictEqual(commands.map(({ signal }) => killDelay(signal, 2000)), [1000, 1000]);
  assert.deepStrictEqual(service.registry.list().map(({ state, end }) => [state, end?.message]), [
    ["cancelled", "Ahma is shutting down"],
    ["cancelled", "Ahma is shutting down"],
  ]);
});

Deno.test("X14 the end of input cuts the grace of a stop short", async () => {
  const runner = new PlayedRunner();
  const { wire, service, ended } = await open({ runner });
  wire.send(shell(1, "forever"));
  await runner.next();
  wire.stop.abort();
  wire.end();
  await ended;
  assert.deepStrictEqual([wire.left, service.registry.list().map(({ state }) => state)], [[], ["cancelled"]]);
});

Deno.test("X14 a stop leaves a running call its time, and its answer is written", async () => {
  const runner = new PlayedRunner();
  const { wire, ended } = await open({ runner });
  wire.send(shell(1, "slow"));
  const command = await runner.next();
  wire.stop.abort();
  command.write("in time\n");
  command.exit(0);
  assert.match(JSON.stringify(await wire.receive()), /in time/);
  await ended;
});

Deno.test("X14 what outlives the grace of a stop is ended and still answered; background operations too", async () => {
  const runner = new PlayedRunner();
  const { wire, service, ended } = await open({ runner }, 20);
  const background = {
    name: "sandboxed_shell",
    arguments: { command: "background", execution_mode: "AsyncResultPush" },
  };
  wire.send({ jsonrpc: "2.0", id: 1, method: "tools/call", params: background });
  assert.strictEqual((await wire.receive()).id, 1);
  wire.send(shell(2, "forever"));
  await runner.next();
  await runner.next();
  wire.stop.abort();
  await ended;
  const answers = wire.left.map((line) => JSON.parse(line)).filter((message) => message.id === 2);
  assert.strictEqual(answers.length, 1);
  assert.match(JSON.stringify(answers), /cancelled, signal SIGTERM.*Ahma is shutting down/);
  assert.deepStrictEqual(service.registry.list().map((operation) => operation.state), ["cancelled", "cancelled"]);
});

Deno.test("X14 a stop ends the connection although stdin stays open", async () => {
  const { wire, ended } = await open();
  wire.stop.abort();
  await ended;
});

Deno.test("C2 a client that is gone without a word ends the connection quietly", async () => {
  const { wire, ended } = await open();
  wire.onWrite = () => {
    throw new Deno.errors.BrokenPipe("gone");
  };
  wire.send({ jsonrpc: "2.0", id: 1, method: "ping" });
  await ended;
});

Deno.test("C2 the end of input before any message ends the connection", async () => {
  const wire = new Wire();
  wire.end();
  await serveStdioConnection(makeService(), { input: wire.input, output: wire.output });
  assert.deepStrictEqual(wire.left, []);
});

Deno.test("C1 server/discover opens the modern era and every result says that it is complete", async () => {
  const wire = new Wire();
  const runner = new PlayedRunner((command) => command.exit(0));
  const ended = serveStdioConnection(makeService({ runner }), { input: wire.input, output: wire.output });
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  wire.send({ jsonrpc: "2.0", id: 1, method: "server/discover", params: { _meta } });
  const discovered = (await wire.receive()).result as { capabilities: unknown };
  assert.deepStrictEqual(discovered.capabilities, {
    tools: {},
    completions: {},
    resources: { subscribe: true, listChanged: true },
    extensions: { "io.modelcontextprotocol/tasks": {} },
  });
  const call = shell("two", "true");
  wire.send({ ...call, params: { ...call.params, _meta } });
  const answer = await wire.receive();
  assert.deepStrictEqual([answer.id, (answer.result as { resultType: unknown }).resultType], ["two", "complete"]);
  wire.end();
  await ended;
});

Deno.test("C3 B6 a cancelled request gets no answer and holds up no end", async () => {
  const runner = new PlayedRunner();
  const { wire, ended } = await open({ runner });
  wire.send(shell(1, "slow"));
  const command = await runner.next();
  wire.send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } });
  await command.ended;
  wire.end();
  await ended;
  assert.deepStrictEqual(wire.left, []);
});
