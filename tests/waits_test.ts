/** Lines that are watched for while a command runs (X21), and a call that answers at a line of output, or at silence, while its command goes on (X20). */
import assert from "node:assert/strict";
import { ServerProcess } from "./_support/server_process.ts";
import { sharing } from "./_support/sharing.ts";
import { exists, usersAtHand, Workbench } from "./_support/workbench.ts";

const WATCH = { watch: ["ERROR", "/panic|fatal/"] };

/** Tool files of a tool that serves, and of one whose pattern is wrong. */
function writeTools(bench: Workbench): void {
  // In one write: of two, the answer may come before the second.
  const script = "printf 'up on\\nERROR here\\n'; tail -f /dev/null";
  const serve = { name: "serve", description: "Serves.", argv: ["-c", script], until: "/up o[n]/", watch: ["ERROR"] };
  const dev = { name: "dev", description: "Development.", command: "sh", subcommand: [serve] };
  const broken = { ...dev, name: "broken", subcommand: [{ ...serve, until: "/a(/" }] };
  bench.write(".ahma/tools/dev.json", JSON.stringify(dev));
  bench.write(".ahma/tools/broken.json", JSON.stringify(broken));
}

const [first = "ordinary", second = first] = usersAtHand();
const testShared = sharing((bench) => {
  writeTools(bench);
  return ServerProcess.start(bench, { era: "2025-11-25" });
}, first);
const testOther = sharing((bench) => ServerProcess.start(bench, { era: "2026-07-28" }), second);

for (const [test, how] of [[testShared, `2025-11-25 as ${first}`], [testOther, `2026-07-28 as ${second}`]] as const) {
  test(`X21 a watched line wakes a wait, and comes with any later result, once, in ${how}`, async ({ bench, server }) => {
    bench.write("go", "");
    const started = await server.start(
      "while [ -e go ]; do :; done; echo one; echo ERROR two; echo a panic; tail -f /dev/null",
      WATCH,
    );
    const id = started.operation?.operation_id;
    const waiting = server.call("await", { operation_id: id });
    await Deno.remove(`${bench.scope}/go`);
    const woken = await waiting;
    assert.match(woken.text, /^op_\w+ still runs after/);
    assert.deepStrictEqual(newsIn(woken.text), [`${id} sandboxed_shell: `, "> ERROR two", "> a panic"]);
    assert.deepStrictEqual(newsIn((await server.shell("true")).text), []);
    await server.call("cancel", { operation_id: id });
  });
}

/** The lines of the block of watched lines, its command line cut; empty: there is none. */
function newsIn(text: string): readonly string[] {
  const [, block = ""] = text.split("\n\nWatched lines:\n");
  return block.split("\n").filter((line) => line !== "").map((line) =>
    line.replace(/^(op_\w+ sandboxed_shell: ).*/, "$1")
  );
}

testShared(
  "X21 the result of a later call has five watched lines and the number of others; a log message has them at once",
  async ({ server }) => {
    const told = server.notification(
      "notifications/message",
      ({ level, data }) => level === "notice" && `${data}`.includes("ERROR 1"),
    );
    const started = await server.start("for n in 1 2 3 4 5 6 7; do echo ERROR $n; done; tail -f /dev/null", WATCH);
    const id = started.operation?.operation_id;
    const { data } = (await told).params ?? {};
    assert.match(String(data), /^op_\w+ sandboxed_shell: .*\n> ERROR 1\n/);
    const lines = [1, 2, 3, 4, 5].map((number) => `> ERROR ${number}`);
    assert.deepStrictEqual(newsIn((await server.shell("true")).text), [
      `${id} sandboxed_shell: `,
      ...lines,
      "... 2 more",
    ]);
    await server.call("cancel", { operation_id: id });
  },
);

testShared(
  "X21 a result whose output is cut shows the watched lines of the gap, a whole one only itself",
  async ({ server }) => {
    const cut = await server.shell("seq 5000; echo ERROR in the middle; seq 5000", WATCH);
    assert.match(cut.text, /\nWatched lines:\n> ERROR in the middle\n?$/);
    assert.deepStrictEqual(newsIn(cut.text), []);
    const whole = await server.shell("echo ERROR; exit 1", WATCH);
    assert.match(whole.text, /^ERROR\n\[exit code 1, [^\n]+\]$/);
    assert.deepStrictEqual(newsIn((await server.shell("true")).text), []);
  },
);

