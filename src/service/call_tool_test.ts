import { strict as assert } from "node:assert";
import { catalogOf } from "../catalog/snapshot.ts";
import { connectClient, ERAS, idOf, makeLeaf, makeService, PlayedRunner, textsOf } from "./_support.ts";

const SAY_HI = new PlayedRunner((command) => {
  command.write("hi\n");
  command.exit(0);
});

function stable(text: string): string {
  return text.replaceAll(/op_[0-9A-Z]{26}/g, "ID").replaceAll(/\b[\d.]+ (ms|s)\b/g, "TIME");
}

for (const era of ERAS) {
  Deno.test(`X3 X4 callTool() puts the facts first and last and the output between in ${era}`, async () => {
    await using connected = await connectClient(makeService({ runner: SAY_HI }), era);
    const result = await connected.client.callTool({
      name: "sandboxed_shell",
      arguments: { command: "echo hi", execution_mode: "Synchronous" },
    });
    assert.deepStrictEqual(textsOf(result).map(stable), [
      "[ID completed, exit code 0, TIME]\nhi\n[ID completed, exit code 0, TIME]",
    ]);
    const meta = result._meta?.["ahma/operation"] as Record<string, unknown>;
    assert.deepStrictEqual({ ...meta, duration_ms: 0 }, {
      operation_id: idOf(result),
      tool: "sandboxed_shell",
      status: "completed",
      exit_code: 0,
      duration_ms: 0,
      output_bytes: 3,
      output_lines: 1,
      omitted_bytes: 0,
      omitted_lines: 0,
    });
    assert.deepStrictEqual([result.isError ?? false, result.structuredContent], [false, undefined]);
  });

  Deno.test(`X1 callTool() answers an asynchronous call at once, await gives the result, in ${era}`, async () => {
    const runner = new PlayedRunner();
    await using connected = await connectClient(makeService({ runner }), era);
    const started = await connected.client.callTool({ name: "sandboxed_shell", arguments: { command: "make" } });
    const id = idOf(started);
    assert.ok(textsOf(started)[0]?.startsWith(`${id} started: sandboxed_shell`));
    assert.deepStrictEqual(started._meta?.["ahma/operation"], {
      operation_id: id,
      tool: "sandboxed_shell",
      status: "running",
    });
    const awaiting = connected.client.callTool({ name: "await", arguments: { id } });
    const command = await runner.next();
    command.write("made\n");
    command.exit(2);
    const result = await awaiting;
    assert.strictEqual(
      stable(textsOf(result)[0] ?? ""),
      "[ID failed, exit code 2, TIME]\nmade\n[ID failed, exit code 2, TIME]",
    );
    assert.ok(result.isError);
    assert.deepStrictEqual(textsOf(await connected.client.callTool({ name: "await" })), [
      "No operation is running, and no such result is waiting to be read; `status` lists what ended.",
    ]);
  });

  Deno.test(`X4 an unknown tool is a protocol error -32602 with a guess in ${era}`, async () => {
    await using connected = await connectClient(makeService({ catalog: catalogOf([makeLeaf("git_status")]) }), era);
    for (const [name, guess] of [["sandboxed_shel", "sandboxed_shell"], ["git_statsu", "git_status"]] as const) {
      await assert.rejects(connected.client.callTool({ name }), {
        code: -32602,
        message: new RegExp(`Unknown tool "${name}"; did you mean "${guess}"`),
      });
    }
  });
}

Deno.test("T7 S16 callTool() runs a leaf's argv in the working directory with the environment it declares", async () => {
  const option = {
    name: "message",
    type: "string",
    description: "",
    required: true,
    fileArg: false,
  } as const;
  const leaf = makeLeaf("git_commit", { argv: ["git", "commit"], options: [option], synchronous: true });
  const runner = new PlayedRunner((command) => command.exit(0));
  await using connected = await connectClient(makeService({ runner, catalog: catalogOf([leaf]) }));
  const result = await connected.client.callTool({
    name: "git_commit",
    arguments: { message: "two words", working_directory: "sub" },
  });
  assert.match(textsOf(result)[0] ?? "", /^\[op_\w+ completed, exit code 0, [^\n]*\]\n\(no output\)$/);
  assert.deepStrictEqual(runner.requests, [{
    run: { argv: ["git", "commit", "--message", "two words"] },
    directory: "/scope/sub",
    environment: {},
    stdin: undefined,
  }]);
});

