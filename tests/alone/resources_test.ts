/**
 * Commands that use up all they can get (S10): each ends, or is ended, and meanwhile the server answers. Every one is
 * bounded by the limits it is there to test, and by a time limit.
 */
import assert from "node:assert/strict";
import { until, withDeadline } from "../_support/deadline.ts";
import { ServerProcess } from "../_support/server_process.ts";
import { usersAtHand, Workbench } from "../_support/workbench.ts";

const MIB = 1024 * 1024;
/** How soon `status` must answer, whatever else goes on. */
const PROMPTLY_MS = 1_000;
const AT_WORST_MS = 5_000;
/** A command that goes on for longer fails. */
const LONGEST_MS = 150_000;

/** The limit of processes is the default one. */
const FLAGS = ["--limit-memory", "512M", "--limit-file-size", "32M", "--max-inline-output", "4096"];

interface Glutton {
  readonly name: string;
  /** Prints the word `begun` when it begins. */
  readonly command: string;
  readonly timeoutSeconds: number;
  /** What the answer must say. */
  readonly outcome: RegExp;
  /** It asks nothing of the kernel that depends on the user: one user proves it. */
  readonly once?: true;
}

const GLUTTONS: readonly Glutton[] = [
  {
    name: "a fork bomb",
    once: true, // the next one meets the same limit, as each user
    command: "echo begun; bomb() { bomb | bomb & }; bomb; sleep 60",
    timeoutSeconds: 1,
    outcome: /timed out|time limit/i,
  },
  {
    name: "a fork bomb in Python, which tries again at once",
    command: "echo begun; /usr/bin/python3 -c '\nimport os\nwhile True:\n  try: os.fork()\n  except OSError: pass'",
    timeoutSeconds: 1,
    outcome: /timed out|time limit/i,
  },
  {
    name: "a memory hog",
    once: true,
    command: `echo begun; /usr/bin/python3 -c 'x = [bytearray(${16 * MIB}) for _ in range(1000)]'`,
    timeoutSeconds: 60,
    outcome: /MemoryError/,
  },
  {
    name: "a memory hog that takes what it is given",
    once: true,
    command: "echo begun; tail /dev/zero",
    timeoutSeconds: 60,
    outcome: /tail: memory exhausted/,
  },
  {
    name: "a line of 540 MB, more than one text can hold",
    once: true,
    command: "echo begun; head -c 540000000 /dev/zero | tr '\\0' x",
    timeoutSeconds: 120,
    outcome: /begun[^]*xxxx/,
  },
  { name: "yes", once: true, command: "echo begun; yes", timeoutSeconds: 1, outcome: /timed out|time limit/i },
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
  await until(
    async () => {
      const begin = performance.now();
      await server.call("status");
      times.push(performance.now() - begin);
      return ended;
    },
    LONGEST_MS,
    "the end of the command",
  );
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
        // A machine that is shared stands still at times: one answer may have met that.
        assert.ok(late.length === 0 && longest < AT_WORST_MS, `status took ${longest} ms, others ${late}`);
        await isWhole(server);
      });
    }
  });
}
