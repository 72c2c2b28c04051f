/** A person joins running operations of any server of theirs, on a terminal and in a pipe (X24). */
import assert from "node:assert/strict";
import { until } from "./_support/deadline.ts";
import { Person } from "./_support/person.ts";
import { ServerProcess } from "./_support/server_process.ts";
import { sharing } from "./_support/sharing.ts";
import { type Ran, runProgram, runShellLine } from "./_support/terminal.ts";
import { exists, Workbench } from "./_support/workbench.ts";

const DETACH = "\x1d";
/** What brings a terminal back: no reports of the mouse, no marked pasting, plain colours, a cursor. */
const RESET = ["\x1b[?1000l", "\x1b[?1006l", "\x1b[?2004l", "\x1b[0m", "\x1b[?25h"];

function directoryOf(bench: Workbench): string {
  return `${bench.home}/.local/state/ahma/control`;
}

function namesIn(directory: string): readonly string[] {
  return exists(directory) ? Array.from(Deno.readDirSync(directory), ({ name }) => name).sort() : [];
}

/** Waits until so many servers can be attached to. */
async function listening(bench: Workbench, count = 1): Promise<readonly string[]> {
  const tokens = () => namesIn(directoryOf(bench)).filter((name) => /^\d.*\.token$/.test(name));
  return await until(() => tokens().length === count ? tokens() : undefined, 20_000, `${count} sockets of servers`);
}

function idIn({ text }: { readonly text: string }): string {
  return /\bop_\w+/.exec(text)?.[0] ?? assert.fail(text);
}

async function attach(bench: Workbench, ...words: readonly string[]): Promise<Ran> {
  return await runProgram(bench, ["attach", ...words]);
}

/** Attaches in a pipe, whose reader makes a file when the first line has come. */
async function piped(bench: Workbench, name: string, file: string): Promise<Ran> {
  const reader = `{ IFS= read -r line; printf '%s\\n' "$line"; touch ${file}; cat; }`;
  return await runShellLine(bench, ["bash", "-c"], `set -o pipefail; ahma_mcp attach ${name} | ${reader}`);
}

function auditLog(bench: Workbench): string {
  return `${bench.elsewhere}/audit.jsonl`;
}

const testShared = sharing((bench) => ServerProcess.start(bench, { flags: ["--audit-log", auditLog(bench)] }));

testShared(
  "X24 in a pipe attach prints what was written and what follows, and ends as the operation does",
  async ({ bench, server }) => {
    const line =
      "for i in 1 2; do echo line $i; done; until [ -e go ]; do sleep 0.05; done; printf '\\033[2Jlast\\n'; exit 3";
    const id = idIn(await server.start(line));
    await listening(bench);
    const { code, stdout, stderr } = await piped(bench, id, "go");
    assert.deepStrictEqual([code, stdout], [3, "line 1\nline 2\n\x1b[2Jlast\n"]);
    assert.match(
      stderr,
      /^Attached to op_\w+ sandboxed_shell, running for [^\n]+\. ctrl-c detaches, and it continues\n/,
    );
    assert.match(stderr, /\n\[op_\w+ failed, exit code 3, [^\n]+\]\n$/);
    const late = await attach(bench, id);
    assert.strictEqual(late.code, 1);
    assert.match(
      late.stderr,
      /^Cannot attach to "op_\w+": it has ended: \[op_\w+ failed, exit code 3, [^\n]+\]\. Its agent/,
    );
  },
);