Deno.test("T6 S16 X4 callTool() makes results with isError of wrong arguments, and runs nothing", async () => {
  const runner = new PlayedRunner();
  const service = makeService({ runner, catalog: catalogOf([makeLeaf("make")]) });
  await using connected = await connectClient(service);
  const calls: readonly (readonly [string, Record<string, unknown>, RegExp])[] = [
    ["sandboxed_shell", {}, /^Cannot run "sandboxed_shell": argument "command" is missing: The command line$/],
    ["sandboxed_shell", { comand: "x" }, /argument "comand" does not exist; did you mean "command"\?/],
    ["sandboxed_shell", { command: 5 }, /argument "command" is 5, expected a string/],
    ["sandboxed_shell", { command: " " }, /argument "command" is empty/],
    ["sandboxed_shell", { command: "x", working_directory: "/elsewhere" }, /"\/elsewhere" is outside/],
    ["sandboxed_shell", { command: "x", env: { "A=B": "c" } }, /argument "env" is .* expected an object of strings/],
    ["sandboxed_shell", { command: "x", execution_mode: "sync" }, /expected "Synchronous" or "AsyncResultPush"/],
    ["sandboxed_shell", { command: "x", timeout_seconds: -1 }, /expected a number of seconds above 0, at most 86400/],
    [
      "sandboxed_shell",
      { command: "x", timeout_seconds: 0 },
      /"timeout_seconds" is 0, expected a number of seconds above/,
    ],
    ["sandboxed_shell", { command: "x\ud800" }, /"command" is .*, expected a string of valid Unicode/],
    ["sandboxed_shell", { command: "x", stdin: "\udc00" }, /"stdin" is .*, expected a string of valid Unicode/],
    ["sandboxed_shell", { command: "x\0" }, /"command" is .*, expected a string without NUL/],
    ["make", { targt: "all" }, /targt/],
    ["make", { working_directory: ".." }, /"\.\." is outside/],
    ["await", { operation_id: "op_nope" }, /Operation "op_nope" is unknown/],
    ["status", { operation_id: "op_nope" }, /Operation "op_nope" is unknown/],
    ["cancel", {}, /argument "operation_id" \(or "id"\) is missing: Id of one operation, .* from `status`$/],
    ["cancel", { id: "a", operation_id: "b" }, /"operation_id" and "id" are the same one and differ: give one of them/],
  ];
  for (const [name, args, expected] of calls) {
    const result = await connected.client.callTool({ name, arguments: args });
    assert.match(textsOf(result)[0] ?? "", expected);
    assert.ok(result.isError, name);
  }
  assert.deepStrictEqual([runner.requests, service.registry.list()], [[], []]);
});

Deno.test("T7 callTool() writes a file argument to a private file and removes it at the end", async () => {
  const events: string[] = [];
  const runner = new PlayedRunner((command) => {
    events.push(JSON.stringify(command.request.run));
    command.exit(0);
  });
  const option = {
    name: "body",
    type: "string",
    description: "",
    required: true,
    fileArg: true,
    fileFlag: "-F",
  } as const;
  const writePrivateFile = (text: string) => {
    events.push(`write ${text}`);
    return Promise.resolve({ path: "/private/1", remove: () => Promise.resolve(void events.push("remove")) });
  };
  const catalog = catalogOf([makeLeaf("note", { options: [option], synchronous: true })]);
  await using connected = await connectClient(makeService({ runner, catalog, rest: { writePrivateFile } }));
  await connected.client.callTool({ name: "note", arguments: { body: "text" } });
  assert.deepStrictEqual(events, ["write text", '{"argv":["note","-F","/private/1"]}', "remove"]);
});

Deno.test("X9 callTool() takes the call's time limit and says that it passed", async () => {
  await using connected = await connectClient(makeService());
  const result = await connected.client.callTool({
    name: "sandboxed_shell",
    arguments: { command: "sleep", execution_mode: "Synchronous", timeout_seconds: 0.02 },
  });
  assert.match(textsOf(result)[0] ?? "", /timed_out, signal SIGTERM, .*: Ended after its time limit of 0.02 s\]/);
  assert.ok(result.isError);
});

