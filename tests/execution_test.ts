import assert from "node:assert/strict";
import { until } from "./_support/deadline.ts";
import type { ToolAnswer } from "./_support/json_rpc.ts";
import { holdingsOf, signalIfThere, stateOf } from "./_support/processes.ts";
import { ServerProcess } from "./_support/server_process.ts";
import { sharing } from "./_support/sharing.ts";
import { Workbench } from "./_support/workbench.ts";

const OPERATION_ID = /op_[0-9A-HJKMNP-TV-Z]{8}/;

/** A tool that is synchronous by its file. */
const SAY = {
  name: "say",
  description: "Says it.",
  command: "echo",
  synchronous: true,
  positional_args: [{ name: "words", type: "string", description: "What to say.", required: true }],
};

const testUsual = sharing((bench) => {
  bench.write(".ahma/tools/say.json", JSON.stringify(SAY));
  for (const name of [".bashrc", ".profile", ".bash_profile"]) {
    bench.write(`${bench.home}/${name}`, "echo a profile was read\n");
  }
  return ServerProcess.start(bench, {
    environment: { MY_API_TOKEN: "marker-of-a-secret", AHMA_ANYTHING: "marker-of-ours", BASH_ENV: "/dev/null" },
  });
});

const testStrict = sharing((bench) => ServerProcess.start(bench, { flags: ["--sync", "--exit-errors"] }));

Deno.test("X1 X4 what runs longer than the wait is answered with its id and the output so far, or with the id at once", async () => {
  using bench = new Workbench();
  let waited: ToolAnswer | undefined;
  // Whether the command writes within a wait depends on the machine: the wait grows until it does.
  for (let wait = 1_000; !waited?.text.includes("so far\n"); wait *= 4) {
    await using server = await ServerProcess.start(bench, { flags: ["--inline-wait", `${wait}`] });
    waited = await server.call("sandboxed_shell", { command: "echo so far; touch started; sleep 300" });
  }
  const id = waited.operation?.operation_id ?? "";
  assert.match(id, new RegExp(`^${OPERATION_ID.source}$`));
  assert.strictEqual(
    waited.text.replace(/after [\d.]+ s/, "after TIME"),
    `${id} still runs after TIME. \`await\` returns its result. Output so far:\nso far\n`,
  );
  assert.deepStrictEqual([waited.isError, waited.result.structuredContent], [false, undefined]);
  assert.deepStrictEqual(waited.operation, { operation_id: id, tool: "sandboxed_shell", status: "running" });
  await using server = await ServerProcess.start(bench, { flags: ["--inline-wait", "60000"] });
  const started = await server.start("sleep 300");
  assert.strictEqual(
    started.text.replace(/still runs after [\d.]+ s/, "started"),
    `${started.operation?.operation_id} started. \`await\` returns its result.`,
  );
});

testUsual(
  "X1 X4 by default the first answer is the result: nothing but the output of a quick success",
  async ({ server }) => {
    const { result, output, isError } = await server.call("sandboxed_shell", { command: "echo the output" });
    const told = (result._meta as { "ahma/operation"?: Readonly<Record<string, unknown>> })["ahma/operation"] ?? {};
    const { duration_ms: took, status, ...facts } = told;
    assert.deepStrictEqual([output, isError, facts], ["the output\n", false, { exit_code: 0 }]);
    // Only what was not quick says more, as it does on a busy machine.
    assert.ok(took === undefined ? status === undefined : Number(took) >= 1000, JSON.stringify(told));
    assert.strictEqual(
      (await server.call("sandboxed_shell", { command: "true" })).text.replace(/, .*]/, "]"),
      "[no output]",
    );
    const slow = await server.call("sandboxed_shell", { command: "sleep 1.1; printf done" });
    assert.strictEqual(slow.text.replace(/\d\.\d s/, "TIME"), "done\n[exit code 0, TIME]");
  },
);

testStrict("X2 --sync makes calls synchronous", async ({ server }) => {
  assert.match((await server.call("sandboxed_shell", { command: "echo at once" })).text, /at once/);
});

testUsual("X2 the call's execution_mode decides over the leaf's", async ({ server }) => {
  assert.match((await server.call("say", { words: "by the leaf" })).text, /by the leaf/);
  const answer = await server.call("say", { words: "later", execution_mode: "AsyncResultPush" });
  assert.match(answer.text, new RegExp(`^${OPERATION_ID.source}`));
  await server.call("await");
});

