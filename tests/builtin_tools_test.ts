import assert from "node:assert/strict";
import { isAlive } from "./_support/processes.ts";
import { ServerProcess } from "./_support/server_process.ts";
import { sharing } from "./_support/sharing.ts";
import { Workbench } from "./_support/workbench.ts";

interface ListedTool {
  readonly name: string;
  readonly description: string;
  readonly annotations?: Readonly<Record<string, unknown>>;
  readonly inputSchema: {
    readonly type: string;
    readonly properties?: Readonly<Record<string, unknown>>;
    readonly additionalProperties?: boolean;
    readonly required?: readonly string[];
  };
}

async function listed(server: ServerProcess): Promise<readonly ListedTool[]> {
  // The wire format of tools/list.
  return (await server.request("tools/list")).result?.tools as readonly ListedTool[];
}

/** Starts a background command and gives its operation id. */
async function begin(server: ServerProcess, command: string): Promise<string> {
  const id = (await server.start(command)).operation?.operation_id;
  assert.ok(id !== undefined, "an operation was started");
  return id;
}

const testUsual = sharing((bench) => ServerProcess.start(bench));

/** The arguments of each, and the sentences about the tool that a model reads. */
const LISTED: Readonly<Record<string, readonly [description: RegExp, ...names: readonly string[]]>> = {
  await: [
    /^Waits for background operations to end \(one by operation_id, else all\) and returns their results\. .*default 50/,
    ...["operation_id", "id", "tools", "timeout_seconds", "until", "until_port", "until_quiet", "from_start"],
  ],
  cancel: [/^Ends a running or queued operation with all its processes/, "operation_id", "id", "reason"],
  sandboxed_shell: [
    /^Runs a shell command line \(after 3 s the answer is an operation id for `await`\) in \/[^ ]+; elsewhere is read-only or hidden\. .*a server is a call of its own, whose `until` answers when it is up\. Without input or tty stdin is empty\.$/,
    ...["command", "working_directory", "timeout_seconds", "execution_mode", "env", "stdin"],
    ...["until", "until_port", "until_quiet", "watch", "input", "tty", "session", "close"],
  ],
  send: [
    /^Types into an operation started with input or tty; answers with what it writes until it waits for input again/,
    ...["operation_id", "id", "text", "keys", "eof", "resize", "until", "until_quiet", "timeout_seconds"],
  ],
  status: [
    /^Shows running, queued and recently ended operations, unavailable tools, the sandbox and the scope; with /,
    ...["operation_id", "id", "tools", "lines", "offset", "limit"],
  ],
};
/** Bytes of the list with a scope of no length: each is read by every model. */
const MOST_LISTED = 4_800;

testUsual(
  "B1 T13 X22 the built-in tools are listed with what a model needs to know, the essentials first, in few bytes",
  async ({ bench, server }) => {
    const tools = await listed(server);
    assert.deepStrictEqual(tools.map(({ name }) => name), Object.keys(LISTED));
    for (const { name, description, inputSchema } of tools) {
      const [expected, ...names] = LISTED[name] ?? assert.fail(name);
      assert.match(description, expected);
      const { type, properties, additionalProperties } = inputSchema;
      assert.deepStrictEqual({ type, names: Object.keys(properties ?? {}), additionalProperties }, {
        type: "object",
        names,
        additionalProperties: false,
      });
    }
    assert.deepStrictEqual(tools.find(({ name }) => name === "sandboxed_shell")?.inputSchema.required, ["command"]);
    const readOnly = [true, undefined, undefined, undefined, true];
    assert.deepStrictEqual(tools.map(({ annotations }) => annotations?.readOnlyHint), readOnly);
    assert.deepStrictEqual(
      tools.map(({ annotations }) => annotations?.destructiveHint),
      readOnly.map((one) => one === true ? undefined : true),
    );
    const text = JSON.stringify(tools).replaceAll(await Deno.realPath(bench.scope), "");
    assert.ok(text.length <= MOST_LISTED, `${text.length} bytes`);
  },
);

Deno.test("B1 a tool file cannot take the name of a built-in tool", async () => {
  using bench = new Workbench();
  const impostor = { name: "status", description: "An impostor", command: "echo" };
  bench.write(".ahma/tools/status.json", JSON.stringify(impostor));
  await using server = await ServerProcess.start(bench);
  const found = (await listed(server)).filter(({ name }) => name === "status");
  assert.equal(found.length, 1);
  assert.doesNotMatch(found[0]?.description ?? "", /impostor/i);
});

