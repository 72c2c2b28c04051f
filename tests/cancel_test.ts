import assert from "node:assert/strict";
import { until } from "./_support/deadline.ts";
import { processesWith, type SeenProcess } from "./_support/processes.ts";
import { ServerProcess } from "./_support/server_process.ts";
import { type User, usersAtHand, Workbench } from "./_support/workbench.ts";

/**
 * Ways a command can try to outlive its end. Each one writes the file `ready` when its processes are there; all of
 * them carry the bench's marker in their working directory or environment, and an argument of their own.
 */
const STUBBORN = [
  {
    name: "a session of its own beside a child",
    command: "bash -c 'setsid sleep 300.SEED & touch ready; sleep 300.SEED'",
  },
  { name: "a double fork", command: "( ( sleep 300.SEED & ) & ); touch ready; sleep 300.SEED" },
  { name: "nohup", command: "nohup sleep 300.SEED >/dev/null 2>&1 & touch ready; wait" },
  {
    name: "ignored signals",
    command: `bash -c 'trap "" TERM HUP INT; touch ready; while :; do sleep 300.SEED; done'`,
  },
  {
    name: "all of it",
    command:
      `setsid nohup bash -c 'trap "" TERM HUP INT; (sleep 300.SEED &); touch ready; while :; do sleep 300.SEED; done' ` +
      ">/dev/null 2>&1 & disown; sleep 300.SEED",
  },
] as const;

/** One stubborn command at work, and the number by which its processes are known. */
interface AtWork {
  readonly name: string;
  readonly seed: string;
  readonly operation: string;
}

async function sleepers(bench: Workbench, seed: string): Promise<readonly SeenProcess[]> {
  const all = await processesWith(bench.marker);
  return all.filter(({ command }) => /^(\S*\/)?sleep /.test(command) && command.includes(seed));
}

/** Starts each stubborn command in a directory of its own and waits until all of them are there. */
async function startAll(bench: Workbench, server: ServerProcess): Promise<readonly AtWork[]> {
  const atWork: AtWork[] = [];
  for (const { name, command } of STUBBORN) {
    const seed = String(crypto.getRandomValues(new Uint32Array(1))[0]);
    bench.write(`at-${seed}/.keep`, "");
    const { operation } = await server.call("sandboxed_shell", {
      command: command.replaceAll("SEED", seed),
      working_directory: `at-${seed}`,
      execution_mode: "AsyncResultPush",
    });
    await bench.appears(`at-${seed}/ready`);
    await until(async () => (await sleepers(bench, seed)).length > 0, 5_000, `the control: ${name} runs`);
    atWork.push({ name, seed, operation: operation?.operation_id ?? "" });
  }
  return atWork;
}

async function assertAllGone(bench: Workbench, atWork: readonly AtWork[]): Promise<void> {
  for (const { seed } of atWork) await bench.processesGone(seed, 3_000);
}

for (const user of usersAtHand()) {
  Deno.test(`B4 X10 cancel leaves no process, and SIGKILL of the server none either, as ${user}`, async (t) => {
    using bench = new Workbench(user);
    await using server = await ServerProcess.start(bench);
    for (const { name, seed, operation } of await startAll(bench, server)) {
      await t.step(name, async () => {
        await server.call("cancel", { operation_id: operation });
        assert.deepStrictEqual(await sleepers(bench, seed), []);
      });
    }
    const atWork = await startAll(bench, server);
    server.kill("SIGKILL");
    await server.exit();
    await assertAllGone(bench, atWork);
  });
}

/**
 * The end of the session at once, and the one that first gives running commands their ten seconds; side by side. What ends
 * the commands is the same for both, and depends on the user: each user tries one.
 */
const ENDS_OF_SESSION: readonly ((server: ServerProcess) => Promise<void>)[] = [
  (server) => server.closeInput(),
  (server) => Promise.resolve(server.kill("SIGTERM")),
];

async function endsWithoutRest(user: User, end: (server: ServerProcess) => Promise<void>): Promise<void> {
  using bench = new Workbench(user);
  await using server = await ServerProcess.start(bench);
  const atWork = await startAll(bench, server);
  await end(server);
  assert.equal((await server.exit()).code, 0);
  await assertAllGone(bench, atWork);
}

/** A time limit of the call for each stubborn command, and the server's for one that has none; side by side. */
async function endsInTime(): Promise<void> {
  using bench = new Workbench();
  await using server = await ServerProcess.start(bench, { flags: ["--timeout", "11"] });
  const calls = STUBBORN.map(async ({ name, command }) => {
    const seed = String(crypto.getRandomValues(new Uint32Array(1))[0]);
    const answer = await server.shell(`echo until then; ${command.replaceAll("SEED", seed)}`, { timeout_seconds: 10 });
    assert.ok(answer.isError, name);
    assert.match(answer.text, /timed_out|timed out/, name);
    assert.match(answer.text, /after its time limit of 10(\.\d+)? s/, name);
    assert.match(answer.text, /until then/, name);
    assert.deepStrictEqual(await sleepers(bench, seed), [], name);
  });
  const [answer] = await Promise.all([server.shell("sleep 300"), ...calls]);
  assert.ok(answer.isError);
  assert.match(answer.text, /timed_out|timed out/);
  assert.match(answer.text, /after its time limit of 11(\.\d+)? s/, "--timeout holds where a call gives none");
}

// What waits for ten seconds goes side by side with the rest.
Deno.test("X9 X10 X14 the end of input, SIGTERM and a time limit leave no process, and a result says which limit", async () => {
  const users = usersAtHand();
  const ends = ENDS_OF_SESSION.map((end, index) => endsWithoutRest(users[index] ?? "ordinary", end));
  await Promise.all([...ends, endsInTime()]);
});

Deno.test("X10 the driver detects a process that is left (control)", async () => {
  using bench = new Workbench();
  const { code } = await new Deno.Command("bash", {
    args: ["-c", "setsid sleep 302 >/dev/null 2>&1 & echo $!"],
    cwd: bench.scope,
    stdout: "null",
  }).output();
  assert.equal(code, 0);
  const [left] = await processesWith(bench.marker);
  assert.match(left?.command ?? "", /sleep 302/);
  if (left !== undefined) Deno.kill(left.pid, "SIGKILL");
});
