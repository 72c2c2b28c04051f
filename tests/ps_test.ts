/** A person sees what the servers of all agents of theirs run, reads what that wrote, and ends it (V1). */
import assert from "node:assert/strict";
import { until } from "./_support/deadline.ts";
import { Person } from "./_support/person.ts";
import { ServerProcess } from "./_support/server_process.ts";
import { type Ran, runProgram, runShellLine } from "./_support/terminal.ts";
import { exists, Workbench } from "./_support/workbench.ts";

/** One that writes on and on, and one that has worked hard. */
const FOLLOWED = "echo one; printf '\\033[2J\\033[31mred\\n'; while sleep 0.05; do echo more; done";
const BUSY = "sleep 301 & python3 -c 'import time\nkept = bytearray(40_000_000)\n" +
  "while time.process_time() < 0.3: pass\ntime.sleep(300)'";

async function ran(bench: Workbench, ...words: readonly string[]): Promise<Ran> {
  return await runProgram(bench, words);
}

async function started(server: ServerProcess, command: string): Promise<string> {
  const { text } = await server.start(command);
  return /\bop_\w+/.exec(text)?.[0] ?? assert.fail(text);
}

/** Waits until so many servers of the bench are listed. */
async function listed(bench: Workbench, count: number): Promise<void> {
  const directory = `${bench.home}/.local/state/ahma/control`;
  const names = () => exists(directory) ? Array.from(Deno.readDirSync(directory), ({ name }) => name) : [];
  const tokens = () => names().filter((name) => /^\d.*\.token$/.test(name)).length === count;
  await until(tokens, 20_000, `${count} sockets of servers`);
}

