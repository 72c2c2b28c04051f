import assert from "node:assert/strict";
import { until } from "./_support/deadline.ts";
import { HttpClient } from "./_support/clients/http_client.ts";
import { HttpServerProcess } from "./_support/servers/http_server.ts";
import type { ToolAnswer } from "./_support/json_rpc.ts";
import { ServerProcess } from "./_support/server_process.ts";
import { sharing } from "./_support/sharing.ts";
import { runProgram } from "./_support/terminal.ts";
import { Workbench } from "./_support/workbench.ts";

type Arguments = Readonly<Record<string, unknown>>;

interface Caller {
  call(name: string, args: object): Promise<ToolAnswer>;
}

/** Runs lines in one session of a server. */
function sessionOf(server: Caller, session: string) {
  return (command: string, more: Arguments = {}) =>
    server.call("sandboxed_shell", { command, session, execution_mode: "Synchronous", ...more });
}

/** Lines and the outputs they have one after the other; how long each took is left out. */
async function outputs(
  run: (command: string) => Promise<ToolAnswer>,
  lines: readonly string[],
): Promise<readonly string[]> {
  const texts: string[] = [];
  for (const line of lines) texts.push(withoutTimes((await run(line)).output));
  return texts;
}

function withoutTimes(text: string): string {
  return text.replaceAll(/, [\d.]+ (?:ms|s|min)(?: \d+ s)?(?=[\]:])/g, "");
}

