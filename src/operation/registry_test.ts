import type { CommandEnd } from "../base/command/command_end.ts";
import { strict as assert } from "node:assert";
import { type LogFields, SILENT } from "../base/log.ts";
import type { WorkControl } from "./operation.ts";
import { OperationRegistry, type RegistryOptions } from "./registry.ts";
import { SpillSpace } from "./output/spill_files.ts";

/** Works that end when the test says so, or, when they are obedient, as soon as they are aborted. */
class Works {
  readonly started: string[] = [];
  readonly controls = new Map<string, WorkControl>();
  readonly #ends = new Map<string, (end: CommandEnd) => void>();

  work(name: string, { obedient = true } = {}) {
    return (control: WorkControl): Promise<CommandEnd> => {
      this.started.push(name);
      this.controls.set(name, control);
      const { promise, resolve } = Promise.withResolvers<CommandEnd>();
      this.#ends.set(name, resolve);
      if (obedient) control.signal.addEventListener("abort", () => this.kill(name), { once: true });
      return promise;
    };
  }

  exit(name: string, code = 0): void {
    this.#ends.get(name)?.({ kind: "exited", code });
  }

  kill(name: string): void {
    this.#ends.get(name)?.({ kind: "signalled", signal: "SIGTERM" });
  }
}

function setUp(options: Partial<RegistryOptions> = {}) {
  const registry = new OperationRegistry({ maxConcurrency: 2, log: SILENT, ...options });
  const announced: string[] = [];
  registry.subscribe(({ operation, from, to }) => announced.push(`${operation.tool}: ${from ?? "new"} > ${to}`));
  return { registry, announced, works: new Works() };
}

Deno.test("X11 OperationRegistry announces each transition once", async () => {
  const { registry, announced, works } = setUp({ maxConcurrency: 1 });
  const a = registry.start("a", "run a", works.work("a"));
  const b = registry.start("b", "run b", works.work("b"));
  works.exit("a");
  await a.ended;
  works.exit("b", 3);
  await b.ended;
  await registry.cancel(a.id, "too late");
  assert.deepStrictEqual(announced, [
    "a: new > running",
    "b: new > queued",
    "a: running > completed",
    "b: queued > running",
    "b: running > failed",
  ]);
  assert.deepStrictEqual([a.end, b.end], [{ state: "completed", command: { kind: "exited", code: 0 } }, {
    state: "failed",
    command: { kind: "exited", code: 3 },
  }]);
});

Deno.test("L8 OperationRegistry logs each transition with the id, and warns of what could not be run", async () => {
  const lines: unknown[] = [];
  const log = (level: string) => (message: string, fields?: LogFields) => lines.push([level, message, fields]);
  const { registry } = setUp({ log: { ...SILENT, debug: log("debug"), warn: log("warn") } });
  const operation = registry.start("a", "run a", () => Promise.resolve({ kind: "not_started", message: "No shell" }));
  await operation.ended;
  assert.deepStrictEqual(lines, [
    ["debug", "Operation", { operation: operation.id, tool: "a", state: "running" }],
    ["warn", "Operation", { operation: operation.id, tool: "a", state: "failed", message: "No shell" }],
  ]);
});

Deno.test("X12 OperationRegistry queues in order beyond maxConcurrency and tells the position", async () => {
  const { registry, works } = setUp({ maxConcurrency: 2 });
  const operations = ["a", "b", "c", "d"].map((name) => registry.start(name, name, works.work(name)));
  assert.deepStrictEqual(operations.map((one) => one.state), ["running", "running", "queued", "queued"]);
  assert.deepStrictEqual(operations.map((one) => registry.queuePosition(one.id)), [undefined, undefined, 1, 2]);
  assert.deepStrictEqual([registry.runningCount, registry.queuedCount], [2, 2]);
  works.exit("b");
  await operations[1]?.ended;
  await Promise.resolve();
  assert.deepStrictEqual(works.started, ["a", "b", "c"]);
  await registry.shutdown(0);
});

Deno.test("X9 OperationRegistry times out from the start of the work, not of the queueing", async () => {
  const { registry, works } = setUp({ maxConcurrency: 1 });
  const a = registry.start("a", "a", works.work("a"), { timeoutSeconds: 0.02 });
  const b = registry.start("b", "b", works.work("b"), { timeoutSeconds: 0.02 });
  assert.strictEqual(await registry.wait([a.id, b.id]), "ended");
  for (const operation of [a, b]) {
    assert.deepStrictEqual(operation.end, {
      state: "timed_out",
      message: "Ended after its time limit of 0.02 s",
      command: { kind: "signalled", signal: "SIGTERM" },
    });
    assert.ok((operation.endedAt ?? 0) - (operation.startedAt ?? Infinity) >= 15);
  }
});