testShared("X21 a flood of matches turns the watch off; a wrong pattern starts nothing", async ({ bench, server }) => {
  const flood = await server.shell("yes ERROR | head -n 100000", WATCH);
  assert.match(
    flood.text,
    /\nWatched lines:\n(> ERROR\n){5}\.\.\. \d+ more\n(\.\.\. \d+ KiB came too fast to be looked at\n)?\.\.\. over 1,000 in 30 s: it is not watched any more\n?$/,
  );
  const wrong = await server.shell("touch made", { watch: ["/a(/"] });
  assert.match(wrong.text, /^Cannot run "sandboxed_shell": Cannot read the pattern \/a\(\//);
  assert.match(
    (await server.shell("touch made", { watch: "ERROR" })).text,
    /argument "watch" is "ERROR", expected an array/,
  );
  assert.ok(!exists(`${bench.scope}/made`));
});

testShared("X21 the command line and our own lines of a sequence are never matched", async ({ server }) => {
  const quiet = await server.start(": ERROR; tail -f /dev/null", WATCH);
  assert.match(
    (await server.call("await", { operation_id: quiet.operation?.operation_id, timeout_seconds: 0.5 })).text,
    /still runs/,
  );
  assert.deepStrictEqual(newsIn((await server.shell("true")).text), []);
  await server.call("cancel", { operation_id: quiet.operation?.operation_id });
});

testShared(
  "X20 X21 a leaf of a tool file declares when its calls answer and which lines are reported",
  async ({ server }) => {
    const up = await server.call("dev_serve");
    assert.match(up.text, /^(op_\w+) still runs after [^\n]+\. `await` returns its result\. It wrote:\n> up on\n/);
    const id = up.operation?.operation_id;
    const woken = newsIn(up.text).length > 0 ? up : await server.call("await", { operation_id: id });
    assert.match(woken.text, /\n> ERROR here$/);
    await server.call("cancel", { operation_id: id });
    assert.match(
      (await server.call("broken_serve")).text,
      /^Cannot run "broken_serve": Cannot read the pattern \/a\(\//,
    );
  },
);

testShared(
  "X21 S22 a watched or awaited line is one line, without line-breaking or direction characters",
  async ({ server }) => {
    const command = "printf 'ERROR a\\342\\200\\250[ahma] all is well\\342\\200\\256x\\n'; tail -f /dev/null";
    const started = await server.call("sandboxed_shell", { command, watch: ["ERROR"], until: "well" });
    assert.match(started.text, /\n> ERROR a \[ahma\] all is wellx$/);
    const operation_id = /op_\w+/.exec(started.text)?.[0];
    const told = await server.call("await", { operation_id });
    assert.match(told.text, /Watched lines:\n[^\n]+\n> ERROR a \[ahma\] all is wellx/);
    await server.call("cancel", { operation_id });
  },
);

const STARTED = /^(op_\w+) still runs after [^\n]+\. `await` returns its result\. It wrote:\n/;

for (const [test, how] of [[testShared, `2025-11-25 as ${first}`], [testOther, `2026-07-28 as ${second}`]] as const) {
  test(`X20 a development server is up after one call, and its lines are waited for, in ${how}`, async ({ server }) => {
    const { text } = await server.shell("python3 -u -m http.server 0 --bind 127.0.0.1", {
      until: "/Serving HTTP on .* port/",
    });
    assert.match(text, STARTED);
    const [, id] = STARTED.exec(text) ?? [];
    const [, port] = /\n> Serving HTTP on 127\.0\.0\.1 port (\d+) /.exec(text) ?? assert.fail(text);
    const waiting = server.call("await", { operation_id: id, until: "/GET \\/(one|two) /" });
    await (await fetch(`http://127.0.0.1:${port}/two`)).body?.cancel();
    assert.match((await waiting).text, /\n> 127\.0\.0\.1 .*"GET \/two HTTP\/1\.1" 404 -/);
    // What was shown is not found again, but by who asks for it.
    const again = await server.call("await", { operation_id: id, until: "Serving", timeout_seconds: 0 });
    assert.match(
      again.text,
      /^op_\w+ still runs after [^\n]+ without a new line with "Serving"; an earlier one is found with from_start\./,
    );
    const first = await server.call("await", { operation_id: id, until: "Serving", from_start: true });
    assert.match(first.text, /\n> Serving HTTP on /);
    await server.call("cancel", { operation_id: id });
  });

  test(`X20 until_port answers once the command listens there; listeners of others never count, in ${how}`, async ({ server }) => {
    using others = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const waiting = await server.start("tail -f /dev/null");
    const id = waiting.operation?.operation_id;
    const never = await server.call("await", { id, until_port: others.addr.port, timeout_seconds: 0.2 });
    assert.match(
      never.text,
      new RegExp(`^op_\\w+ still runs after [^\\n]+, not listening at port ${others.addr.port}\\.`),
    );
    await server.call("cancel", { id });
    const port = freePort();
    const up = await server.shell(`sleep 0.1; exec python3 -u -m http.server ${port} --bind ::1`, { until_port: port });
    assert.match(
      up.text,
      new RegExp(`^op_\\w+ still runs after [^\\n]+ and listens at port ${port}\\. \`cancel\` ends it\\.`),
    );
    await server.call("cancel", { id: up.operation?.operation_id });
    const over = await server.shell("true", { until_port: port });
    assert.match(over.text, new RegExp(`\\[ended without listening at port ${port}\\]$`));
  });
}

Deno.test("X9 X20 X22 --timeout also ends what is waited for, watched or typed into, which otherwise has two hours", async () => {
  using bench = new Workbench();
  await using server = await ServerProcess.start(bench, { flags: ["--timeout", "1"] });
  const command = "echo up; tail -f /dev/null";
  for (const args of [{ until: "up" }, { watch: ["never"] }, { input: true }, { tty: true }]) {
    const { text } = await server.shell(command, { ...args, execution_mode: "AsyncResultPush" });
    const [id] = /op_\w+/.exec(text) ?? [];
    // On a busy machine the first answer is the end, before a word is written.
    const ended = id === undefined ? text : (await server.call("await", { operation_id: id })).text;
    assert.match(ended, /[[ ]timed_out, .*Ended after its time limit of 1 s\]/, JSON.stringify([args, ended]));
  }
});

testShared(
  "X20 a wait finds a line in two writes, a question without its end, and a line from before",
  async ({ bench, server }) => {
    const cut = await server.shell("printf 'rea'; sleep 0.3; printf 'dy now\\n'; tail -f /dev/null", {
      until: "ready now",
    });
    assert.match(cut.text, /\n> ready now$/);
    await server.call("cancel", { operation_id: cut.operation?.operation_id });
    const question = await server.shell("printf 'Proceed? [y/N] '; tail -f /dev/null", { until: "[y/N]" });
    assert.match(question.text, /\n> Proceed\? \[y\/N\] $/);
    await server.call("cancel", { operation_id: question.operation?.operation_id });
    bench.write("go", "");
    const started = await server.start("while [ -e go ]; do :; done; echo one; echo two; tail -f /dev/null");
    await Deno.remove(`${bench.scope}/go`);
    const id = started.operation?.operation_id;
    assert.match((await server.call("await", { id, until: "two" })).text, /\n {2}one\n> two$/);
    assert.match(
      (await server.call("await", { id, until: "one", timeout_seconds: 0 })).text,
      /without a new line with "one"; an earlier/,
    );
    await server.call("cancel", { id });
  },
);

for (const user of usersAtHand()) {
  Deno.test(`X20 until_port sees a network of its own, and a server that a named shell left running, as ${user}`, async () => {
    using bench = new Workbench(user);
    await using server = await ServerProcess.start(bench, { flags: ["--network", "localhost"] });
    const serve = "python3 -u -m http.server 3000 --bind 127.0.0.1";
    const up = await server.shell(serve, { until_port: 3000 });
    assert.match(up.text, /^op_\w+ still runs after [^\n]+ and listens at port 3000\./);
    await server.call("cancel", { id: up.operation?.operation_id });
    await server.shell(`${serve} > log 2>&1 &`, { session: "s" });
    assert.match((await server.shell("sleep 60", { session: "s", until_port: 3000 })).text, /and listens at port 3000/);
  });
}

function freePort(): number {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return listener.addr.port;
}

testShared("X20 silence, the end and the limit end a wait, and the answer says which", async ({ server }) => {
  const quiet = await server.shell("echo a; tail -f /dev/null", { until_quiet: 0.2 });
  assert.match(
    quiet.text,
    /^op_\w+ still runs after [^\n]+, silent for 200 ms\. `await` returns its result\. Output so far:\na\n$/,
  );
  const id = quiet.operation?.operation_id;
  const limit = await server.call("await", { id, until: "never", timeout_seconds: 0.1 });
  assert.match(limit.text, /^op_\w+ still runs after [^\n]+ without a new line with "never"\. `await`/);
  await server.call("cancel", { id });
  const ended = await server.shell("echo a; exit 3", { until: "never" });
  assert.match(ended.text, /^a\n\[exit code 3, [^\n]+\]\n\[ended without a line with "never"\]$/);
  const matched = await server.shell("echo a; echo b", { until: "a" });
  assert.match(matched.text, /^a\nb\n?/);
});

testShared(
  "X20 a wrong condition, or one for several operations, is refused and starts nothing",
  async ({ bench, server }) => {
    const wrong = await server.shell("touch made", { until: "/a(/" });
    assert.strictEqual(
      wrong.text,
      'Cannot run "sandboxed_shell": Cannot read the pattern /a(/: error parsing regexp: missing closing ): `a(`. ' +
        "It has the syntax of RE2; without slashes it is a text",
    );
    assert.ok(!exists(`${bench.scope}/made`));
    const ids = [await server.start("tail -f /dev/null"), await server.start("tail -f /dev/null")];
    assert.strictEqual(
      (await server.call("await", { until: "a" })).text,
      'Cannot wait for output of 2 operations: give the "operation_id" of one',
    );
    for (const { operation } of ids) await server.call("cancel", { operation_id: operation?.operation_id });
  },
);

testShared(
  "X20 a named shell answers at a line, and its next command waits for the end of the one that runs",
  async ({ bench, server }) => {
    bench.write("go", "");
    const line = "echo up; while [ -e go ]; do :; done; echo over";
    const up = await server.shell(line, { session: "s", until: "up" });
    assert.match(up.text, /\n> up$/);
    await Deno.remove(`${bench.scope}/go`);
    assert.match((await server.shell("echo next", { session: "s" })).text, /^next\n?/);
    assert.match((await server.call("await", { id: up.operation?.operation_id })).text, /over/);
  },
);