Deno.test("V1 ps, logs and kill reach the operations of all servers of a user, and of no other user", async () => {
  using bench = new Workbench();
  using other = new Workbench("ordinary");
  const log = `${bench.elsewhere}/audit.jsonl`;
  const none = await ran(bench, "ps");
  assert.deepStrictEqual([none.code, none.stderr], [0, ""]);
  assert.strictEqual(none.stdout, "Nothing runs: there is no server of yours on this machine\n");
  await using one = await ServerProcess.start(bench);
  await using two = await ServerProcess.start(bench, { flags: ["--audit-log", log] });
  await using third = await ServerProcess.start(other);
  const [followed, busy, foreign] = [
    await started(two, FOLLOWED),
    await started(one, BUSY),
    await started(third, "echo secret; sleep 302"),
  ];
  await listed(bench, 2);
  await listed(other, 1);
  const table = await ran(bench, "ps");
  assert.match(table.stdout, /^2 running, of 2 servers\nOPERATION +STATE +TIME +CPU +MEMORY +SERVER +CLIENT/);
  assert.ok(table.stdout.includes(`${followed}  running  `) && table.stdout.includes("wire 1"), table.stdout);
  assert.ok(!table.stdout.includes("\x1b") && !table.stdout.includes(foreign), table.stdout);
  const used = await until(
    async () => {
      const { servers } = JSON.parse((await ran(bench, "ps", "--json")).stdout);
      const usage = servers.find(({ pid }: { pid: number }) => pid === one.pid)?.operations[0]?.usage;
      return usage?.processorMs > 0 && usage.memoryBytes > 40_000_000 ? usage : undefined;
    },
    30_000,
    "the processor time of an operation",
  );
  assert.ok(used.processes >= 3, JSON.stringify(used));
  await eachSeesItsOwn({ bench, other, foreign, ids: [followed, busy] });

  const near = `${busy.slice(0, -1)}${busy.endsWith("0") ? "1" : "0"}`;
  const wrong = await ran(bench, "logs", near);
  assert.deepStrictEqual([wrong.code, wrong.stdout], [1, ""]);
  assert.match(
    wrong.stderr,
    new RegExp(`^Cannot print the output of "${near}": no server of yours has it\\. Similar:`),
  );
  const head = await runShellLine(
    bench,
    ["bash", "-c"],
    `set -o pipefail; ahma_mcp logs ${followed} --follow | head -1`,
  );
  assert.deepStrictEqual([head.stdout, head.stderr], ["one\n", ""]);
  await using person = new Person(bench, ["ps", "--watch"]);
  await person.sees(new RegExp(`2 running, of 2 servers[^]*${followed}  running`));
  const follow = ran(bench, "logs", followed.slice(3, 8).toLowerCase(), "--follow");
  const ended = await ran(bench, "kill", `${one.pid}/${busy}`);
  assert.match(
    ended.stdout,
    new RegExp(`^Ended ${busy} with its \\d+ processes: sandboxed_shell, running for [^\\n]+\\n`),
  );
  assert.match(ended.stdout, /\n\[op_\w+ cancelled, signal SIG\w+, [^\n]+: Ended by the user, with ahma_mcp kill\]\n$/);
  await bench.processesGone("sleep 301");
  await person.sees(new RegExp(`1 running, of 2 servers[^]*${busy}  cancelled`));
  assert.match((await one.call("status", {})).text, /cancelled, [^\n]*: Ended by the user, with ahma_mcp kill/);
  const again = await ran(bench, "kill", followed, busy);
  assert.match(again.stdout, new RegExp(`^Ended ${followed} with its`));
  assert.match(again.stderr, new RegExp(`^Cannot end "${busy}": It has ended: \\[${busy} cancelled`));
  assert.strictEqual(again.code, 1);
  const kill = (await Deno.readTextFile(log)).trim().split("\n").map((line) => JSON.parse(line))
    .find(({ event }) => event === "kill");
  assert.deepStrictEqual([kill.operation, kill.tool, kill.by], [followed, "sandboxed_shell", "person"]);
  const { code, stdout, stderr } = await follow;
  assert.strictEqual(code, 0);
  // deno-lint-ignore no-control-regex -- in a pipe it is as it was written
  assert.match(stdout, /^one\n\x1b\[2J\x1b\[31mred\n(more\n)+$/);
  assert.match(stderr, new RegExp(`^\\[${followed} cancelled, signal SIGTERM, `));
  one.kill("SIGKILL");
  await one.exit();
  await person.sees(/Nothing runs\. There is 1 server:/);
  await person.types("\x03");
  assert.deepStrictEqual(await person.left(), { code: 0, isAsBefore: true });
  assert.ok((await ran(bench, "ps")).stdout.startsWith(`Nothing runs. There is 1 server:\n  ${two.pid}  stdio  `));
  await listed(bench, 1);
  await namesSilent(bench, two);
  // The server that runs tells where its log is.
  await Deno.writeTextFile(log, '{"cut', { append: true });
  const sum = await ran(bench, "audit", "--in", bench.scope);
  assert.match(sum.stdout, /^The last 7d: 1 run, 1 failed, 1 ended by a person, [^\n]+\n\nTOOL +PROGRAM +RUNS +FAILED/);
  assert.match(sum.stdout, /\nsandboxed_shell +echo +1 +1 +0 +\d/);
  assert.deepStrictEqual([sum.code, sum.stderr.split(" of ")[0]], [1, "1 line"]);
});

interface Users {
  readonly bench: Workbench;
  readonly other: Workbench;
  readonly foreign: string;
  readonly ids: readonly string[];
}

/** Also where one looks into the place of the other. */
async function eachSeesItsOwn({ bench, other, foreign, ids }: Users): Promise<void> {
  const seen = await ran(other, "ps");
  assert.ok(seen.stdout.includes(foreign) && seen.stdout.startsWith("1 running, of 1 server\n"), seen.stdout);
  if (Deno.uid() !== 0) return;
  // One socket answers all three: each is asked from one side, and for an end from both.
  const rounds = [
    { looks: bench, into: other, words: ["ps", "--json"] },
    { looks: other, into: bench, words: ["logs", ids[0] ?? ""] },
    { looks: bench, into: other, words: ["kill", foreign] },
    { looks: other, into: bench, words: ["kill", ...ids] },
  ];
  await Promise.all(rounds.map(async ({ looks, into, words }) => {
    const { code, stdout, stderr } = await runProgram(looks, words, { environment: { HOME: into.home } });
    const [name] = words;
    assert.deepStrictEqual([name, code], [name, name === "ps" ? 0 : 1], stderr);
    assert.ok(![foreign, ...ids].some((id) => stdout.includes(id)) && !stdout.includes("secret"), stdout);
  }));
}

/** `ps` names a server that does not answer, and does not say that nothing runs. */
async function namesSilent(bench: Workbench, server: ServerProcess): Promise<void> {
  server.kill("SIGSTOP");
  try {
    const silent = await ran(bench, "ps");
    assert.deepStrictEqual([silent.code, silent.stdout], [1, ""]);
    assert.match(silent.stderr, /^The server at ".*\.sock" refused: it did not answer within 5 s\n$/);
  } finally {
    server.kill("SIGCONT");
  }
}
