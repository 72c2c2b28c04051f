import { strict as assert } from "node:assert";
import { skipping } from "../../base/_support/timers.ts";
import { catalogOf } from "../../catalog/model/snapshot.ts";
import { callTool } from "./call_tool.ts";
import {
  connectClient,
  idOf,
  makeLeaf,
  makeService,
  PlayedRunner,
  REVISIONS,
  textsOf,
} from "../_support/connection.ts";

const SAY_HI = new PlayedRunner((command) => {
  command.write("hi\n");
  command.exit(0);
});

function stable(text: string): string {
  return text.replaceAll(/op_[0-9A-Z]+/g, "ID").replaceAll(/\b[\d.]+ (ms|s)\b/g, "TIME");
}

for (const revision of REVISIONS) {
  Deno.test(`X3 X4 callTool() answers a quick success with its output and nothing else in ${revision}`, async () => {
    await using connected = await connectClient(makeService({ runner: SAY_HI }), revision);
    const result = await connected.client.callTool({
      name: "sandboxed_shell",
      arguments: { command: "echo hi", execution_mode: "Synchronous" },
    });
    const { content, isError, structuredContent } = result;
    assert.deepStrictEqual([content, isError, structuredContent, result._meta?.["ahma/operation"]], [
      [{ type: "text", text: "hi\n" }],
      undefined,
      undefined,
      { exit_code: 0 },
    ]);
  });

  Deno.test(`X1 callTool() answers an asynchronous call at once, await gives the result, in ${revision}`, async () => {
    const runner = new PlayedRunner();
    await using connected = await connectClient(makeService({ runner }), revision);
    const started = await connected.client.callTool({ name: "sandboxed_shell", arguments: { command: "make" } });
    const id = idOf(started);
    assert.deepStrictEqual(textsOf(started), [`${id} started. \`await\` returns its result.`]);
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
      "made\n[exit code 2, TIME]",
    );
    assert.strictEqual(result.isError, undefined);
    assert.deepStrictEqual(textsOf(await connected.client.callTool({ name: "await" })), [
      "No operation is running, and every result has been read; `status` lists what ended.",
    ]);
  });

  Deno.test(`X4 an unknown tool is a protocol error -32602 with a guess in ${revision}`, async () => {
    await using connected = await connectClient(
      makeService({ catalog: catalogOf([makeLeaf("git_status")]) }),
      revision,
    );
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
  } as const;
  const leaf = makeLeaf("git_commit", { argv: ["git", "commit"], options: [option], synchronous: true });
  const runner = new PlayedRunner((command) => command.exit(0));
  const service = makeService({ runner, catalog: catalogOf([leaf]) });
  await using connected = await connectClient(service);
  const result = await connected.client.callTool({
    name: "git_commit",
    arguments: { message: "two words", working_directory: "sub" },
  });
  assert.deepStrictEqual(textsOf(result), ["[no output]"]);
  assert.deepStrictEqual(runner.requests, [{
    run: { argv: ["git", "commit", "--message", "two words"] },
    directory: "/scope/sub",
    environment: {},
    stdin: undefined,
    operation: { id: service.registry.list()[0]?.id ?? "", tool: "git_commit" },
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
    ["cancel", {}, /argument "operation_id" \(or "id"\) is missing: As its call or `status` gave it$/],
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
    file_arg: true,
    file_flag: "-F",
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
  for (const settings of [{ synchronous: true }, { inlineWaitMs: 1e6 }]) {
    await using connected = await connectClient(makeService({ runner: SAY_HI, settings }));
    const result = await connected.client.callTool({ name: "sandboxed_shell", arguments: { command: "echo hi" } });
    assert.deepStrictEqual(textsOf(result), ["hi\n"]);
  }
});

Deno.test("X1 what has not ended within --inline-wait is answered with its id and the output so far, and is awaited", async () => {
  const runner = new PlayedRunner((command) => command.write("compiling\n"));
  const service = makeService({ runner, settings: { inlineWaitMs: 20 } });
  await using connected = await connectClient(service);
  const calling = connected.client.callTool({ name: "sandboxed_shell", arguments: { command: "make" } });
  const command = await runner.next();
  const answer = await calling;
  const id = idOf(answer);
  const state = "started. `await` returns its result. Output so far:";
  assert.deepStrictEqual(textsOf(answer), [`${id} ${state}\ncompiling\n`]);
  const awaiting = connected.client.callTool({ name: "await" });
  command.exit(0);
  assert.deepStrictEqual(textsOf(await awaiting).map(stable), [
    "[ID completed, exit code 0, TIME] sandboxed_shell: make\ncompiling",
  ]);
});

Deno.test("X1 AsyncResultPush and a tool file's `synchronous: false` answer with the id at once, whatever --inline-wait", async () => {
  const runner = new PlayedRunner();
  const catalog = catalogOf([makeLeaf("build", { synchronous: false })]);
  await using connected = await connectClient(makeService({ runner, catalog, settings: { inlineWaitMs: 1e6 } }));
  const shell = { name: "sandboxed_shell", arguments: { command: "make", execution_mode: "AsyncResultPush" } };
  for (const call of [shell, { name: "build" }]) {
    const answer = await connected.client.callTool(call);
    assert.deepStrictEqual(textsOf(answer), [`${idOf(answer)} started. \`await\` returns its result.`]);
  }
});

Deno.test("X1 a synchronous call without a token is answered with the id after 50 s, one with a token when it has ended", async () => {
  const runner = new PlayedRunner();
  const service = makeService({ runner });
  const call = { name: "sandboxed_shell", args: { command: "make", execution_mode: "Synchronous" } };
  const signal = new AbortController().signal;
  using _time = skipping(50_000);
  const answer = await callTool(service, call, { signal, sendProgress: undefined });
  const [first] = service.registry.listActive();
  await runner.next();
  assert.deepStrictEqual(textsOf(answer), [`${first?.id} started. \`await\` returns its result.`]);
  for (
    const context of [{ sendProgress: () => Promise.resolve() }, { sendProgress: undefined, unhurried: true } as const]
  ) {
    const waiting = callTool(service, call, { signal, ...context });
    const second = await runner.next();
    second.write("made\n");
    second.exit(0);
    assert.deepStrictEqual(textsOf(await waiting).map(stable), ["made\n"]);
  }
  await service.registry.shutdown(0);
});

Deno.test("X20 who waits for a line is answered after two minutes at the latest, with a token too; the command goes on", async () => {
  const runner = new PlayedRunner();
  const service = makeService({ runner });
  const call = { name: "sandboxed_shell", args: { command: "make", until: "never" } };
  using _time = skipping(120_000);
  const signal = new AbortController().signal;
  const answer = await callTool(service, call, { signal, sendProgress: () => Promise.resolve() });
  const [operation] = service.registry.listActive();
  assert.strictEqual(operation?.state, "running");
  assert.match(textsOf(answer).join("\n"), new RegExp(`^${operation.id} .* without a (new )?line with "never"`));
  await service.registry.shutdown(0);
});

Deno.test("X9 a command that is waited for, watched or typed into has the long limit, unless the call has its own", async () => {
  const calls = [
    [{}, 360],
    [{ until: "up" }, 7200],
    [{ until_quiet: 1 }, 7200],
    [{ watch: ["ERROR"] }, 7200],
    [{ input: true }, 7200],
    [{ tty: true }, 7200],
    [{ tty: true, timeout_seconds: 5 }, 5],
  ] as const;
  for (const [args, seconds] of calls) {
    const service = makeService({ runner: new PlayedRunner((command) => command.exit(0)) });
    const call = { name: "sandboxed_shell", args: { command: "serve", ...args } };
    await callTool(service, call, { signal: new AbortController().signal, sendProgress: undefined });
    const limits = service.registry.list().map(({ timeoutSeconds }) => timeoutSeconds);
    assert.deepStrictEqual([args, limits], [args, [seconds]]);
    await service.registry.shutdown(0);
  }
});

Deno.test("X4 a non-zero exit is an ordinary result, and an error with --exit-errors", async () => {
  const runner = new PlayedRunner((command) => command.exit(3));
  for (const exitErrors of [false, true]) {
    await using connected = await connectClient(makeService({ runner, settings: { exitErrors, inlineWaitMs: 1e6 } }));
    const result = await connected.client.callTool({ name: "sandboxed_shell", arguments: { command: "false" } });
    assert.deepStrictEqual([textsOf(result).map(stable), result.isError ?? false], [
      ["[no output, exit code 3, TIME]"],
      exitErrors,
    ]);
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
    command: { kind: "signalled", signal: "SIGTERM" },
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
  assert.deepStrictEqual(service.registry.undelivered().map((operation) => operation.id), [id]);
});

Deno.test("X5c X18 a later result tells once of what ended in the meantime, 20 lines whole; the rest stays to be awaited", async () => {
  const runner = new PlayedRunner();
  const service = makeService({ runner });
  await using connected = await connectClient(service);
  const shell = (command: string, execution_mode?: string) =>
    connected.client.callTool({
      name: "sandboxed_shell",
      arguments: { command, ...execution_mode !== undefined && { execution_mode } },
    });
  const id = idOf(await shell("make"));
  const short = idOf(await shell("short"));
  const make = await runner.next();
  const lines = Array.from({ length: 30 }, (_, index) => `${index + 1}\n`);
  make.write(lines.join(""));
  make.exit(1);
  const shortCommand = await runner.next();
  shortCommand.write(lines.slice(10).join(""));
  shortCommand.exit(0);
  await service.registry.wait([id, short]);
  const echo = async () => {
    const calling = shell("echo", "Synchronous");
    (await runner.next()).exit(0);
    return textsOf(await calling);
  };
  assert.deepStrictEqual((await echo()).map(stable), [
    "[no output]",
    "\nEnded since:\n" +
    '[ID failed, exit code 1, TIME] sandboxed_shell: make\n  ... `await` {"operation_id":"ID"} returns all 30 lines\n' +
    "  26\n  27\n  28\n  29\n  30\n" +
    "[ID completed, exit code 0, TIME] sandboxed_shell: short\n" +
    lines.slice(10).map((line) => `  ${line}`).join("").trimEnd(),
  ]);
  assert.deepStrictEqual(await echo(), ["[no output]"]);
  const whole = `[ID failed, exit code 1, TIME] sandboxed_shell: make\n${lines.join("").trimEnd()}`;
  assert.deepStrictEqual(textsOf(await connected.client.callTool({ name: "await" })).map(stable), [whole]);
  const nothing = "No operation is running, and every result has been read; `status` lists what ended.";
  assert.deepStrictEqual(textsOf(await connected.client.callTool({ name: "await" })), [nothing]);
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
