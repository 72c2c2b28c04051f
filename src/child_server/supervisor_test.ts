import assert from "node:assert/strict";
import { SILENT } from "../base/log.ts";
import type { ChildServerHooks } from "./child_server.ts";
import { Supervisor } from "./supervisor.ts";

const ENCODER = new TextEncoder();
const DECODER = new TextDecoder();

function line(message: object): string {
  return `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`;
}

/** A server whose pipes are the test's: it has read what it was sent when the test says so. */
class Played implements AsyncDisposable {
  readonly sent: Record<string, unknown>[] = [];
  readonly supervisor: Supervisor;
  readonly #ended = Promise.withResolvers<string>();
  #hooks: ChildServerHooks | undefined;
  #unread: (() => void)[] = [];
  #reads = true;

  constructor() {
    this.supervisor = new Supervisor({
      start: (hooks) => {
        this.#hooks = hooks;
        return Promise.resolve({
          write: (bytes) => this.#take(bytes),
          askToEnd: () => Promise.resolve(this.#ended.resolve("It ended.")),
          kill: () => this.#ended.resolve("It was killed."),
          ended: this.#ended.promise,
        });
      },
      initialize: {},
      onMessage: (message) => {
        if ("id" in message && message.id !== undefined) {
          this.supervisor.send({ jsonrpc: "2.0", id: message.id, result: {} });
        }
      },
      onErrorLine: () => {},
      handshakeTimeoutMs: 60_000,
      log: SILENT,
    });
  }

  /** Writes to its stdout. */
  says(text: string): Promise<void> | undefined {
    return this.#hooks?.onOutput(ENCODER.encode(text));
  }

  stopsReading(): void {
    this.#reads = false;
  }

  /** Reads all it was sent, and what comes. */
  reads(): void {
    this.#reads = true;
    for (const read of this.#unread) read();
    this.#unread = [];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.supervisor.close(0);
  }

  #take(bytes: Uint8Array): Promise<void> {
    // What is long is a notification of a test, and only counted.
    const message = bytes.length > 1024 * 1024 ? { method: "notifications/x" } : JSON.parse(DECODER.decode(bytes));
    this.sent.push(message);
    if (message.method === "initialize") queueMicrotask(() => void this.says(line({ id: message.id, result: {} })));
    const { promise, resolve } = Promise.withResolvers<void>();
    if (this.#reads) resolve();
    else this.#unread.push(resolve);
    return promise;
  }
}

Deno.test("H10 a server that asks and reads no answer is not read on until it does, and then nothing is lost", async () => {
  await using played = new Played();
  await played.supervisor.initialized;
  played.stopsReading();
  const pings = 3_000;
  const name = (number: number) => `${number}`.padEnd(1_000, "x");
  const text = Array.from({ length: pings }, (_, id) => line({ id: name(id), method: "ping" })).join("");
  const pressure = played.says(text);
  const answered = () => played.sent.filter((message) => "result" in message).length;
  const bytes = answered() * ENCODER.encode(line({ id: name(1), result: {} })).length;
  assert.ok(pressure instanceof Promise && bytes < 1.2 * 1024 * 1024 && answered() < pings, `${bytes}`);
  played.reads();
  await pressure;
  assert.equal(answered(), pings);
});

Deno.test("H10 a server that does not read gets no further requests nor notifications beyond 64 MiB", async () => {
  await using played = new Played();
  const { supervisor } = played;
  await supervisor.initialized;
  played.stopsReading();
  const params = { text: "x".repeat(15 * 1024 * 1024) };
  for (let i = 0; i < 8; i++) supervisor.send({ jsonrpc: "2.0", method: "notifications/x", params });
  const refused = await supervisor.call({ method: "tools/list", params: undefined }).answered;
  assert.deepStrictEqual(
    "error" in refused && refused.error.message,
    "The server process is busy: it does not read " +
      "what it was sent before",
  );
  assert.equal(played.sent.filter(({ method }) => method === "notifications/x").length, 5);
  played.reads();
  await Promise.resolve();
  const call = supervisor.call({ method: "tools/list", params: undefined });
  void played.says(line({ id: call.id, result: { tools: [] } }));
  assert.deepStrictEqual(await call.answered, { result: { tools: [] } });
});

Deno.test("H10 an id or a token of more than 1,024 characters is not answered", async () => {
  await using played = new Played();
  await played.supervisor.initialized;
  const id = (length: number) => "i".repeat(length);
  void played.says(line({ id: id(1_025), method: "ping" }) + line({ id: id(1_024), method: "ping" }));
  assert.deepStrictEqual(played.sent.filter((message) => "result" in message).map((message) => message["id"]), [
    id(1_024),
  ]);
});
