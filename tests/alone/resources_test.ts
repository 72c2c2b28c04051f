/**
 * Commands that use up all they can get (S10): each ends, or is cancelled, and meanwhile the server answers. Every one is
 * bounded by the limits it is there to test. How soon the server answers depends on the machine, and is measured by
 * `deno task bench`; here each answer comes while the command runs.
 */
import assert from "node:assert/strict";
import { ServerProcess } from "../_support/server_process.ts";
import { usersAtHand, Workbench } from "../_support/workbench.ts";

const MIB = 1024 * 1024;
/** So often the server tells that a command runs which does not end, and looks at each of its processes for that. */
const ANSWERS = 2;
/** A command that goes on for longer fails, seconds. */
const LONGEST_SECONDS = 600;

/** The limit of processes is the default one. */
const FLAGS = ["--limit-memory", "512M", "--limit-file-size", "32M", "--max-inline-output", "4096"];

interface Glutton {
  readonly name: string;
  readonly command: string;
  /** What the answer must say, where it comes to an end. */
  readonly outcome?: RegExp;
  /** What its output says when it uses up all it gets, where it goes on until it is cancelled. */
  readonly atWork?: string;
  /** Who tries it: the first user alone where it asks nothing of the kernel that depends on the user. Default: all. */
  readonly users?: "first" | "others";
}

/** `refused`: what each of its processes does when the kernel refuses it another. */
function forkBomb(refused: string): string {
  return `echo begun; /usr/bin/python3 -c '
import os, signal
while True:
  try: os.fork()
  except OSError: ${refused}'`;
}

const GLUTTONS: readonly Glutton[] = [
  {
    name: "a fork bomb, which tries again at once",
    users: "first",
    command: forkBomb('told = globals().get("told") or os.write(1, b"no " + b"more\\n")'),
    atWork: "no more",
  },
  {
    name: "a fork bomb, which waits at the limit",
    users: "others",
    command: forkBomb('os.write(1, b"no " + b"more\\n"); signal.pause()'),
    atWork: "no more",
  },
  {
    name: "a memory hog",
    users: "first",
    command: `echo begun; /usr/bin/python3 -c 'x = [bytearray(${16 * MIB}) for _ in range(1000)]'`,
    outcome: /MemoryError/,
  },
  {
    name: "a memory hog that takes what it is given",
    users: "first",
    command: "echo begun; tail /dev/zero",
    outcome: /tail: memory exhausted/,
  },
  {
    name: "a line of 540 MB, more than one text can hold",
    users: "first",
    command: "echo begun; head -c 540000000 /dev/zero; echo end",
    outcome: /^begun\n.* 5\d{8} bytes left out of line 2;.*\nend$/m,
  },
  { name: "yes", users: "first", command: "echo begun; yes", atWork: "y" },
  {
    name: "a disk filler",
    command: 'echo begun; dd if=/dev/zero of="$TMPDIR/full" bs=1M count=10000; rm "$TMPDIR/full"',
    outcome: /File size limit exceeded|SIGXFSZ/,
  },
];

async function feed(server: ServerProcess, { command, outcome, atWork }: Glutton): Promise<void> {
  const started = await server.call("sandboxed_shell", {
    command,
    timeout_seconds: LONGEST_SECONDS,
    execution_mode: "AsyncResultPush",
  });
  const id = /op_\w+/.exec(started.text)?.[0] ?? assert.fail(started.text);
  const waiting = server.call("await", { operation_id: id, timeout_seconds: LONGEST_SECONDS }, {
    deadline: LONGEST_SECONDS * 1000,
  });
  if (atWork !== undefined) {
    const until = { operation_id: id, until: atWork, from_start: true, timeout_seconds: LONGEST_SECONDS };
    const reached = await server.call("await", until, { deadline: LONGEST_SECONDS * 1000 });
    assert.match(reached.text, new RegExp(`^> ${atWork}$`, "m"));
    for (let answers = 0; answers < ANSWERS; answers++) {
      const { text } = await server.call("status", { operation_id: id });
      assert.match(text, new RegExp(`^${id} .* running`));
    }
    await server.call("cancel", { operation_id: id });
  }
  assert.match((await waiting).text, outcome ?? /cancelled/);
}

async function isWhole(server: ServerProcess): Promise<void> {
  assert.match((await server.shell("echo still here")).text, /^still here$/m);
}

for (const user of usersAtHand()) {
  Deno.test(`S10 X8 the server answers during whatever a command uses up, and is whole afterwards, as ${user}`, async (t) => {
    using bench = new Workbench(user);
    await using server = await ServerProcess.start(bench, { flags: FLAGS });
    const other = user === usersAtHand()[0] ? "others" : "first";
    for (const glutton of GLUTTONS.filter(({ users }) => users !== other)) {
      await t.step(glutton.name, async () => {
        await feed(server, glutton);
        await isWhole(server);
      });
    }
  });
}