for (
  const { test, what, isError } of [
    { test: testUsual, what: "an ordinary result", isError: false },
    { test: testStrict, what: "with --exit-errors an error", isError: true },
  ]
) {
  test(`X3 X4 a non-zero exit, or a signal, is ${what} that says so`, async ({ server }) => {
    const failed = await server.shell("echo before; exit 42");
    const killed = await server.shell("kill -SEGV $$");
    assert.deepStrictEqual([failed, killed].map(({ text }) => text.replace(/\d+ ms|[\d.]+ s/, "TIME")), [
      "before\n[exit code 42, TIME]",
      "[no output, signal SIGSEGV, TIME]",
    ]);
    assert.deepStrictEqual([failed.isError, killed.isError], [isError, isError]);
    const nothingRan = await server.shell("pwd", { working_directory: "/" });
    const timedOut = await server.shell("sleep 300", { timeout_seconds: 0.2 });
    assert.deepStrictEqual([nothingRan.isError, timedOut.isError], [true, true]);
  });
}

testUsual("T6 X4 a wrong argument is an error result that names it and what is close", async ({ server }) => {
  const unknown = await server.call("sandboxed_shell", { comand: "true" });
  assert.ok(unknown.isError);
  assert.match(unknown.text, /comand/);
  assert.match(unknown.text, /command/);
  const wrongType = await server.call("sandboxed_shell", { command: 5 });
  assert.ok(wrongType.isError);
  assert.match(wrongType.text, /command[^]*\b5\b[^]*(string|text)/);
});

testUsual("X4 X8 a long output keeps head and tail and says what was left out", async ({ server }) => {
  const { text } = await server.shell("seq 1 100000");
  assert.ok(text.length < 14_000, `${text.length} characters`);
  assert.match(text, /^1$/m);
  assert.match(text, /^100000$/m);
  assert.doesNotMatch(text, /^50000$/m);
  const left = /([\d,]{5,}) lines/.exec(text)?.[1]?.replaceAll(",", "") ?? "";
  const shown = text.split("\n").filter((line) => /^\d+$/.test(line)).length;
  assert.equal(Number(left), 100_000 - shown, text.slice(0, 300));
});

testUsual("X7 stdout and stderr come in the order written", async ({ server }) => {
  const { text } = await server.shell("for i in $(seq 1 60); do echo out $i; echo err $i >&2; done");
  const expected = Array.from({ length: 60 }, (_, index) => `out ${index + 1}\nerr ${index + 1}`).join("\n");
  assert.ok(text.includes(expected), text);
});

testUsual(
  "X7 a comment, a here-document, a list and a background job in the command change nothing of that",
  async ({ server }) => {
    const rows = [
      { command: "echo one; echo two >&2 # a comment", expected: "one\ntwo" },
      { command: "cat <<END\nfrom $((1+1)) documents\nEND\necho after >&2", expected: "from 2 documents\nafter" },
      { command: "false || echo rescued && ls /nowhere-at-all; true", expected: "rescued\nls: " },
      { command: "(echo behind) & wait; echo front >&2", expected: "behind\nfront" },
      { command: "echo 'it''s \"quoted\" $HOME `x`'", expected: 'its "quoted" $HOME `x`' },
    ];
    for (const { command, expected } of rows) {
      const answer = await server.shell(command);
      assert.ok(`\n${answer.text}`.includes(`\n${expected}`), `${command}: ${answer.text}`);
      assert.ok(!answer.failed, command);
    }
  },
);

testUsual("X8 bytes that are no text, colours and progress bars come out readable", async ({ server }) => {
  const bytes = await server.shell(String.raw`printf 'a\377b ü\n'`);
  assert.match(bytes.text, /^a\uFFFDb ü$/m);
  const colours = await server.shell(String.raw`printf '\033[31mred\033[0m \033]0;title\007plain\n'`);
  assert.match(colours.text, /^red plain$/m);
  const bar = await server.shell(String.raw`printf '10%%\r50%%\r100%%\ndone\n'`);
  assert.match(bar.text, /^100%$/m);
  assert.doesNotMatch(bar.text, /50%/);
});

testUsual(
  "X10 a background child that keeps the output open does not keep the operation open",
  async ({ bench, server }) => {
    const answer = await server.shell("sleep 301 & echo started it", { timeout_seconds: 60 });
    assert.match(answer.text, /^started it$/m);
    assert.ok(!answer.failed);
    await bench.processesGone("sleep 301");
  },
);

Deno.test("X14 after the end of input not a byte is written, what runs is ended at once, and the code is 0", async () => {
  using bench = new Workbench();
  await using server = await ServerProcess.start(bench);
  await server.notification("notifications/sandbox/configured");
  const call = (file: string, mode: string) => ({
    name: "sandboxed_shell",
    arguments: { command: `trap 'echo late; exit' TERM; touch ${file}; sleep 300 & wait`, execution_mode: mode },
    _meta: { progressToken: file },
  });
  await server.request("tools/call", call("started", "AsyncResultPush"));
  await server.send({ jsonrpc: "2.0", id: "open", method: "tools/call", params: call("waited", "Synchronous") });
  await Promise.all([bench.appears("started"), bench.appears("waited")]);
  await server.closeInput();
  assert.strictEqual((await server.exit()).code, 0);
  await server.nothingLeft();
  assert.deepStrictEqual(server.unclaimed, []);
});

