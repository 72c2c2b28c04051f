/** Lines that are watched for while a command runs (X21). */
import assert from "node:assert/strict";
import { ServerProcess } from "./_support/server_process.ts";
import { sharing } from "./_support/sharing.ts";
import { exists, usersAtHand, type Workbench } from "./_support/workbench.ts";

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
