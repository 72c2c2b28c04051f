import { strict as assert } from "node:assert";
import { Emitter } from "../../base/emitter.ts";
import { OperationRegistry } from "../../operation/registry.ts";
import { SILENT } from "../../base/log.ts";
import { catalogOf } from "../../catalog/model/snapshot.ts";
import {
  connectClient,
  idOf,
  makeLeaf,
  makeService,
  PlayedRunner,
  type ServiceParts,
  textsOf,
} from "../_support/connection.ts";

async function setUp(parts: ServiceParts = {}) {
  const runner = new PlayedRunner();
  const service = makeService({ runner, catalog: catalogOf([makeLeaf("make"), makeLeaf("npm_run")]), ...parts });
  const connected = await connectClient(service);
  const call = (name: string, args: Record<string, unknown> = {}) =>
    connected.client.callTool({ name, arguments: args });
  const start = async (tool: string) => {
    const id = idOf(await call(tool));
    return { id, command: await runner.next() };
  };
  return { service, call, start, client: connected.client, [Symbol.asyncDispose]: connected[Symbol.asyncDispose] };
}

function stable(text: string | undefined): string {
  return (text ?? "").replaceAll(/op_[0-9A-Z]+/g, "ID").replaceAll(/\b[\d.]+ (ms|s)\b/g, "TIME");
}

Deno.test("B2 await returns all results when the last one has ended, those of a prefix, or one", async () => {
  await using session = await setUp();
  const make = await session.start("make");
  const npm = await session.start("npm_run");
  const one = session.call("await", { tools: "cargo, npm_" });
  npm.command.write("npm says\n");
  npm.command.exit(0);
  assert.strictEqual(
    stable(textsOf(await one)[0]),
    "[ID completed, exit code 0, TIME] npm_run: npm_run\nnpm says",
  );
  const again = await session.start("npm_run");
  const all = session.call("await");
  again.command.exit(0);
  make.command.exit(3);
  const result = await all;
  assert.strictEqual(
    stable(textsOf(result)[0]),
    "[ID completed, exit code 0, TIME] npm_run: npm_run\n[no output]\n\n" +
      "[ID failed, exit code 3, TIME] make: make\n[no output]",
  );
  assert.strictEqual(result.isError, undefined);
  // Nothing is left out, so that nothing tells how long the outputs are.
  const facts = result._meta?.["ahma/operations"] as readonly { readonly duration_ms: number }[];
  assert.deepStrictEqual(facts.map(({ duration_ms: _time, ...one }) => one), [
    { operation_id: again.id, tool: "npm_run", status: "completed", exit_code: 0 },
    { operation_id: make.id, tool: "make", status: "failed", exit_code: 3 },
  ]);
  assert.deepStrictEqual(session.service.registry.undelivered(), []);
});

Deno.test("B2 await at its limit tells what still runs with its last lines, and ends nothing", async () => {
  await using session = await setUp();
  const make = await session.start("make");
  make.command.write("compiling a\ncompiling b\n");
  const result = await session.call("await", { operation_id: make.id, timeout_seconds: 0 });
  assert.strictEqual(
    stable(textsOf(result)[0]),
    "ID still runs after TIME. Another `await` waits on. Output so far:\ncompiling a\ncompiling b\n",
  );
  assert.strictEqual(
    stable(textsOf(await session.call("await", { timeout_seconds: 0 }))[0]),
    "ID make running for TIME: make\ncompiling a\ncompiling b\nAnother `await` waits on.",
  );
  assert.deepStrictEqual([result.isError ?? false, make.command.aborted], [false, false]);
});