Deno.test("X2 --sync makes every call wait, and --inline-wait gives an early end as the result", async () => {
  for (const settings of [{ synchronous: true }, { inlineWaitMs: 5000 }]) {
    await using connected = await connectClient(makeService({ runner: SAY_HI, settings }));
    const result = await connected.client.callTool({ name: "sandboxed_shell", arguments: { command: "echo hi" } });
    assert.match(textsOf(result)[0] ?? "", /completed, exit code 0/);
  }
});

Deno.test("B6 a cancelled request ends the synchronous command it started and gets no answer", async () => {
  const runner = new PlayedRunner();
  const service = makeService({ runner });
  await using connected = await connectClient(service);
  const abort = new AbortController();
  const other = await connected.client.callTool({ name: "sandboxed_shell", arguments: { command: "other" } });
  const otherCommand = await runner.next();
  const calling = connected.client.callTool({
    name: "sandboxed_shell",
    arguments: { command: "sleep", execution_mode: "Synchronous" },
  }, { signal: abort.signal });
  const command = await runner.next();
  abort.abort();
  await assert.rejects(calling);
  await command.ended;
  assert.deepStrictEqual([command.aborted, otherCommand.aborted], [true, false]);
  const cancelled = service.registry.list().find((operation) => operation.title === "sleep");
  assert.deepStrictEqual(cancelled?.end, {
    state: "cancelled",
    message: "The client cancelled the request",
    signal: "SIGTERM",
  });
  assert.strictEqual(service.registry.get(idOf(other))?.state, "running");
});

Deno.test("B6 B2 a cancelled await leaves the operation alone and its result to be read", async () => {
  const runner = new PlayedRunner();
  const service = makeService({ runner });
  await using connected = await connectClient(service);
  const id = idOf(await connected.client.callTool({ name: "sandboxed_shell", arguments: { command: "make" } }));
  const command = await runner.next();
  const abort = new AbortController();
  const awaiting = connected.client.callTool({ name: "await", arguments: { operation_id: id } }, {
    signal: abort.signal,
  });
  await connected.client.callTool({ name: "status" });
  abort.abort();
  await assert.rejects(awaiting);
  assert.ok(!command.aborted);
  command.exit(0);
  await service.registry.wait([id]);
  assert.deepStrictEqual(service.registry.uncollected().map((operation) => operation.id), [id]);
});

Deno.test("X5 a later result tells once, shortly, of what ended in the meantime", async () => {
  const runner = new PlayedRunner();
  const service = makeService({ runner });
  await using connected = await connectClient(service);
  const shell = (command: string, execution_mode?: string) =>
    connected.client.callTool({
      name: "sandboxed_shell",
      arguments: { command, ...execution_mode !== undefined && { execution_mode } },
    });
  const id = idOf(await shell("make"));
  const make = await runner.next();
  make.write("1\n2\n3\n4\n5\n6\n7\n");
  make.exit(1);
  await service.registry.wait([id]);
  const calling = shell("echo", "Synchronous");
  (await runner.next()).exit(0);
  const [, news] = textsOf(await calling);
  assert.strictEqual(
    stable(news ?? ""),
    "Ended in the meantime (`await` with the operation id gives the whole result):\n" +
      "[ID failed, exit code 1, TIME] sandboxed_shell: make\n  3\n  4\n  5\n  6\n  7",
  );
  const again = shell("echo", "Synchronous");
  (await runner.next()).exit(0);
  assert.strictEqual(textsOf(await again).length, 1);
  assert.match(textsOf(await connected.client.callTool({ name: "await", arguments: { id } }))[0] ?? "", /\n1\n2\n3\n/);
});

Deno.test("X6 a synchronous call with a token streams its lines with rising progress, and nothing after the response", async () => {
  const runner = new PlayedRunner();
  await using connected = await connectClient(makeService({ runner }));
  const notes: { progress: number; message?: string | undefined }[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  const calling = connected.client.callTool({
    name: "sandboxed_shell",
    arguments: { command: "make", execution_mode: "Synchronous" },
  }, {
    onprogress: ({ progress, message }) => {
      notes.push({ progress, message });
      resolve();
    },
  });
  const command = await runner.next();
  command.write("first\nsecond\nhal");
  await promise;
  command.write("f\nlast\n");
  command.exit(0);
  await calling;
  assert.deepStrictEqual(notes, [{ progress: 1, message: "first\nsecond" }]);
});