Deno.test("T5 T6 a program is one tool where its file says so, and a call of it is checked and named by its leaf", async () => {
  using bench = new Workbench();
  const weight = { name: "weight", type: "integer", description: "Grams", required: true };
  const track = { name: "track", description: "Tracks.", options: [{ name: "id", description: "Whose" }] };
  const parcel = {
    name: "parcel",
    command: "echo",
    synchronous: true,
    description: "Parcels.",
    tool_style: "program",
    subcommand: [{ name: "send", description: "Sends.", options: [weight] }, track],
  };
  bench.write(".ahma/tools/parcel.json", JSON.stringify(parcel));
  await using server = await ServerProcess.start(bench);
  const [tool, ...none] = (await listed(server)).slice(5);
  assert.deepStrictEqual([tool?.name, tool?.description, none], [
    "parcel",
    "Parcels.\n\nsend: Sends.\ntrack: Tracks.",
    [],
  ]);
  const { working_directory: _d, timeout_seconds: _t, execution_mode: _m, ...own } = tool?.inputSchema.properties ?? {};
  assert.deepStrictEqual(own, {
    subcommand: { type: "string", enum: ["send", "track"] },
    weight: { type: "integer", description: "send (required): Grams" },
    id: { type: "string", description: "track: Whose" },
  });
  assert.match((await server.call("parcel", { subcommand: "send", weight: 2 })).text, /^send --weight 2$/m);
  assert.match((await server.call("parcel_track", { id: "7" })).text, /^track --id 7$/m);
  const refused = async (args: object) => (await server.call("parcel", args)).text;
  assert.deepStrictEqual(
    [await refused({ subcommand: "send" }), await refused({ subcommand: "track", weight: 2 }), await refused({})],
    [
      'Cannot run "parcel_send": Argument "weight" is missing, expected a whole number (not in quotes)',
      'Cannot run "parcel_track": Argument "weight" is unknown: known arguments are id, working_directory, ' +
      "timeout_seconds, execution_mode",
      'Cannot call "parcel": "subcommand" is missing, expected one of send, track',
    ],
  );
});

Deno.test("T5 --tool-prefix stands before every listed name and in texts that name tools; calls do with and without", async () => {
  using bench = new Workbench();
  const tool = (name: string) =>
    bench.write(
      `.ahma/tools/${name}.json`,
      JSON.stringify({ name, command: "echo", description: "Says it.", synchronous: true }),
    );
  tool("say");
  tool(`long_${"x".repeat(58)}`);
  await using server = await ServerProcess.start(bench, { flags: ["--tool-prefix", "a-"], era: "none" });
  const { result } = await server.initialize("2025-11-25");
  assert.match(
    String(result?.instructions),
    /`a-sandboxed_shell` runs .*`a-await`.*`a-status` shows .*`a-cancel` ends/s,
  );
  const tools = await listed(server);
  assert.deepStrictEqual(tools.map(({ name }) => name), [
    "a-await",
    "a-cancel",
    "a-sandboxed_shell",
    "a-send",
    "a-status",
    "a-say",
  ]);
  assert.match(tools[2]?.description ?? "", /an operation id for `a-await`/);
  assert.doesNotMatch(JSON.stringify(tools), /`(await|cancel|sandboxed_shell|send|status)`/);
  for (const name of ["a-say", "say"]) assert.match((await server.call(name, { args: ["hello"] })).text, /^hello$/m);
  assert.match(
    (await server.call("a-status")).text,
    /has 63 characters, and clients .* over 64, 2 of them the --tool-prefix/,
  );
  assert.match((await server.call("status")).text, /^Scope: /m);
  const id = await begin(server, "true");
  await server.call("a-await", { operation_id: id });
  const sends = async (to: string) => (await server.call("a-send", { operation_id: to, text: "x" })).text;
  assert.strictEqual(await sends(id), `Cannot send to ${id}: it has ended; \`a-await\` returns its result`);
  assert.match(await sends("op_00000000"), / `a-status` lists the kept ones\.$/);
  const unknown = await server.request("tools/call", { name: "a-sya", arguments: {} });
  assert.match(unknown.error?.message ?? "", /did you mean "a-say"/);
});

