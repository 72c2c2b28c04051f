import assert from "node:assert/strict";
import { SILENT } from "../base/log.ts";
import { attachProcess } from "./child_server.ts";
import type { ChildServerHooks } from "./child_server.ts";
import type { Answer } from "./pending_calls.ts";
import { Supervisor } from "./supervisor.ts";

const ENCODER = new TextEncoder();
const DECODER = new TextDecoder();
const LIST = { method: "tools/list", params: undefined };

function line(message: object): string {
  return `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`;
}

/** A child server whose pipes are the test's: it has read what it was sent when the test says so. */
class Played implements AsyncDisposable {
  /** What all its processes were sent. */
  readonly sent: Record<string, unknown>[] = [];
  readonly supervisor: Supervisor;
  /** The times it was ready; the next one that `ready` waits for. */
  readonly #ready = [Promise.withResolvers<void>(), Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  #ended = Promise.withResolvers<string>();
  #hooks: ChildServerHooks | undefined;
  #unread: (() => void)[] = [];
  #reads = true;

  /** `initialize`: what it answers to that. */
  constructor(initialize: object = { result: {} }) {
    this.supervisor = new Supervisor({
      start: (hooks) => {
        this.#hooks = hooks;
        const ended = Promise.withResolvers<string>();
        this.#ended = ended;
        return Promise.resolve({
          write: (bytes) => this.#take(bytes, initialize),
          askToEnd: () => Promise.resolve(ended.resolve("It ended.")),
          kill: () => ended.resolve("It was killed."),
          ended: ended.promise,
        });
      },
      initialize: {},
      onMessage: (message) => {
        if ("id" in message && message.id !== undefined) {
          this.supervisor.send({ jsonrpc: "2.0", id: message.id, result: {} });
        }
      },
      onErrorLine: () => {},
      onReady: (times) => this.#ready[times - 1]?.resolve(),
      handshakeTimeout: { ms: 60_000, setting: "--limit" },
      isReadOnlyTool: (name) => name === "look",
      log: SILENT,
    });
  }

  /** Resolves when it serves for the `times`th time. */
  async ready(times: number): Promise<void> {
    await this.#ready[times - 1]?.promise;
  }

  /** Its process ends. */
  ends(how: string): void {
    this.#ended.resolve(how);
  }

  /** Writes to its stdout. */
  says(text: string): Promise<void> | undefined {
    return this.#hooks?.onOutput(ENCODER.encode(text));
  }

