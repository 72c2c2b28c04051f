/**
 * A person joins running operations of any server of theirs, on a terminal and in a pipe; who cannot attach, what a
 * person costs a server, and where its socket is (X24).
 */
import assert from "node:assert/strict";
import { HttpClient } from "./_support/clients/http_client.ts";
import { until } from "./_support/deadline.ts";
import { Person } from "./_support/person.ts";
import { lowestResident } from "./_support/processes.ts";
import { ServerProcess } from "./_support/server_process.ts";
import { HttpServerProcess } from "./_support/servers/http_server.ts";
import { sharing } from "./_support/sharing.ts";
import { type Ran, runProgram, runShellLine } from "./_support/terminal.ts";
import { exists, ORDINARY_ID, Workbench } from "./_support/workbench.ts";

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
  "X24 ctrl-c leaves an operation without input, and does not end it",
  async ({ bench, server }) => {
    const operation_id = idIn(await server.start("echo up; tail -f /dev/null"));
    await listening(bench);
    await using person = new Person(bench, ["attach", operation_id]);
    await person.sees(/Attached/);
    await person.types("\x03");
    await person.sees(/Detached from op_\w+; it continues/);
    assert.deepStrictEqual(await person.left(), { code: 0, isAsBefore: true });
    assert.match((await server.call("status", {})).text, /^1 running/);
    await server.call("cancel", { operation_id });
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

const FLOOD_BYTES = 60_000_000;
/** MiB: more than a server keeps of an output, and less than the flood. */
const MOST_GROWTH = 40;

async function socketIn(directory: string): Promise<string> {
  const names = () => exists(directory) ? Array.from(Deno.readDirSync(directory), ({ name }) => name) : [];
  const isThere = () => names().find((name) => /^\d.*\.token$/.test(name))?.replace(/token$/, "sock");
  return `${directory}/${await until(isThere, 20_000, `a socket in ${directory}`)}`;
}

function control(bench: Workbench): string {
  return `${bench.home}/.local/state/ahma/control`;
}

const testOrdinary = sharing((bench) => ServerProcess.start(bench), "ordinary");

testOrdinary(
  "X24 a person who does not read delays neither operation nor server, and sees how much was left out",
  async ({ bench, server }) => {
    const line = `until [ -e go ]; do sleep 0.05; done; yes 0123456789 | head -c ${FLOOD_BYTES}; echo; echo over`;
    const id = /op_\w+/.exec((await server.start(line)).text)?.[0] ?? "";
    await socketIn(control(bench));
    await using person = new Person(bench, ["attach", id]);
    await person.sees(/Attached/);
    await person.reads("stop");
    const before = await lowestResident(server.pid, Infinity);
    bench.write("go", "");
    const ended = await server.call("await", { operation_id: id, timeout_seconds: 200 }, { deadline: 220_000 });
    assert.match(ended.text, /\nover\n/);
    assert.ok(await lowestResident(server.pid, before + MOST_GROWTH) < before + MOST_GROWTH);
    await person.reads("go");
    await person.sees(/\[\d+ bytes are left out: they were not read in time\]/);
    await person.sees(/over\r\n[^]*\[op_\w+ completed, exit code 0, /);
    assert.deepStrictEqual(await person.left(), { code: 0, isAsBefore: true });
  },
);

testOrdinary(
  "X24 another user is refused by the directory, and root by the server",
  async ({ bench, server }) => {
    const { operation } = await server.start("echo secret; tail -f /dev/null");
    const socket = await socketIn(control(bench));
    const program = `import json, socket, sys
line = socket.socket(socket.AF_UNIX)
try:
    line.connect(sys.argv[1])
    line.sendall(json.dumps({"ahma": 1, "token": open(sys.argv[1][:-4] + "token").read(), "request": "list"}).encode() + b"\\n")
    print(line.recv(65536).decode()[:27])
except OSError as error:
    print(type(error).__name__)`;
    const asked = async (uid: number) => {
      const as = [
        "setpriv",
        `--reuid=${uid}`,
        `--regid=${uid}`,
        "--clear-groups",
        "/usr/bin/python3",
        "-c",
        program,
        socket,
      ];
      const { stdout } = await new Deno.Command(as[0] ?? "", { args: as.slice(1) }).output();
      return new TextDecoder().decode(stdout).trim();
    };
    assert.strictEqual(await asked(ORDINARY_ID), '{"event":"server","server":');
    assert.strictEqual(await asked(ORDINARY_ID - 1), "PermissionError");
    assert.match(await asked(0), /^(ConnectionResetError|BrokenPipeError)?$/);
    await server.call("cancel", { operation_id: operation?.operation_id });
  },
  { ignore: Deno.uid() !== 0 },
);

Deno.test("X24 the socket lies in a private XDG_RUNTIME_DIR, else in the state directory; ctrl-] leaves an operation with a pipe running", async () => {
  using bench = new Workbench();
  const runtime = `${bench.elsewhere}/run`;
  const environment = { XDG_RUNTIME_DIR: runtime };
  await Deno.mkdir(runtime, { mode: 0o755 });
  for (const [mode, directory] of [[0o755, control(bench)], [0o700, `${runtime}/ahma_mcp`]] as const) {
    await Deno.chmod(runtime, mode);
    await using server = await ServerProcess.start(bench, { environment });
    const begun = await server.call("sandboxed_shell", { command: "echo here; cat", input: true });
    const id = /op_\w+/.exec(begun.text)?.[0] ?? "";
    const socket = await socketIn(directory);
    assert.strictEqual(((await Deno.stat(directory)).mode ?? 0) & 0o777, 0o700);
    // In the state directory all other tests find it.
    if (directory !== control(bench)) {
      await using person = new Person(bench, ["attach", id], { environment });
      await person.sees(/here/);
      await person.types(DETACH);
      await person.sees(/Detached from op_\w+; it continues/);
      assert.deepStrictEqual(await person.left(), { code: 0, isAsBefore: true });
      assert.match((await server.call("status", {})).text, /^1 running/);
    }
    await server.closeInput();
    await server.exit();
    assert.ok(!exists(socket));
  }
});

Deno.test("X24 a server that cannot have a socket says so in its log, and works", async () => {
  using bench = new Workbench();
  bench.write(control(bench), "no directory");
  await using server = await ServerProcess.start(bench);
  assert.match((await server.shell("echo works")).text, /^works\n/);
  const log = `${bench.home}/.cache/ahma_mcp/logs`;
  const lines = () =>
    Array.from(Deno.readDirSync(log)).flatMap(({ name }) => Deno.readTextFileSync(`${log}/${name}`).split("\n"))
      .filter((line) => line.includes("People cannot attach"));
  await until(() => lines().length > 0, 20_000, "the warning");
  assert.strictEqual(lines().length, 1);
  const nothing = await attach(bench, "op_NOTHERE1");
  assert.deepStrictEqual([nothing.code, nothing.stdout], [1, ""]);
  assert.match(
    nothing.stderr,
    /^Cannot attach to "op_NOTHERE1": no server of yours runs on this machine\. A server is found/,
  );
});

for (const flags of [[], ["--session-isolation"]]) {
  Deno.test(`X24 V1 operations of HTTP sessions are found too, ${flags.join(" ") || "of one process"}`, async () => {
    using bench = new Workbench();
    await using server = await HttpServerProcess.start(bench, {
      flags: [...flags, "--sandbox-scope", bench.scope],
    });
    await using client = await HttpClient.connect(server);
    const started = await client.start("echo here; until [ -e go ]; do sleep 0.05; done; exit 6");
    const id = /op_\w+/.exec(started.text)?.[0] ?? assert.fail(started.text);
    await socketIn(control(bench));
    // Each server has both lists.
    if (flags.length === 0) {
      const { servers } = JSON.parse((await runProgram(bench, ["ps", "--json"])).stdout);
      const clients = servers.flatMap(({ operations }: { operations: { client: string }[] }) => operations);
      assert.deepStrictEqual(clients.map(({ client }: { client: string }) => client), ["wire 1"]);
    } else {
      const listed = await until(
        async () => {
          const { stderr } = await runProgram(bench, ["attach"]);
          return stderr.includes(id) && stderr;
        },
        20_000,
        `${id} in the list`,
      );
      assert.ok(listed.includes(`${id} sandboxed_shell, running for `), listed);
    }
    await using person = new Person(bench, ["attach", id]);
    await person.sees(/here/);
    bench.write("go", "");
    assert.deepStrictEqual(await person.left(), { code: 6, isAsBefore: true });
  });
}
