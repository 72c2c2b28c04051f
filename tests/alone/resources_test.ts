/**
 * Commands that use up all they can get (S10): each ends, or is ended, and meanwhile the server answers. Every one is
 * bounded by the limits it is there to test, and by a time limit.
 */
import assert from "node:assert/strict";
import { withDeadline } from "../_support/deadline.ts";
import { ServerProcess } from "../_support/server_process.ts";
import { type User, usersAtHand, Workbench } from "../_support/workbench.ts";

const MIB = 1024 * 1024;
/** How soon `status` must answer, whatever else goes on. */
const PROMPTLY_MS = 1_000;
const AT_WORST_MS = 5_000;

/** The limit of processes is the default one. */
const FLAGS = ["--limit-memory", "512M", "--limit-file-size", "32M", "--max-inline-output", "4096"];

interface Glutton {
  readonly name: string;
  /** Prints the word `begun` when it begins. */
  readonly command: string;
  readonly timeoutSeconds: number;
  /** What the answer must say. */
  readonly outcome: RegExp;
  /** Takes long, and asks nothing of the kernel that depends on the user. */
  readonly once?: true;
}

const GLUTTONS: readonly Glutton[] = [
  {
    name: "a fork bomb",
    command: "echo begun; bomb() { bomb | bomb & }; bomb; sleep 60",
    timeoutSeconds: 4,
    outcome: /timed out|time limit/i,
  },
  {
    name: "a fork bomb in Python, which tries again at once",
    command: "echo begun; /usr/bin/python3 -c '\nimport os\nwhile True:\n  try: os.fork()\n  except OSError: pass'",
    timeoutSeconds: 4,
    outcome: /timed out|time limit/i,
  },
  {
    name: "a memory hog",
    command: `echo begun; /usr/bin/python3 -c 'x = [bytearray(${16 * MIB}) for _ in range(1000)]'`,
    timeoutSeconds: 60,
    outcome: /MemoryError/,
  },
  {
    name: "a memory hog that takes what it is given",
    command: "echo begun; tail /dev/zero",
    timeoutSeconds: 60,
    outcome: /tail: memory exhausted/,
  },
  {
    name: "a line of 1 GB",
    once: true,
    command: "echo begun; head -c 1000000000 /dev/zero | tr '\\0' x",
    timeoutSeconds: 120,
    outcome: /begun[^]*xxxx/,
  },
  { name: "yes", command: "echo begun; yes", timeoutSeconds: 4, outcome: /timed out|time limit/i },
  {
    name: "a disk filler",
    command: 'echo begun; dd if=/dev/zero of="$TMPDIR/full" bs=1M count=10000; rm "$TMPDIR/full"',
    timeoutSeconds: 60,
    outcome: /File size limit exceeded|SIGXFSZ/,
  },
];

/** How long `status` took, milliseconds, asked again and again until `done`; the longest first. */
async function statusTimes(server: ServerProcess, done: Promise<unknown>): Promise<readonly number[]> {
  const times: number[] = [];
  let ended = false;
  void done.finally(() => ended = true);
  do {
    const begin = performance.now();
    await server.call("status");
    times.push(performance.now() - begin);
  } while (!ended);
  return times.sort((one, other) => other - one);
}

async function feed(server: ServerProcess, glutton: Glutton): Promise<readonly number[]> {
  const started = await server.call("sandboxed_shell", {
    command: glutton.command,
    timeout_seconds: glutton.timeoutSeconds,
    execution_mode: "AsyncResultPush",
  });
  const id = /op_\w+/.exec(started.text)?.[0];
  assert.ok(id !== undefined, started.text);
  const limit = (glutton.timeoutSeconds + 20) * 1000;
  const ended = server.call("await", { operation_id: id, timeout_seconds: limit / 1000 }, { deadline: limit + 5000 });
  const times = await statusTimes(server, ended);
  assert.match((await ended).text, glutton.outcome);
  return times;
}

async function isWhole(server: ServerProcess): Promise<void> {
  const answer = await withDeadline(server.shell("echo still here"), 5_000, "a command afterwards");
  assert.match(answer.text, /^still here$/m);
}