testShared(
  "X24 keys, ctrl-c and the size of the window reach a terminal, and ctrl-] leaves it running and ours sane",
  async ({ bench, server }) => {
    const started = await server.call("sandboxed_shell", { command: "python3 -q -i", tty: true });
    const id = idIn(started);
    await listening(bench);
    await using person = new Person(bench, ["attach", id], { rows: 33, columns: 111 });
    await person.sees(/Attached to op_\w+ [^\n]+ It takes keys; ctrl-\] detaches, and it continues\r\r?\n/);
    await person.sees(/>>> /);
    await person.types("import os; os.get_terminal_size()\r");
    await person.sees(/columns=111, lines=33\)/);
    await person.resizes(22, 99);
    await until(
      async () => {
        await person.types("os.get_terminal_size()\r");
        await person.sees(/columns=\d+, lines=\d+\)\r\n>>> /);
        return person.shown.includes("columns=99, lines=22");
      },
      20_000,
      "the new size",
    );
    // The terminal drops what was typed before ctrl-c and not read yet.
    await person.types("print('be' + 'gun'); any(iter(lambda: False, True))\r");
    await person.sees(/begun\r\n/);
    await person.types("\x03");
    await person.sees(/KeyboardInterrupt/);
    await person.types(DETACH);
    await person.sees(/Detached from op_\w+; it continues/);
    assert.deepStrictEqual(await person.left(), { code: 0, isAsBefore: true });
    for (const sequence of RESET) assert.ok(person.shown.includes(sequence), JSON.stringify(sequence));
    assert.ok(!person.shown.includes("\x1b[?1049l"), "no other screen was entered");
    // The terminal gets its size back once its server has seen the connection end.
    await until(
      async () => {
        const sent = await server.call("send", { operation_id: id, text: "os.get_terminal_size()\n" });
        return sent.text.includes("columns=80, lines=24)");
      },
      20_000,
      "the size of before",
    );
    const lines = (await Deno.readTextFile(auditLog(bench))).trim().split("\n").map((line) => JSON.parse(line));
    const typed = lines.filter(({ event, operation }) => event === "input" && operation === id);
    assert.deepStrictEqual([typed[0].by, typed[0].bytes > 0], ["person", true]);
    assert.strictEqual(typed.at(-1).by, undefined);
    await server.call("cancel", { operation_id: id });
  },
);