testUsual("T5 tools/list comes in the same order each time", async ({ server }) => {
  assert.deepStrictEqual(await listed(server), await listed(server));
});

testUsual("B2 await gives the whole result of a named operation", async ({ server }) => {
  const id = await begin(server, "sleep 0.2; echo the result; exit 7");
  const answer = await server.call("await", { operation_id: id });
  assert.strictEqual(answer.text.replace(/, [\d.]+ m?s/, ""), "the result\n[exit code 7]");
});

testUsual("B2 await without arguments waits for all", async ({ server }) => {
  await begin(server, "sleep 0.2; echo first result");
  await begin(server, "sleep 0.1; echo second result");
  const { text } = await server.call("await");
  assert.match(text, /first result/);
  assert.match(text, /second result/);
});

testUsual("B2 await that runs out of time says what still runs and cancels nothing", async ({ bench, server }) => {
  const id = await begin(server, "echo so far; touch started; sleep 300");
  await bench.appears("started");
  const answer = await server.call("await", { operation_id: id, timeout_seconds: 1 });
  assert.ok(answer.text.includes(id));
  assert.strictEqual(
    answer.text.replace(/after [\d.]+ s/, "after TIME"),
    `${id} still runs after TIME. Another \`await\` waits on. Output so far:\nso far\n`,
  );
  await bench.processesAppear("sleep 300");
  await server.call("cancel", { operation_id: id });
});

testUsual("B2 B3 B4 an unknown id gets a plain answer that names it", async ({ server }) => {
  for (const tool of ["await", "status", "cancel"]) {
    const { text } = await server.call(tool, { operation_id: "op_00000000000000000000000000" });
    assert.match(text, /op_00000000000000000000000000/, tool);
  }
});

testUsual("B3 status answers at once with what runs, for how long, and its last lines", async ({ bench, server }) => {
  const id = await begin(server, "echo last line; touch started; sleep 300");
  await bench.appears("started");
  const ended = await begin(server, "exit 3");
  await server.call("await", { operation_id: ended });
  const all = await server.call("status", {}, { deadline: 2_000 });
  assert.ok(all.text.includes(id) && all.text.includes(ended), all.text);
  const one = await server.call("status", { id });
  assert.match(one.text, /running/);
  assert.match(one.text, /last line/);
  assert.ok(!one.text.includes(ended));
  await server.call("cancel", { id });
});

testUsual(
  "B4 cancel answers after the processes are gone, and says so for a finished one",
  async ({ bench, server }) => {
    const id = await begin(server, "echo $$ > pid; touch started; sleep 300");
    await bench.appears("started");
    const running = await bench.processesAppear("sleep 300");
    await server.call("cancel", { operation_id: id, reason: "no longer needed" });
    const alive = await Promise.all(running.map(({ pid }) => isAlive(pid)));
    assert.ok(!alive.some((each) => each), "none of them is alive");
    const result = await server.call("await", { operation_id: id });
    assert.match(result.text, /cancelled/);
    const again = await server.call("cancel", { operation_id: id });
    assert.match(again.text, /cancelled|finished|ended/i);
  },
);

testUsual(
  "B6 a client's cancel of an await ends the wait and leaves the operation alone",
  async ({ bench, server }) => {
    const id = await begin(server, "touch started; sleep 300");
    await bench.appears("started");
    const wait = server.request("tools/call", { name: "await", arguments: { operation_id: id } }, { id: "wait" });
    const answered = wait.then(() => "answered", () => "closed");
    await server.send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: "wait" } });
    const { text } = await server.call("status", { operation_id: id });
    assert.match(text, /running/);
    await server.call("cancel", { operation_id: id });
    await server.shell("true");
    assert.equal(await Promise.race([answered, Promise.resolve("silent")]), "silent");
  },
);

testUsual("B6 a client's cancel of an async call's request leaves its operation alone", async ({ bench, server }) => {
  const answer = await server.start("touch started; sleep 300", {}, { id: "started" });
  const id = answer.operation?.operation_id ?? "";
  await bench.appears("started");
  await server.send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: "started" } });
  assert.match((await server.call("status", { operation_id: id })).text, /running/);
  await server.call("cancel", { operation_id: id });
});