Deno.test("B2 X4 await of very many gives as many results as fit, and the others next time", async () => {
  await using session = await setUp();
  const { registry } = session.service;
  const work = () => Promise.resolve({ kind: "exited", code: 0 } as const);
  await registry.wait(Array.from({ length: 30 }, () => registry.start("make", "make", work).id));
  const sizes: number[] = [];
  const counts: number[] = [];
  for (let call = 0; call < 2; call++) {
    const texts = textsOf(await session.call("await"));
    sizes.push(new TextEncoder().encode(texts.join("")).length);
    counts.push(texts.join("").split("[no output]").length - 1);
    assert.strictEqual(texts.length, 1);
    assert.strictEqual(texts[0]?.endsWith("10 more ended: another `await` gives their results."), call === 0);
  }
  assert.deepStrictEqual(counts, [20, 10]);
  assert.ok(sizes.every((size) => size <= 10 * 1024), String(sizes));
});

Deno.test("B2 await for tools of which none runs says so, and not that nothing runs", async () => {
  await using session = await setUp();
  await session.start("make");
  assert.deepStrictEqual(textsOf(await session.call("await", { tools: "git" })), [
    'No operation of the tools "git" is running, and every result has been read; `status` lists what ended.',
  ]);
});

Deno.test("B3 status shows what runs, what waits and where, what ended, and problems of tool files", async () => {
  const problem = { severity: "error", file: "bad.json", pointer: "/x", line: 3, column: 5, message: "Wrong" } as const;
  const registry = new OperationRegistry({ maxConcurrency: 1, log: SILENT });
  const catalog = catalogOf([makeLeaf("make"), makeLeaf("npm_run")], { diagnostics: [problem] });
  await using session = await setUp({ runner: new PlayedRunner(), catalog, rest: { registry } });
  const failed = session.call("npm_run", { execution_mode: "Synchronous", timeout_seconds: 0.01 });
  await failed;
  await session.call("make");
  const queued = await session.call("npm_run");
  assert.match(textsOf(queued)[0] ?? "", /^op_\w+ queued at position 1\. `await` returns its result\.$/);
  const { text, rest } = {
    text: stable(textsOf(await session.call("status"))[0]),
    rest: await session.call("status", { tools: "npm" }),
  };
  assert.strictEqual(
    text,
    "1 running, 1 queued, 1 ended and kept\n" +
      "Running:\nID make running for TIME: make\n" +
      "Queued:\nID npm_run queued at position 1 for TIME: npm_run\n" +
      "Ended, newest first:\n[ID timed_out, signal SIGTERM, TIME: Ended after its time limit of TIME] npm_run: npm_run\n" +
      "Tool files:\nbad.json:3:5: error: Wrong (/x)\n" +
      "Sandbox: Landlock\nScope: /scope",
  );
  assert.match(textsOf(rest)[0] ?? "", /^0 running, 1 queued, 1 ended/);
});

Deno.test("B3 status lists as ended what ends while it asks for the rest of its answer", async () => {
  const ends = Promise.withResolvers<void>();
  const details = async () => {
    ends.resolve();
    await make.ended;
    return "Landlock";
  };
  await using session = await setUp({ settings: { sandbox: { enforced: true, summary: "", details } } });
  const make = session.service.registry.start("make", "make all", async () => {
    await ends.promise;
    return { kind: "exited", code: 0 };
  });
  assert.strictEqual(
    stable(textsOf(await session.call("status"))[0]),
    "0 running, 0 queued, 1 ended and kept\nEnded, newest first:\n" +
      "[ID completed, exit code 0, TIME] make: make all\nSandbox: Landlock\nScope: /scope",
  );
});