testShared("X24 a full-screen program is shown, and its alternate screen ends with it", async ({ bench, server }) => {
  bench.write("text", Array.from({ length: 200 }, (_, index) => `line ${index + 1}\n`).join(""));
  const id = idIn(await server.call("sandboxed_shell", { command: "vi text", tty: true }));
  await listening(bench);
  await using person = new Person(bench, ["attach", id], { rows: 40, columns: 90 });
  await person.sees(/\[\?1049h[^]*line 1[^]*line 39/);
  await person.types("G");
  await person.sees(/\[\d+;\d+H(?:line )?200/);
  await person.types(DETACH);
  await person.sees(/\[\?1049l[^]*Detached/);
  assert.deepStrictEqual(await person.left(), { code: 0, isAsBefore: true });
  const quit = await server.call("send", { operation_id: id, text: ":q!\n" });
  assert.match(quit.text, /exit code 0/);
});

testShared(
  "X24 lines reach an operation whose input is a pipe, ctrl-d ends it, and controls are written out",
  async ({ bench, server }) => {
    const command = "printf 'Name? '; read name; printf '\\033[2J\\033]0;title\\007got %s\\n' $name; cat; exit 4";
    const id = idIn(await server.call("sandboxed_shell", { command, input: true }));
    await listening(bench);
    await using person = new Person(bench, ["attach", id]);
    await person.sees(/It takes lines;[^]*Name\? /);
    await person.types("gold\n");
    await person.sees(/got gold/);
    await person.types("more\n");
    await person.sees(/more\r\nmore\r\n/);
    await person.types("\x04");
    await person.sees(/\[op_\w+ failed, exit code 4, /);
    assert.deepStrictEqual(await person.left(), { code: 4, isAsBefore: true });
    for (const sequence of ["\x1b[2J", "\x1b]0"]) {
      assert.ok(!person.shown.includes(sequence), JSON.stringify(person.shown));
    }
  },
);

testShared(
  "X24 ctrl-] leaves an operation with a pipe, ctrl-c one without input, and neither ends it",
  async ({ bench, server }) => {
    const piped = idIn(await server.call("sandboxed_shell", { command: "cat", input: true }));
    const closed = idIn(await server.start("echo up; tail -f /dev/null"));
    await listening(bench);
    for (const [id, key] of [[piped, DETACH], [closed, "\x03"]] as const) {
      await using person = new Person(bench, ["attach", id]);
      await person.sees(/Attached/);
      await person.types(key);
      await person.sees(/Detached from op_\w+; it continues/);
      assert.deepStrictEqual(await person.left(), { code: 0, isAsBefore: true });
    }
    assert.match((await server.call("status", {})).text, /^2 running/);
    for (const operation_id of [piped, closed]) await server.call("cancel", { operation_id });
  },
);

testShared(
  "X24 a terminal's output is plain text in a pipe, and two people see the same",
  async ({ bench, server }) => {
    const command = "printf '\\033[31mred\\033[0m 1%%\\r100%%\\n'; read word; echo $word";
    const id = idIn(await server.call("sandboxed_shell", { command, tty: true }));
    await listening(bench);
    const inPipe = piped(bench, id, "piped");
    await using person = new Person(bench, ["attach", id]);
    await person.sees(/100%/);
    await bench.appears("piped");
    await person.types("word\r");
    assert.deepStrictEqual(await person.left(), { code: 0, isAsBefore: true });
    const { code, stdout } = await inPipe;
    assert.deepStrictEqual([code, stdout], [0, "100%\nword\nword\n"]);
  },
);

testShared(
  "X24 attach takes the name of a session, and shows the command that it runs now or next",
  async ({ bench, server }) => {
    await server.shell("cd /", { session: "dev" });
    await listening(bench);
    const waiting = piped(bench, "dev", "seen");
    await using person = new Person(bench, ["attach", "dev"]);
    await person.sees(/Session "dev" is idle; its next command will be shown\. ctrl-\] detaches/);
    await server.start(`pwd; until [ -e ${bench.scope}/go-on ]; do sleep 0.05; done; (exit 5)`, { session: "dev" });
    await person.sees(/Attached to op_\w+ sandboxed_shell, session dev, running [^]*\/\r?\n/);
    await bench.appears("seen");
    bench.write("go-on", "");
    assert.strictEqual((await person.left()).code, 5);
    const { stdout } = await waiting;
    assert.strictEqual(stdout, "/\n");
    await server.call("sandboxed_shell", { session: "dev", close: true });
  },
);

Deno.test("X24 all servers of a user are found, entries of dead ones are removed, and an unknown name gets the list of known ones", async () => {
  using bench = new Workbench();
  const nothing = await attach(bench, "op_NOTHERE1");
  assert.deepStrictEqual([nothing.code, nothing.stdout], [1, ""]);
  assert.match(
    nothing.stderr,
    /^Cannot attach to "op_NOTHERE1": no server of yours runs on this machine\. A server is found/,
  );
  {
    await using one = await ServerProcess.start(bench);
    await using two = await ServerProcess.start(bench);
    const [first, second] = [
      idIn(await one.start("echo one; tail -f /dev/null")),
      idIn(await two.start("echo two; sleep 60")),
    ];
    await one.shell("true", { session: "same" });
    await two.shell("true", { session: "same" });
    const [dead = ""] = await listening(bench, 2);
    const unknown = await attach(bench, "op_NOTHERE1");
    assert.match(unknown.stderr, /: no server of yours runs it\. Running:\n/);
    for (const id of [first, second]) assert.ok(unknown.stderr.includes(`  ${id} sandboxed_shell, `), unknown.stderr);
    const both = await attach(bench, "same");
    assert.match(both.stderr, /: 2 agents have a session of that name\. None of them runs anything now\n$/);
    const killed = dead.startsWith(`${one.pid}-`) ? one : two;
    killed.kill("SIGKILL");
    await killed.exit();
    const unnamed = await attach(bench);
    assert.strictEqual(unnamed.code, 2);
    assert.match(unnamed.stderr, /^Cannot attach: name an operation or a session\. Running:\n/);
    assert.ok(!(await listening(bench)).includes(dead));
    assert.strictEqual(namesIn(directoryOf(bench)).length, 2);
  }
  assert.deepStrictEqual(namesIn(directoryOf(bench)), []);
});