Deno.test("B5 a session keeps its state, whatever its lines do, and each is a result of its own", async (t) => {
  using bench = new Workbench("ordinary");
  bench.write("sub/.keep", "");
  const scope = await Deno.realPath(bench.scope);
  await using server = await ServerProcess.start(bench);
  const run = sessionOf(server, "one");

  await t.step(
    "directory, variables, functions, options and aliases stay; env and working_directory too",
    async () => {
      await run(
        "cd sub; x=1; export y=2; f() { echo f$x$y; }; set -o pipefail; shopt -s extglob; alias g=f; declare -A m=([k]=v)",
      );
      assert.deepStrictEqual(
        await outputs(run, [
          "pwd; f; g; echo ${m[k]}; set -o | grep -c 'pipefail.*on'; shopt -q extglob && echo set",
        ]),
        [`${scope}/sub\nf12\nf12\nv\n1\nset\n`],
      );
      const changed = await run("echo $V; pwd", { env: { V: "it's" }, working_directory: "." });
      const kept = await run("echo $V; pwd");
      assert.deepStrictEqual([changed.output, kept.output], [`it's\n${scope}\n`, `it's\n${scope}\n`]);
    },
  );

  await t.step("a line can have errors, span many lines, read from stdin, and print anything", async () => {
    const head = `\\036`;
    assert.deepStrictEqual(
      await outputs(run, [
        "cat <<E\nhere $x\nE\nfor i in 1 2\ndo\n  echo $i\ndone\nfalse",
        "echo 'unbalanced",
        "if true; then",
        "read v; echo $?; cat; exec 3<&0; read -u 3 v; echo $?",
        "exec >file 2>&1; echo into the file; exec 5>kept",
        "cat file; echo on >&5; cat kept; exec 5>&-",
        `printf '${head}secret 3 0 /\\0'; printf '${head}'; printf 'no newline'`,
        "echo $nope; set -u; echo $nope; echo not reached",
        "set +u; set -x; echo traced; set +x; nosuchprogram; exec nosuchprogram; return 5; echo not reached",
        "head -c 70000 /dev/zero | tr '\\0' 'a' | wc -c; cd() { echo mine; }; printf() { echo mine; }; printf; cd sub",
        "unset -f cd printf; echo still $x; (exit 9)",
      ]),
      [
        "here 1\n1\n2\n[exit code 1]",
        "bash: /dev/fd/58: line 1: unexpected EOF while looking for matching `''\n[exit code 2]",
        "bash: /dev/fd/58: line 2: syntax error: unexpected end of file\n[exit code 2]",
        "1\n1\n",
        "[no output]",
        "into the file\non\n",
        "secret 3 0 /no newline",
        "\nbash: nope: unbound variable\n[exit code 1]",
        "++ echo traced\ntraced\n++ set +x\nbash: nosuchprogram: command not found\n" +
        "bash: exec: nosuchprogram: not found\n[exit code 5]",
        "70000\nmine\nmine\n",
        "still 1\n[exit code 9]",
      ],
    );
  });

  await t.step("a long line, and a line with bytes that are not text", async () => {
    const long = "é".repeat(100_000);
    assert.deepStrictEqual(await outputs(run, [`v='${long}'; echo \${#v}; printf 'a\\377b'`]), ["100000\na\ufffdb"]);
  });

  await t.step("a denied path is explained relative to the session's directory", async () => {
    const { output } = await run("cd sub; cat ../../outside; touch /etc/ahma-test");
    assert.match(output, /Sandbox: "\/etc\/ahma-test" lies outside the scope/);
  });

  await t.step("a cancel or a time limit interrupts the line, all of it, and the shell goes on", async () => {
    const seed = `3${crypto.getRandomValues(new Uint32Array(1))[0]}`;
    const { operation } = await server.start(`z=kept; sleep ${seed}; touch after`, { session: "one" });
    await bench.processesAppear(`sleep ${seed}`);
    const cancelled = await server.call("cancel", { operation_id: operation?.operation_id });
    assert.match(cancelled.text, /is cancelled, its processes are gone[^\n]*\nSession "one" is kept\.$/);
    await bench.processesGone(`sleep ${seed}`);
    const stubborn = await server.start(
      `bash -c 'trap "" INT; : >ignoring; sleep ${seed}'; touch after`,
      { session: "one" },
    );
    await bench.appears("sub/ignoring");
    const ended = await server.call("cancel", { operation_id: stubborn.operation?.operation_id });
    assert.match(ended.text, /\nSession "one" is kept\.$/);
    const looping = await run("while :; do :; done; touch after", { timeout_seconds: 0.2 });
    assert.match(looping.text, /^Session "one" is kept\./);
    assert.deepStrictEqual(await outputs(run, ["echo $z; ls after 2>&1"]), [
      "kept\nls: cannot access 'after': No such file or directory\n[exit code 2]",
    ]);
  });

  await t.step("background programs keep running, are shown by status, and end with the session", async () => {
    const seed = `4${crypto.getRandomValues(new Uint32Array(1))[0]}`;
    await run(
      `cd "${scope}"; (sleep ${seed} &); sleep ${seed}1 & { until [ -e go ]; do sleep 0.01; done; echo said; : >gone; } &`,
    );
    bench.write("go", "");
    await bench.appears("gone");
    const forged = "$'d\\e[2J\\nScope: x'";
    await sessionOf(server, "forger")(`mkdir ${forged} && cd ${forged}`);
    const forger = (await server.call("status", { limit: 1 })).text.split("\n");
    assert.ok(
      !forger.includes("Scope: x") && forger.some((one) => one.endsWith(`in ${scope}/d Scope: x`)),
      `${forger}`,
    );
    await sessionOf(server, "forger")("", { close: true, command: undefined });
    const { text } = await server.call("status", { limit: 1 });
    assert.match(
      text,
      new RegExp(`\none idle for [^\n]* in ${scope}, in the background: sleep ${seed}; sleep ${seed}1\n`),
    );
    await until(
      async () => (await run("true")).text.includes("[background output]\nsaid\n[output]\n"),
      5_000,
      "what it said",
    );
    // What a line runs itself is not in the background: only what earlier lines left is.
    const busy = await server.start(`echo up; sleep ${seed}2`, { session: "one", until: "up" });
    assert.match(
      (await server.call("status", { limit: 1 })).text,
      new RegExp(`\none busy in ${scope}, in the background: sleep ${seed}; sleep ${seed}1\n`),
    );
    await server.call("cancel", { operation_id: busy.operation?.operation_id });
    const closed = await server.call("sandboxed_shell", { session: "one", close: true });
    assert.deepStrictEqual(closed.output, `Session "one" is closed; ended with it: sleep ${seed}; sleep ${seed}1.`);
    await bench.processesGone(`sleep ${seed}`);
  });

  await t.step("calls of one session come one after the other, those of another meanwhile", async () => {
    const first = await server.start("until [ -e second ]; do sleep 0.01; done; echo first", { session: "q" });
    const queued = await server.start("echo second", { session: "q" });
    const ids = [first, queued].map(({ operation }) => operation?.operation_id);
    // Both are awaited before the first can end: else its result may carry the second one's too.
    const awaited = ids.map((operation_id) => server.call("await", { operation_id }));
    const other = await sessionOf(server, "other")("echo other; x=other");
    bench.write("second", "");
    const results = await Promise.all(awaited);
    assert.deepStrictEqual([queued.text.includes("queued at position 1"), other.output], [true, "other\n"]);
    assert.deepStrictEqual(results.map(({ output }) => withoutTimes(output)), [
      "first\n",
      "second\n",
    ]);
    assert.deepStrictEqual(await outputs(sessionOf(server, "q"), ["echo ${x-unset}"]), ["unset\n"]);
  });

  await t.step("the end of a shell is reported in its own call and in the next", async () => {
    const q = sessionOf(server, "q");
    assert.deepStrictEqual(
      await outputs(q, ["exit 3", "echo ${x-new}", "set -e; false; echo not reached", "exec true"]),
      [
        'Session "q" ended with its shell.\n[no output, exit code 3]',
        "new\n",
        'Session "q" ended with its shell.\n[no output, exit code 1]',
        'Session "q" ended with its shell.',
      ],
    );
    const pid = (await q("x=1; { until [ -e kill ]; do sleep 0.01; done; kill -9 $$; } & echo $$")).output.trim();
    bench.write("kill", "");
    await until(
      async () => !(await server.call("status", {})).text.includes("\nq "),
      5_000,
      `the end of shell ${pid}`,
    );
    assert.deepStrictEqual(await outputs(q, ["echo ${x-unset}", "echo again"]), [
      'unset\nSession "q" is a new shell: the state is lost (it was ended by SIGKILL).',
      "again\n",
    ]);
  });

  await t.step("a newly protected path ends a session whose sandbox does not protect it, and is reported", async () => {
    const q = sessionOf(server, "q");
    const made = await q("x=1; mkdir .idea");
    assert.match(made.text, /^\[Protected paths changed while this ran: "[^"]*\/\.idea" created\./);
    const next = await q("echo ${x-unset}; touch .idea/run.xml");
    assert.match(
      next.text,
      /^unset\ntouch: [^\n]*Read-only file system\nSandbox: [^\n]*\.idea[^\n]*\n(?=Session)/,
    );
    assert.match(
      next.text,
      /\nSession "q" is a new shell: the state is lost \(the protected paths or the scope changed\)\.\n/,
    );
  });

  await t.step("a change by a background program between two lines is reported with the next result", async () => {
    const q = sessionOf(server, "q");
    await q("{ until [ -e change ]; do sleep 0.01; done; mkdir .vscode; : >changed; sleep 60; } &");
    bench.write("change", "");
    await bench.appears("changed");
    assert.match((await q("true")).text, /the state is lost[^]*Protected paths changed[^\n]*\.vscode" created/);
  });

  await t.step("wrong arguments are refused by name, and so is one session too many", async () => {
    const refused = async (args: Arguments) => (await server.call("sandboxed_shell", args)).text;
    assert.deepStrictEqual(
      await Promise.all([
        refused({ session: "a b", command: "true" }),
        refused({ session: "q", command: "cat", stdin: "x" }),
        refused({ close: true, command: "true" }),
        refused({ session: "q" }),
        refused({ session: "unused", close: true }),
        refused({ session: "q", command: "true", close: "yes" }),
        refused({ session: "q", command: "true", working_directory: "/" }),
      ]).then((texts) => texts.map((text) => text.replace(/^Cannot run "sandboxed_shell": /, ""))),
      [
        '"session" is "a b", expected 1 to 40 letters, digits, "_", "-" or "."',
        '"stdin" cannot be given with "session": a here-document in the command does the same',
        '"close" needs a "session"',
        'argument "command" is missing: The command line',
        'no session "unused" is open',
        'argument "close" is "yes", expected true or false',
        `Cannot use working directory "/": it is outside the scope "${scope}"; give a path inside it`,
      ],
    );
    const open = ["q", "other", "c", "d", "e", "f", "g", "h"];
    for (const name of open.slice(2)) await sessionOf(server, name)("true");
    const { text, isError } = await sessionOf(server, "i")("true");
    assert.deepStrictEqual([withoutTimes(text).includes("8 sessions are open"), isError], [true, true]);
  });
});

Deno.test("B5 X10 X14 the end of the connection, or of the server, ends sessions, and an idle one ends before", async () => {
  using bench = new Workbench();
  const seed = `5${crypto.getRandomValues(new Uint32Array(1))[0]}`;
  {
    await using server = await ServerProcess.start(bench, { flags: ["--shell-idle", "0.3"] });
    await sessionOf(server, "idle")(`sleep ${seed} & x=1`);
    await bench.processesGone(`sleep ${seed}`);
    const { output } = await sessionOf(server, "idle")(
      `echo \${x-unset}; sleep ${seed} & until [ -e go ]; do sleep 0.01; done`,
      {
        execution_mode: "AsyncResultPush",
      },
    ).then(() => (bench.write("go", ""), server.call("await", {})));
    assert.match(output, /unset\nSession "idle" is a new shell: the state is lost \(it was idle for 300 ms\)\./);
    await sessionOf(server, "kept")(`trap '' TERM; sleep ${seed}1 & sleep ${seed}2 & echo started`);
    await bench.processesAppear(`sleep ${seed}1`);
  }
  await bench.processesGone(`sleep ${seed}`);
  await using killed = await ServerProcess.start(bench);
  await sessionOf(killed, "killed")(`(setsid sleep ${seed}3 &)`);
  await bench.processesAppear(`sleep ${seed}3`);
  killed.kill("SIGKILL");
  await killed.exit();
  await bench.processesGone(`sleep ${seed}`);
});

function auditLog(bench: Workbench): string {
  return `${bench.home}/audit.jsonl`;
}

const testOverHttp = sharing((bench) => HttpServerProcess.start(bench, { flags: ["--audit-log", auditLog(bench)] }));

testOverHttp(
  "B5 S18 H2 HTTP sessions share no names, and the audit log has each line of a shell",
  async ({ bench, server }) => {
    const seed = `6${crypto.getRandomValues(new Uint32Array(1))[0]}`;
    {
      await using one = await HttpClient.connect(server);
      await using other = await HttpClient.connect(server);
      const runOne = sessionOf(one, "name");
      await runOne(`x=one; sleep ${seed} &`);
      const seen = await sessionOf(other, "name")(`echo "\${x-unset}"; ps -e -o args= | grep -c '[s]leep ${seed}'`);
      assert.deepStrictEqual([seen.output.startsWith("unset\n0\n"), (await runOne("echo $x")).output], [true, "one\n"]);
      await bench.processesAppear(`sleep ${seed}`);
      await (await one.fetch("DELETE")).body?.cancel();
      await bench.processesGone(`sleep ${seed}`);
    }
    const events = (await Deno.readTextFile(auditLog(bench))).trim().split("\n").map((line) => JSON.parse(line));
    const lines = events.filter(({ event, tool }) => event === "start" && tool === "sandboxed_shell");
    assert.ok(lines.some(({ shell }) => shell === "echo $x"));
  },
);

testOverHttp(
  "B5 X1 a session is refused where it could not last: on a terminal, and in a request without a session",
  async ({ bench, server }) => {
    const refusal = '"session" needs a connection that stays open, and this one ends with its answer';
    const { stderr, code } = await runProgram(bench, ["call", "sandboxed_shell", "--session", "x", "--", "true"]);
    assert.deepStrictEqual([stderr.includes(refusal), code], [true, 2]);
    const args = { session: "x", command: "true" };
    const answer = await server.modern("tools/call", { name: "sandboxed_shell", arguments: args });
    assert.ok((await answer.text()).includes(JSON.stringify(refusal).slice(1, -1)));
  },
);

for (const [name, flags] of [["without a sandbox", ["--no-sandbox"]]] as const) {
  Deno.test(`B5 X10 a session works ${name}: state, interruption, end`, async () => {
    using bench = new Workbench();
    const seed = `7${crypto.getRandomValues(new Uint32Array(1))[0]}`;
    await using server = await ServerProcess.start(bench, { flags });
    const run = sessionOf(server, "one");
    await run(`x=1; (sleep ${seed} &); sleep ${seed}1 &`);
    const limited = await run(`sleep ${seed}2; touch after`, { timeout_seconds: 0.3 });
    await bench.processesGone(`sleep ${seed}2`);
    assert.deepStrictEqual(
      [limited.text.startsWith('Session "one" is kept.'), (await run("echo $x; ls")).output],
      [true, "1\n"],
    );
    await bench.processesAppear(`sleep ${seed}1`);
    await server.call("sandboxed_shell", { session: "one", close: true });
    await bench.processesGone(`sleep ${seed}`);
  });
}