Deno.test("X11 X14 a signal lets a running call finish, and ends the program with code 0; operation ids are short over stdio, and unique, also across a restart", async (t) => {
  using bench = new Workbench();
  const ids: string[] = [];
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    await t.step(signal, async () => {
      await using server = await ServerProcess.start(bench);
      for (let call = 0; call < 4; call++) ids.push((await server.start("true")).operation?.operation_id ?? "");
      const answer = server.shell(`touch ${signal}; until [ -e go-${signal} ]; do sleep 0.05; done; echo in time`);
      await bench.appears(signal);
      server.kill(signal);
      bench.write(`go-${signal}`, "");
      assert.match((await answer).text, /^in time$/m);
      assert.equal((await server.exit(15_000)).code, 0);
    });
  }
  for (const id of ids) assert.match(id, new RegExp(`^${OPERATION_ID.source}$`));
  assert.deepStrictEqual([ids.length, ids], [12, [...new Set(ids)]]);
});

Deno.test("X14 a second signal ends the program and its running calls, which get no answer", async () => {
  using bench = new Workbench();
  await using server = await ServerProcess.start(bench);
  const command = 'trap "" TERM; touch started; sleep 300';
  const params = { name: "sandboxed_shell", arguments: { command, execution_mode: "Synchronous" } };
  await server.send({ jsonrpc: "2.0", id: "open", method: "tools/call", params });
  await bench.appears("started");
  for (const signal of ["SIGTERM", "SIGINT"] as const) server.kill(signal);
  assert.strictEqual((await server.exit()).code, 0);
  await server.nothingLeft();
  assert.deepStrictEqual(server.unclaimed.filter(({ id }) => id === "open"), []);
});

testUsual("X15 stdin is empty, and no command waits on it or on a terminal", async ({ server }) => {
  const empty = await server.shell("cat; read -r line; echo read says $?; test -t 0 || echo no terminal", {
    timeout_seconds: 20,
  });
  assert.match(empty.text, /read says 1\nno terminal/);
  assert.match((await server.shell("echo $GIT_TERMINAL_PROMPT")).text, /^0$/m);
});

testUsual(
  "B5 X15 a shell line gets its directory, its variables, and stdin text byte for byte",
  async ({ bench, server }) => {
    bench.write("below/file", "");
    const text = "first\n  second $HOME `x` \"y\" 'z' ü\\n\nlast without line break";
    const env = { GREETING: "good day, $HOME" };
    const line = 'for name in *; do cat > "../received" && printf "%s|%s" "$name" "$GREETING"; done';
    const answer = await server.shell(line, { working_directory: "below", env, stdin: text });
    assert.deepEqual([answer.isError, answer.text], [false, "file|good day, $HOME"]);
    assert.equal(await Deno.readTextFile(`${bench.scope}/received`), text);
  },
);

testUsual(
  "S16 a working directory outside the scope is a clear error, one inside is used",
  async ({ bench, server }) => {
    bench.write("below/file", "");
    assert.match((await server.shell("ls", { working_directory: "below" })).text, /^file$/m);
    for (const outside of ["..", bench.elsewhere, "/", "below/../.."]) {
      const answer = await server.shell("pwd", { working_directory: outside });
      assert.ok(answer.isError, outside);
      assert.match(answer.text, /outside|not (in|inside)/i, outside);
    }
  },
);

testUsual("S9 commands get a built environment: nothing of the server's own secrets", async ({ server }) => {
  const { text } = await server.shell("env");
  assert.match(text, /^PATH=/m);
  assert.doesNotMatch(text, /marker-of|BASH_ENV|AHMA_/);
});

testUsual("P2 no profile file is read", async ({ server }) => {
  assert.doesNotMatch((await server.shell("echo plain")).text, /profile was read/);
});

testUsual("P3 a warm shell that is killed from outside costs no call anything", async ({ server }) => {
  await server.shell("true");
  for (let round = 0; round < 3; round++) {
    const { children } = await holdingsOf(server.pid);
    assert.ok(children.length > 0, "nothing waits");
    // Stopped they make no process, so that each first process of a sandbox is known; the sandbox is over with it.
    const stopped = await Promise.all(children.map(async (pid) => {
      signalIfThere(pid, "SIGSTOP");
      await until(async () => "TZ".includes(await stateOf(pid)), 5_000, "a stopped launcher");
      return [pid, ...(await holdingsOf(pid)).children];
    }));
    for (const pid of children) signalIfThere(pid, "SIGKILL");
    // What is still dying could take a line and not live to end it.
    for (const pid of stopped.flat()) {
      await until(async () => "Z".includes(await stateOf(pid)), 5_000, "the end of a killed sandbox");
    }
    for (let call = 0; call < 3; call++) {
      const answer = await server.shell(`echo round ${round} call ${call}`);
      assert.match(answer.text, new RegExp(`^round ${round} call ${call}$`, "m"));
      assert.ok(!answer.failed);
    }
  }
});