Deno.test("B4 cancel() answers only after the work has settled, and the first cause stays", async () => {
  const { registry, works } = setUp();
  const a = registry.start("a", "a", works.work("a", { obedient: false }));
  let answered = false;
  const cancelled = registry.cancel(a.id, "first").finally(() => answered = true);
  const again = registry.cancel(a.id, "second");
  await new Promise((resolve) => setTimeout(resolve, 0));
  assert.deepStrictEqual([answered, a.state, a.stop], [false, "running", { state: "cancelled", message: "first" }]);
  works.exit("a", 0);
  assert.deepStrictEqual((await cancelled).kind, "ended");
  assert.deepStrictEqual((await again).kind, "ended");
  assert.deepStrictEqual(a.end, { state: "cancelled", message: "first", command: { kind: "exited", code: 0 } });
  assert.deepStrictEqual((await registry.cancel(a.id, "third")).kind, "already_ended");
  assert.deepStrictEqual(await registry.cancel("op_none", "x"), { kind: "unknown" });
});

Deno.test("X12 cancel() of a queued operation ends it at once and never starts its work", async () => {
  const { registry, works } = setUp({ maxConcurrency: 1 });
  registry.start("a", "a", works.work("a"));
  const b = registry.start("b", "b", works.work("b"));
  await registry.cancel(b.id, "not needed");
  assert.deepStrictEqual([b.end, b.startedAt, registry.queuedCount], [
    { state: "cancelled", message: "not needed" },
    undefined,
    0,
  ]);
  await registry.shutdown(0);
  assert.deepStrictEqual(works.started, ["a"]);
});

Deno.test("B2 wait() ends with its limit or its signal and ends nothing else", async () => {
  const { registry, works } = setUp();
  const a = registry.start("a", "a", works.work("a"));
  assert.strictEqual(await registry.wait([a.id], { timeoutMs: 5 }), "timed_out");
  const abort = new AbortController();
  const waiting = registry.wait([a.id], { signal: abort.signal });
  abort.abort();
  assert.strictEqual(await waiting, "aborted");
  assert.strictEqual(a.state, "running");
  works.exit("a");
  assert.strictEqual(await registry.wait([a.id, "op_unknown"]), "ended");
  assert.strictEqual(await registry.wait([a.id]), "ended");
});

Deno.test("X5 OperationRegistry prunes the oldest ended, never what runs", async () => {
  const { registry, works } = setUp({ maxConcurrency: 10, history: { operations: 2, outputBytes: 1000 } });
  const running = registry.start("running", "running", works.work("running"));
  const ids: string[] = [];
  for (const name of ["a", "b", "c"]) {
    const operation = registry.start(name, name, works.work(name));
    ids.push(operation.id);
    works.exit(name);
    await operation.ended;
  }
  assert.deepStrictEqual(registry.list().map((one) => one.tool), ["b", "c", "running"]);
  assert.deepStrictEqual(ids.map((id) => registry.get(id)?.tool), [undefined, "b", "c"]);
  assert.deepStrictEqual(registry.undelivered().map((one) => one.tool), ["b", "c"]);
  assert.strictEqual(running.state, "running");
  const big = registry.start("big", "big", works.work("big"));
  works.controls.get("big")?.write(new Uint8Array(2000));
  works.exit("big");
  await big.ended;
  assert.deepStrictEqual(registry.list().map((one) => one.tool), ["big", "running"]);
  await registry.shutdown(0);
});

Deno.test("X5 markDelivered() takes an operation out of undelivered(), before or after its end", async () => {
  const { registry, works } = setUp();
  const a = registry.start("a", "a", works.work("a"));
  const b = registry.start("b", "b", works.work("b"));
  registry.markDelivered(a.id);
  works.exit("a");
  works.exit("b");
  await registry.wait([a.id, b.id]);
  assert.deepStrictEqual(registry.undelivered().map((one) => one.tool), ["b"]);
  registry.markDelivered(b.id);
  assert.deepStrictEqual([registry.undelivered(), a.delivery, b.delivery], [[], "delivered", "delivered"]);
});