Deno.test("N2 status stays short and right while a thousand operations run or wait", async () => {
  const registry = new OperationRegistry({ maxConcurrency: 400, log: SILENT });
  await using session = await setUp({ rest: { registry } });
  const work = ({ signal }: { readonly signal: AbortSignal }) => {
    const { promise, resolve } = Promise.withResolvers<{ readonly kind: "exited"; readonly code: number }>();
    signal.addEventListener("abort", () => resolve({ kind: "exited", code: 0 }), { once: true });
    return promise;
  };
  const operations = Array.from({ length: 1000 }, (_, index) => registry.start("make", `make ${index}`, work));
  const text = stable(textsOf(await session.call("status"))[0]);
  assert.match(text, /^400 running, 600 queued, 0 ended and kept\n/);
  assert.deepStrictEqual(text.match(/\.\.\. \d+ more/g), ["... 390 more", "... 590 more"]);
  assert.deepStrictEqual(text.match(/^ID make /gm)?.length, 20);
  await Promise.all(operations.map(({ id }) => registry.cancel(id, "the end")));
  assert.match(textsOf(await session.call("status"))[0] ?? "", /^0 running, 0 queued, 1000 ended and kept\n/);
});

Deno.test("B3 status of one operation shows its facts and last lines", async () => {
  await using session = await setUp();
  const make = await session.start("make");
  make.command.write("half way\n");
  assert.strictEqual(
    stable(textsOf(await session.call("status", { id: make.id }))[0]),
    "ID make running for TIME: make\nhalf way\n",
  );
});

Deno.test("B3 X4 status gives lines from the start and from the end, and parts of a long line by offset", async () => {
  await using session = await setUp();
  const make = await session.start("make");
  make.command.write(`${"x".repeat(20_000)}\nlast\n\nend`);
  const read = async (args: Record<string, unknown>) =>
    textsOf(await session.call("status", { operation_id: make.id, ...args })).map(stable);
  const part = 10 * 1024 - 200;
  assert.deepStrictEqual(await read({ lines: "-3" }), ["[ID running, lines 2 to 4 of 4]\nlast\n\nend"]);
  assert.deepStrictEqual(await read({ lines: "2-3" }), ["[ID running, lines 2 to 3 of 4]\nlast\n\n"]);
  assert.deepStrictEqual(await read({ lines: "9-12" }), ["[ID running, lines 9 to 9 of 4]\n[empty]"]);
  assert.deepStrictEqual(await read({ lines: "1" }), [
    `[ID running, lines 1 to 1 of 4, cut inside line 1; go on with "offset": ${part}]\n${"x".repeat(part)}`,
  ]);
  assert.deepStrictEqual(await read({ offset: part }), [
    `[ID running, bytes ${part} to 20010 of 20010]\n${"x".repeat(20_000 - part)}\nlast\n\nend`,
  ]);
  assert.deepStrictEqual(await read({ offset: 20_001 }), ["[ID running, bytes 20001 to 20010 of 20010]\nlast\n\nend"]);
  assert.deepStrictEqual(await read({ offset: 7e9 }), ["[ID running, bytes 20010 to 20010 of 20010]\n[empty]"]);
  assert.match((await read({ lines: "1", offset: 1 }))[0] ?? "", /"lines" and "offset" exclude each other/);
  assert.match((await read({ lines: "-0" }))[0] ?? "", /"lines" is "-0", expected a range counted from 1/);
  assert.match((await read({ offset: -1 }))[0] ?? "", /argument "offset" is -1, expected an integer from 0/);
});

Deno.test("S14 status and initialize are loud when there is no sandbox", async () => {
  const sandbox = { enforced: false, summary: "--no-sandbox was given" };
  await using session = await setUp({ settings: { sandbox } });
  const warning = "WARNING: NO SANDBOX, commands can reach everything this user can: --no-sandbox was given";
  assert.ok(textsOf(await session.call("status"))[0]?.includes(warning));
  assert.ok(session.client.getInstructions()?.includes(warning));
});