for (const user of usersAtHand()) {
  Deno.test(`S10 X8 the server answers during whatever a command uses up, and is whole afterwards, as ${user}`, async (t) => {
    using bench = new Workbench(user);
    await using server = await ServerProcess.start(bench, { flags: FLAGS });
    const first = user === usersAtHand()[0];
    for (const glutton of GLUTTONS.filter(({ once }) => first || once !== true)) {
      await t.step(glutton.name, async () => {
        const [longest = 0, ...others] = await feed(server, glutton);
        const late = others.filter((time) => time >= PROMPTLY_MS);
        // A machine that is shared stands still at times, whoever runs on it: one answer may have met that.
        assert.ok(late.length === 0 && longest < AT_WORST_MS, `status took ${longest} ms, others ${late}`);
        await isWhole(server);
      });
    }
  });

  Deno.test(`S10 a command has as many processes as the limit says, and each command anew, as ${user}`, async () => {
    using bench = new Workbench(user);
    await using server = await ServerProcess.start(bench, { flags: ["--limit-processes", "100"] });
    using openBench = new Workbench(user);
    await using open = await ServerProcess.start(openBench, { flags: ["--limit-processes", "none"] });
    const [first, second] = await Promise.all([forks(server, 1000), forks(server, 1000)]);
    // Root's are counted by the numbers of the namespace, the first 300 of which are given out besides.
    for (const count of [first, second]) assert.ok(count >= 80 && count <= 400, `${count} processes`);
    assert.equal(await forks(server, 50), 50, "as many as are allowed");
    assert.equal(await forks(open, 1000), 1000, "the control");
  });

  Deno.test(`S10 limits are what the flags say, none of core dumps, and no command raises them, as ${user}`, async () => {
    const flags = "--limit-file-size 1M --limit-open-files 100 --limit-memory 1G --limit-cpu 9".split(" ");
    assert.deepStrictEqual(await limits(user, flags), [0, 9, 1024, 100, 1024 * 1024]);
    assert.deepStrictEqual(await limits(user, []), [
      0,
      "unlimited",
      16 * 1024 * 1024,
      Math.min(65_536, OPEN_FILES),
      "unlimited",
    ]);
  });

  Deno.test(`S10 --limit-cpu ends a loop without end, as ${user}`, async () => {
    using bench = new Workbench(user);
    await using server = await ServerProcess.start(bench, { flags: ["--limit-cpu", "1"] });
    const { text } = await server.shell("(while :; do :; done); echo $?", { timeout_seconds: 30 });
    assert.match(text, /^152$/m, "128 + SIGXCPU");
  });

  Deno.test(`S10 commands go first when memory runs out, the server does not, as ${user}`, async () => {
    using bench = new Workbench(user);
    await using server = await ServerProcess.start(bench);
    assert.match((await server.shell("cat /proc/self/oom_score_adj")).text, /^1000$/m);
    const { stdout } = await new Deno.Command("cat", { args: [`/proc/${server.pid}/oom_score_adj`] }).output();
    const { stdout: own } = await new Deno.Command("cat", { args: ["/proc/self/oom_score_adj"] }).output();
    assert.deepStrictEqual(stdout, own, "the server has what it was started with");
  });
}

/** The hard limit of whoever runs the tests, which no limit of ours exceeds. */
const OPEN_FILES = Number(
  new TextDecoder().decode(new Deno.Command("sh", { args: ["-c", "ulimit -Hn"] }).outputSync().stdout).trim(),
) || Infinity;

/** How many processes a command can start, up to `most`, all of which live at once. */
async function forks(server: ServerProcess, most: number): Promise<number> {
  const script = `import os, signal
count = 0
for _ in range(${most}):
  try: pid = os.fork()
  except OSError: break
  if pid == 0: signal.pause()
  count += 1
print("forks", count)`;
  const { text } = await server.shell("/usr/bin/python3 -", { stdin: script, timeout_seconds: 60 });
  return Number(/^forks (\d+)$/m.exec(text)?.[1]);
}

/** Core, processor time, file size in KiB, open files, memory in KiB: hard limits, as the shell sees them. */
async function limits(user: User, flags: readonly string[]): Promise<readonly (number | string)[]> {
  using bench = new Workbench(user);
  await using server = await ServerProcess.start(bench, { flags });
  const { text } = await server.shell("for what in c t f n d; do echo limit $(ulimit -S$what) $(ulimit -H$what); done");
  return [...text.matchAll(/^limit \S+ (\S+)$/gm)].map(([, hard = ""], index) => {
    // The hard limit of processor time is one second more, so that the signal that says so comes first.
    const number = Number(hard) - (index === 1 ? 1 : 0);
    return Number.isNaN(number) ? hard : number;
  });
}