Deno.test("X14 shutdown() lets what runs end within the grace and ends the rest", async () => {
  const { registry, works } = setUp({ maxConcurrency: 2 });
  const quick = registry.start("quick", "quick", works.work("quick"));
  const slow = registry.start("slow", "slow", works.work("slow"));
  const queued = registry.start("queued", "queued", works.work("queued"));
  const closing = registry.shutdown(60);
  works.exit("quick");
  await quick.ended;
  works.exit("queued");
  await closing;
  assert.deepStrictEqual([quick.state, slow.state, queued.state], ["completed", "cancelled", "completed"]);
  const late = registry.start("late", "late", works.work("late"));
  assert.deepStrictEqual(late.end, { state: "cancelled", message: "Ahma is shutting down" });
  assert.deepStrictEqual(registry.listActive(), []);
});

Deno.test("X14 shutdown() without a grace ends queued and running work and starts none", async () => {
  const { registry, works } = setUp({ maxConcurrency: 1 });
  const a = registry.start("a", "a", works.work("a"));
  const b = registry.start("b", "b", works.work("b"));
  const first = registry.shutdown(1_000_000);
  await registry.shutdown(0);
  await first;
  assert.deepStrictEqual([a.state, b.state, works.started], ["cancelled", "cancelled", ["a"]]);
});

Deno.test("OperationRegistry turns a work that throws into a failed operation", async () => {
  const { registry } = setUp();
  const thrown = registry.start("a", "a", () => {
    throw new Error("broken");
  });
  const rejected = registry.start("b", "b", () => Promise.reject(new Error("also broken")));
  assert.deepStrictEqual(await thrown.ended, {
    state: "failed",
    message: "Internal error: broken",
    command: { kind: "not_started", message: "Internal error: broken", fault: "server" },
  });
  assert.deepStrictEqual(await rejected.ended, {
    state: "failed",
    message: "Internal error: also broken",
    command: { kind: "not_started", message: "Internal error: also broken", fault: "server" },
  });
});

Deno.test("X6 watchOutput() hands on chunks until it is ended, and an ended operation takes no more output", async () => {
  const { registry, works } = setUp();
  const a = registry.start("a", "a", works.work("a"));
  const heard: number[] = [];
  const stop = a.watchOutput((chunk) => heard.push(...chunk));
  const control = works.controls.get("a");
  control?.write(Uint8Array.of(1));
  stop();
  control?.write(Uint8Array.of(2));
  works.exit("a");
  await a.ended;
  control?.write(Uint8Array.of(3));
  assert.deepStrictEqual([heard, [...a.output.head()]], [[1], [1, 2]]);
});

Deno.test("X13 OperationRegistry runs works of one key one after the other, in order, and others at the same time", async () => {
  const { registry, works } = setUp({ maxConcurrency: 8 });
  const start = (name: string, ...exclusive: string[]) => registry.start(name, name, works.work(name), { exclusive });
  const first = start("build 1", "cargo /a");
  const second = start("build 2", "cargo /a");
  start("build 3", "cargo /a", "make /a");
  start("elsewhere", "cargo /b");
  start("shared");
  assert.deepStrictEqual([works.started, second.state], [["build 1", "elsewhere", "shared"], "queued"]);
  works.exit("build 1", 1);
  await first.ended;
  assert.deepStrictEqual(works.started.slice(3), ["build 2"]);
  await registry.cancel(second.id, "not needed");
  assert.deepStrictEqual(works.started.slice(4), ["build 3"]);
  await registry.shutdown(0);
});

Deno.test("X5 X8 discardResults() gives up results and the files of their output", async () => {
  const parent = await Deno.makeTempDir({ prefix: "ahma-registry-" });
  const spill = new SpillSpace({ directory: `${parent}/output`, limitBytes: 1_000_000, log: SILENT });
  const registry = new OperationRegistry({
    maxConcurrency: 1,
    log: SILENT,
    spill,
    outputWindow: { headBytes: 10, tailBytes: 10 },
  });
  const operation = registry.start("flood", "flood", (control) => {
    for (let count = 0; count < 100; count++) control.write(new TextEncoder().encode("123456789\n"));
    return Promise.resolve({ kind: "exited", code: 0 });
  });
  await operation.ended;
  assert.deepStrictEqual([registry.list().length, operation.output.lostBytes], [1, 0]);
  assert.ok(spill.usedBytes > 900);
  const middle = await operation.output.read(500, 10);
  assert.strictEqual(new TextDecoder().decode(middle.bytes), "123456789\n");
  registry.discardResults();
  assert.deepStrictEqual([registry.list(), registry.undelivered(), spill.usedBytes], [[], [], 0]);
  await spill.settled();
  assert.deepStrictEqual(await Array.fromAsync(Deno.readDir(`${parent}/output`)), []);
  await Deno.remove(parent, { recursive: true });
});