Deno.test("B4 cancel answers when the work has ended, and plainly for an ended or unknown id", async () => {
  await using session = await setUp();
  const make = await session.start("make");
  const result = await session.call("cancel", { operation_id: make.id, reason: "not needed" });
  assert.ok(make.command.aborted);
  const facts = "[no output, cancelled, signal SIGTERM, TIME: not needed]";
  assert.deepStrictEqual([result.structuredContent, result.isError, textsOf(result).map(stable)], [
    undefined,
    undefined,
    [`ID is cancelled, its processes are gone. ${facts}`],
  ]);
  const again = await session.call("cancel", { id: make.id });
  assert.deepStrictEqual(textsOf(again).map(stable), [`ID had ended already. ${facts}`]);
  const unknown = await session.call("cancel", { id: "op_nope" });
  assert.deepStrictEqual([unknown.isError, textsOf(unknown)[0]?.slice(0, 31)], [
    true,
    'Operation "op_nope" is unknown:',
  ]);
});

Deno.test("B1 T5 tools/list shows the built-in tools first, in stable order, and wins over a leaf of the same name", async () => {
  const catalog = catalogOf([makeLeaf("zip"), makeLeaf("status"), makeLeaf("add")]);
  await using session = await setUp({ catalog });
  const { tools } = await session.client.listTools();
  assert.deepStrictEqual(tools.map((tool) => tool.name), [
    "await",
    "cancel",
    "sandboxed_shell",
    "send",
    "status",
    "zip",
    "add",
  ]);
  assert.deepStrictEqual(tools.map((tool) => tool.annotations?.readOnlyHint), [
    true,
    undefined,
    undefined,
    undefined,
    true,
    undefined,
    undefined,
  ]);
  assert.deepStrictEqual(tools.filter((tool) => tool.outputSchema !== undefined).map((tool) => tool.name), []);
  assert.deepStrictEqual(tools[2]?.inputSchema.required, ["command"]);
});

Deno.test("C3 tools/list refuses any cursor with -32602", async () => {
  await using session = await setUp();
  await assert.rejects(session.client.request({ method: "tools/list", params: { cursor: "x" } }), { code: -32602 });
});

Deno.test("C1 capabilities are those that work; list_changed is declared and sent when the catalog can change", async () => {
  await using fixed = await setUp();
  const always = {
    logging: {},
    completions: {},
    resources: { subscribe: true, listChanged: true },
    tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } },
  };
  assert.deepStrictEqual(fixed.client.getServerCapabilities(), { ...always, tools: {} });
  const changes = new Emitter<undefined>((thrown) => assert.fail(String(thrown)));
  const onCatalogChange = (listener: () => void) => changes.subscribe(listener);
  await using changing = await setUp({ rest: { onCatalogChange } });
  assert.deepStrictEqual(changing.client.getServerCapabilities(), { ...always, tools: { listChanged: true } });
  const heard = new Promise<void>((resolve) =>
    changing.client.setNotificationHandler("notifications/tools/list_changed", () => resolve())
  );
  changes.emit(undefined);
  await heard;
});

Deno.test("X5d a legacy client gets a log message when a background operation ended", async () => {
  await using session = await setUp();
  const heard = new Promise<unknown>((resolve) =>
    session.client.setNotificationHandler("notifications/message", ({ params }) => resolve(params))
  );
  const make = await session.start("make");
  make.command.exit(1);
  const { data, ...rest } = await heard as { data: string };
  assert.deepStrictEqual([stable(data), rest], ["[ID failed, exit code 1, TIME] make: make", {
    level: "warning",
    logger: "ahma",
  }]);
});

Deno.test("C3 logging/setLevel keeps less important messages back and refuses an unknown level with -32602", async () => {
  await using session = await setUp();
  const heard: unknown[] = [];
  session.client.setNotificationHandler("notifications/message", ({ params }) => void heard.push(params.level));
  const setLevel = (level: string) => session.client.request({ method: "logging/setLevel", params: { level } });
  await assert.rejects(setLevel("loud"), { code: -32602 });
  await setLevel("warning");
  for (const code of [0, 1]) {
    const { id, command } = await session.start("make");
    command.exit(code);
    await session.service.registry.wait([id]);
  }
  await session.call("status");
  assert.deepStrictEqual(heard, ["warning"]);
});