  /** Writes a line to its stderr. */
  complains(text: string): void {
    this.#hooks?.onErrorLine?.(text);
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

  #take(bytes: Uint8Array, initialize: object): Promise<void> {
    // What is long is a notification of a test, and only counted.
    const message = bytes.length > 1024 * 1024 ? { method: "notifications/x" } : JSON.parse(DECODER.decode(bytes));
    this.sent.push(message);
    if (message.method === "initialize") queueMicrotask(() => void this.says(line({ id: message.id, ...initialize })));
    const { promise, resolve } = Promise.withResolvers<void>();
    if (this.#reads) resolve();
    else this.#unread.push(resolve);
    return promise;
  }
}

function errorOf(answer: Answer) {
  return "error" in answer ? { message: answer.error.message, data: answer.error.data } : answer;
}

Deno.test("H6 Supervisor sends what came before the server was ready after the handshake, in order", async () => {
  await using played = new Played();
  const { supervisor } = played;
  const call = supervisor.call(LIST);
  supervisor.send({ jsonrpc: "2.0", method: "notifications/x" });
  assert.deepStrictEqual(await supervisor.initialized, {});
  assert.deepStrictEqual(played.sent.map(({ method }) => method), [
    "initialize",
    "notifications/initialized",
    "tools/list",
    "notifications/x",
  ]);
  void played.says(line({ id: call.id, result: { tools: [] } }));
  assert.deepStrictEqual(await call.answered, { result: { tools: [] } });
});

Deno.test("H6 Supervisor answers what a process had when it ended, and restarts it with the same handshake", async () => {
  await using played = new Played();
  const { supervisor } = played;
  await played.ready(1);
  const calls = ["look", "write"].map((name) => supervisor.call({ method: "tools/call", params: { name } }));
  played.complains("disk full");
  played.ends("It ended with exit code 3.");
  const how = "It ended with exit code 3. Its last words: disk full";
  assert.deepStrictEqual((await Promise.all(calls.map((call) => call.answered))).map(errorOf), [
    {
      message: `The server process ended while this request ran: ${how} It is being restarted. ` +
        "It changes nothing, so repeating it is safe.",
      data: { reason: "server_process_ended", retry: "safe" },
    },
    {
      message: `The server process ended while this request ran: ${how} It is being restarted. ` +
        "What it had started ended with the process and may have taken effect in part: check before you repeat it.",
      data: { reason: "server_process_ended", retry: "unsafe" },
    },
  ]);
  const waiting = supervisor.call(LIST);
  await played.ready(2);
  void played.says(line({ id: waiting.id, result: { tools: [] } }));
  assert.deepStrictEqual(await waiting.answered, { result: { tools: [] } });
  const handshakes = played.sent.filter(({ method }) => method === "initialize");
  assert.deepStrictEqual(handshakes.map(({ params }) => params), [{}, {}]);
});

Deno.test("H6 H10 Supervisor kills a server that refuses initialize, pauses, and refuses calls at once", async () => {
  await using played = new Played({ error: { code: -32603, message: "no licence" } });
  const waiting = played.supervisor.call(LIST);
  await assert.rejects(played.supervisor.initialized, { message: "It refused initialize: no licence." });
  const refused = {
    message: "The server process keeps failing; restarts are paused. It refused initialize: no licence.",
    data: { reason: "not_served", retry: "safe" },
  };
  assert.deepStrictEqual(errorOf(await waiting.answered), refused);
  assert.deepStrictEqual(errorOf(await played.supervisor.call(LIST).answered), refused);
  assert.deepStrictEqual(played.sent.map(({ method }) => method), ["initialize"]);
});

Deno.test("H6 Supervisor answers what is pending when it is closed, and what comes later", async () => {
  const played = new Played();
  await played.ready(1);
  const pending = played.supervisor.call({ method: "tools/call", params: { name: "look" } });
  await played.supervisor.close(0);
  const answer = errorOf(await pending.answered);
  assert.deepStrictEqual("data" in answer && answer.data, { reason: "server_process_ended", retry: "safe" });
  assert.deepStrictEqual(errorOf(await played.supervisor.call(LIST).answered), {
    message: "The server process has ended",
    data: { reason: "not_served", retry: "safe" },
  });
});

Deno.test("H6 Supervisor forgets a call that is taken back, and tells the server", async () => {
  await using played = new Played();
  await played.ready(1);
  const call = played.supervisor.call(LIST);
  played.supervisor.cancel(call, "enough");
  assert.ok(call.isAnswered);
  assert.deepStrictEqual(played.sent.at(-1), {
    jsonrpc: "2.0",
    method: "notifications/cancelled",
    params: { requestId: call.id, reason: "enough" },
  });
});

/** Answers each request with its process id. */
const SCRIPT = `while read -r line; do
  case $line in *'"id":'*) id=\${line#*'"id":'}; printf '{"jsonrpc":"2.0","id":%s,"result":{"pid":%s}}\\n' "\${id%%,*}" $$;; esac
done`;

Deno.test("H6 Supervisor replaces a real process that was killed, and close() leaves none", async () => {
  const children: Deno.ChildProcess[] = [];
  const back = Promise.withResolvers<void>();
  const supervisor = new Supervisor({
    start: (hooks) => {
      const pipes = { stdin: "piped", stdout: "piped", stderr: "piped" } as const;
      const child = new Deno.Command("sh", { args: ["-c", SCRIPT], ...pipes }).spawn();
      children.push(child);
      return Promise.resolve(attachProcess(child, hooks));
    },
    initialize: {},
    onMessage: () => {},
    onErrorLine: () => {},
    onReady: (times) => times === 2 && back.resolve(),
    handshakeTimeout: { ms: 60_000, setting: "--limit" },
    log: SILENT,
  });
  const pidOf = async () => {
    const answer = await supervisor.call(LIST).answered;
    return "result" in answer ? answer.result["pid"] : answer;
  };
  const first = await pidOf();
  children[0]?.kill("SIGKILL");
  await back.promise;
  assert.deepStrictEqual([first, await pidOf()], children.map(({ pid }) => pid));
  await supervisor.close(0);
  assert.deepStrictEqual((await Promise.all(children.map(({ status }) => status))).map(({ signal }) => signal), [
    "SIGKILL",
    "SIGTERM",
  ]);
});

Deno.test("H10 Supervisor stops reading from a server that reads no answers, and later loses nothing", async () => {
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

Deno.test("H10 Supervisor sends a server that does not read no requests and notifications beyond 64 MiB", async () => {
  await using played = new Played();
  const { supervisor } = played;
  await supervisor.initialized;
  played.stopsReading();
  const params = { text: "x".repeat(13 * 1024 * 1024) };
  for (let i = 0; i < 6; i++) supervisor.send({ jsonrpc: "2.0", method: "notifications/x", params });
  const refused = await supervisor.call({ method: "tools/list", params: undefined }).answered;
  assert.deepStrictEqual(
    "error" in refused && refused.error.message,
    "The server process is busy: it does not read its earlier input",
  );
  assert.equal(played.sent.filter(({ method }) => method === "notifications/x").length, 5);
  played.reads();
  await Promise.resolve();
  const call = supervisor.call({ method: "tools/list", params: undefined });
  void played.says(line({ id: call.id, result: { tools: [] } }));
  assert.deepStrictEqual(await call.answered, { result: { tools: [] } });
});

Deno.test("H10 Supervisor answers no request whose id has more than 1,024 characters", async () => {
  await using played = new Played();
  await played.supervisor.initialized;
  const id = (length: number) => "i".repeat(length);
  void played.says(line({ id: id(1_025), method: "ping" }) + line({ id: id(1_024), method: "ping" }));
  assert.deepStrictEqual(played.sent.filter((message) => "result" in message).map((message) => message["id"]), [
    id(1_024),
  ]);
});

Deno.test("H10 O6 Supervisor ends a call at once whose answer is too long, and a server that hides which it is", async () => {
  await using played = new Played();
  await played.supervisor.initialized;
  const text = "x".repeat(16 * 1024 * 1024);
  const message = "The server answered with more than 16 MiB, which is not read: ask it for less";
  const ends = async (answer: (id: number) => string) => {
    const call = played.supervisor.call(LIST);
    void played.says(answer(call.id));
    return errorOf(await call.answered);
  };
  const refused = { message, data: undefined };
  // Without its end: the start of the line says which call it is.
  assert.deepStrictEqual(await ends((id) => `{"jsonrpc":"2.0","id":${id},"result":{"a":"${text}`), refused);
  void played.says('"}}\n');
  assert.deepStrictEqual(await ends((id) => `{"result":{"a":"${text}"},"jsonrpc":"2.0","id":${id}}\n`), refused);
  // An answer that follows in the same breath is not taken: the server is ended.
  const lost = await ends((id) =>
    `{"result":{"a":"${text}"},"id":"${id}","jsonrpc":"2.0"}\n${line({ id, result: { tools: [] } })}`
  );
  assert.match(
    "message" in lost ? lost.message : "",
    /: It wrote a message of more than 16 MiB\. It is being restarted/,
  );
  await played.ready(2);
  const endless = await ends((id) => `{"result":{"id":${id},"a":"${text.repeat(4)}`);
  assert.match("message" in endless ? endless.message : "", /It wrote a message of more than 16 MiB/);
});
