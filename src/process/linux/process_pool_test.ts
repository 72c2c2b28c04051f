import assert from "node:assert/strict";
import { SILENT } from "../../base/log.ts";
import { type LauncherProcess, Spawner } from "../spawn.ts";
import { ProcessPool } from "./process_pool.ts";
import { SERVING_LIMITS, type ServingLimits, ServingPool } from "./serving/serving_pool.ts";
import {
  BELOW,
  DEFAULT_WAY,
  type Fixture,
  fixture,
  ownChildren,
  until,
  WAITING,
  type Way,
  WAYS,
} from "../_support/runner_fixture.ts";
import { LaunchImages } from "./launch/launch_images.ts";
import { ServingSandbox } from "./serving/serving_sandbox.ts";

/** Real shells that wait on stdin as the pool's do; `ready` resolves when so many wait. */
function pool(limits: { first: number; minimum: number; burst: number; idleMs: number }) {
  const started: LauncherProcess[] = [];
  const waiters: { readonly count: number; readonly resolve: () => void }[] = [];
  const shells = new ProcessPool(() => {
    const shell = new Deno.Command("bash", {
      args: ["--norc", "-c", "read -r line"],
      stdin: "piped",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    const { pid, status, stdin, stdout: output, stderr: reports } = shell;
    const launched = { pid, status, stdin, output, reports };
    started.push(launched);
    waiters.filter(({ count }) => started.length >= count).forEach(({ resolve }) => resolve());
    return launched;
  }, limits);
  const startedAtLeast = (count: number) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    if (started.length >= count) resolve();
    else waiters.push({ count, resolve });
    return promise;
  };
  return { shells, started, startedAtLeast };
}

async function end(shell: LauncherProcess | undefined): Promise<void> {
  if (shell === undefined) return;
  await Promise.allSettled([shell.stdin.close(), shell.output.cancel(), shell.reports.cancel(), shell.status]);
}

Deno.test("P1 ProcessPool.acquire() gives each shell once, and refill() replaces it", async () => {
  const { shells, started, startedAtLeast } = pool({ first: 1, minimum: 2, burst: 4, idleMs: 60_000 });
  shells.refill();
  await startedAtLeast(1);
  const first = shells.acquire();
  shells.refill();
  await startedAtLeast(3);
  const second = shells.acquire();
  assert.deepStrictEqual([first, second], [started[0], started[1]]);
  shells.refill();
  await startedAtLeast(4);
  await Promise.all([end(first), end(second)]);
  await shells.close();
});

Deno.test("P1 N5 ProcessPool keeps one shell until the first is taken, and then its minimum", async () => {
  const { shells, startedAtLeast } = pool({ first: 1, minimum: 2, burst: 4, idleMs: 60_000 });
  const turns = async () => {
    for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setTimeout(resolve));
  };
  shells.refill();
  await startedAtLeast(1);
  await turns();
  assert.deepStrictEqual(shells.ready, 1);
  const taken = shells.acquire();
  shells.refill();
  await startedAtLeast(3);
  await turns();
  assert.deepStrictEqual(shells.ready, 2);
  await end(taken);
  await shells.close();
});

Deno.test("P1 ProcessPool.acquire() of an empty pool gives nothing, and calls in a row make the pool grow to its limit", async () => {
  const { shells, startedAtLeast } = pool({ first: 1, minimum: 1, burst: 3, idleMs: 60_000 });
  assert.deepStrictEqual([1, 2, 3, 4].map(() => shells.acquire()), [undefined, undefined, undefined, undefined]);
  shells.refill();
  await startedAtLeast(3);
  assert.deepStrictEqual(shells.ready, 3);
  await shells.close();
});

Deno.test("P3 ProcessPool replaces a shell that dies while it waits", async () => {
  const { shells, started, startedAtLeast } = pool({ first: 1, minimum: 1, burst: 1, idleMs: 60_000 });
  shells.refill();
  await startedAtLeast(1);
  Deno.kill(started[0]?.pid ?? 0, "SIGKILL");
  await startedAtLeast(2);
  assert.deepStrictEqual(shells.acquire(), started[1]);
  await end(started[1]);
  await shells.close();
});

Deno.test("P3 ProcessPool gives up starting shells that cannot be started", () => {
  let tries = 0;
  const { promise, resolve } = Promise.withResolvers<void>();
  const shells = new ProcessPool(() => {
    tries++;
    queueMicrotask(resolve);
    throw new Error("no");
  }, { first: 1, minimum: 2, burst: 2, idleMs: 60_000 });
  shells.refill();
  return promise.then(async () => {
    shells.refill();
    await shells.close();
    assert.deepStrictEqual(tries, 1);
  });
});

Deno.test("P1 ProcessPool closes idle shells", async () => {
  const { shells, started, startedAtLeast } = pool({ first: 1, minimum: 1, burst: 2, idleMs: 20 });
  shells.refill();
  await startedAtLeast(1);
  await started[0]?.status;
  assert.deepStrictEqual(shells.ready, 0);
  await shells.close();
});

Deno.test("P1 N1 LinuxRunner.run() has a launcher that waited run a program", async () => {
  await using f = await fixture(DEFAULT_WAY);
  const waiting = new Set(ownChildren());
  let running: readonly number[] = [];
  await f.run({ argv: ["bash", "-c", "echo up; until [ -e go ]; do sleep 0.01; done"] }, {
    onText: async (text) => {
      if (!text.includes("up")) return;
      running = ownChildren();
      await Deno.writeTextFile(`${f.scope}/go`, "");
    },
  });
  assert.ok(running.length >= WAITING && running.every((pid) => waiting.has(pid)), `${running} of ${[...waiting]}`);
});

Deno.test("P3 LinuxRunner.run() is not disturbed by waiting shells and launchers that die", async () => {
  await using f = await fixture(DEFAULT_WAY);
  await f.run({ shell: "true" });
  await f.runner.settled();
  const victims = await until(ownChildren, (children) => children.length >= WAITING);
  // Nothing else of this process runs until all of them are dead: the runner has not heard of it when it hands out its lines.
  const { success } = killTreesNow(victims);
  assert.ok(success, "what waited did not die");
  const runs = [{ shell: "echo 1" }, { argv: ["echo", "2"] }, { shell: "echo 3" }, { argv: ["echo", "4"] }];
  const results = await Promise.all(runs.map((run) => f.run(run)));
  assert.deepStrictEqual(results.map(({ output }) => output), ["1\n", "2\n", "3\n", "4\n"]);
});

Deno.test("P3 LinuxRunner.run() does not run a program again whose launcher died after it began", async () => {
  const way = WAYS.find(({ enforce }) => !enforce); // where a command can kill its launcher
  assert.ok(way !== undefined);
  await using f = await fixture(way);
  const waiting = new Set(ownChildren());
  let parent = 0;
  const script = 'echo $PPID; echo >> runs; kill -9 "$PPID"; sleep 60';
  const { end } = await f.run({ argv: ["sh", "-c", script] }, { onText: (text) => void (parent = Number(text)) });
  assert.ok(waiting.has(parent), `${parent} of ${[...waiting]}`);
  assert.deepStrictEqual([end, await Deno.readTextFile(`${f.scope}/runs`)], [
    { kind: "signalled", signal: "SIGKILL" },
    "\n",
  ]);
});

/** A launcher takes what it started with it, one after the other; the last is the shell, which could still take a line. */
function killTreesNow(pids: readonly number[]): Deno.CommandOutput {
  const script = `${BELOW}tree() { for p; do echo $p; tree $(below $p "*"); done; }; all=$(tree $@); kill -9 $@; ` +
    "for p in $all; do while grep -qs '^State:.[^ZX]' /proc/$p/status; do :; done; done";
  return new Deno.Command("timeout", { args: ["120", "bash", "-c", script, "bash", ...pids.map(String)] }).outputSync();
}

/** Python that calls the C library. */
function python(...lines: readonly string[]): { argv: readonly string[] } {
  return { argv: ["python3", "-c", ["import ctypes, os, socket", "libc = ctypes.CDLL(None)", ...lines].join("\n")] };
}

/** Whether a program finds itself in a sandbox that has served no other: the first process there has the number 1. */
async function isFresh(f: Fixture): Promise<boolean> {
  const { output } = await f.run({ argv: ["sh", "-c", "echo $$"] });
  assert.match(output, /^\d+\n$/);
  return output === "2\n";
}

Deno.test("P1 LinuxRunner.run() runs one command after the other in one sandbox, and none at the same time as another", async () => {
  await using f = await fixture(DEFAULT_WAY);
  await f.run({ argv: ["sh", "-c", "kill -9 $$"] });
  await f.run({ argv: ["no-such-program"] });
  assert.deepStrictEqual([await isFresh(f), await isFresh(f)], [false, false]);
  const both = ["sh", "-c", 'readlink /proc/self/ns/pid; echo > "$0"; until [ -e a ] && [ -e b ]; do :; done'];
  const together = await Promise.all(["a", "b"].map((name) => f.run({ argv: [...both, name] })));
  assert.strictEqual(new Set(together.map(({ output }) => output)).size, 2);
});

Deno.test("X9 LinuxRunner.run() asks a command to end whose output never does", async () => {
  await using f = await fixture(DEFAULT_WAY);
  const abort = new AbortController();
  const { end } = await f.run({ argv: ["yes"] }, { signal: abort.signal, onText: () => abort.abort() });
  assert.deepStrictEqual(end, { kind: "signalled", signal: "SIGTERM" });
});

Deno.test("P1 S8 no command is ended by a signal that it sends in the server's name, where Landlock knows no signals", async () => {
  await using f = await fixture({ ...DEFAULT_WAY, abi: 5 });
  // SI_QUEUE, whose sender gives its id itself; and a signal about a pipe, which has none.
  const { output } = await f.run(python(
    "import fcntl, time",
    "info = (ctypes.c_int32 * 32)(15, 0, -1)",
    "print(libc.syscall(129 if os.uname().machine == 'x86_64' else 138, 1, 15, info))",
    "reader, writer = os.pipe()",
    "fcntl.fcntl(reader, fcntl.F_SETOWN, 1); fcntl.fcntl(reader, 10, 15); fcntl.fcntl(reader, fcntl.F_SETFL, os.O_ASYNC)",
    "os.write(writer, b'x'); time.sleep(0.1); print('went on')",
  ));
  assert.strictEqual(output, "0\nwent on\n");
});

Deno.test("P1 LinuxRunner.run() with reuse switched off runs each command in a sandbox of its own", async () => {
  await using f = await fixture({ ...DEFAULT_WAY, reuse: false });
  assert.deepStrictEqual([await isFresh(f), await isFresh(f)], [true, true]);
});

/** What a command leaves, and what the next one sees of it in a sandbox that served it. */
const LEFTOVERS: Readonly<Record<string, { readonly argv: readonly string[] }>> = {
  "a file in /dev/shm": python("open('/dev/shm/left', 'w')"),
  "the mode of /dev/shm": python("os.chmod('/dev/shm', 0o700)"),
  "rules for new files in /dev/shm": python(
    "entry = lambda tag: tag + b'\\7\\0' + b'\\xff' * 4",
    "rules = b'\\2\\0\\0\\0' + b''.join(map(entry, (b'\\1\\0', b'\\4\\0', b'\\x20\\0')))",
    "os.setxattr('/dev/shm', 'system.posix_acl_default', rules)",
  ),
  "flags of /dev/shm": python(
    "import fcntl",
    "try: fcntl.ioctl(os.open('/dev/shm', 0), 0x40086602, b'\\x40' + bytes(7))",
    "except OSError: os.chmod('/dev/shm', 0o700) # a kernel without them, before 6.0",
  ),
  "the mode of /dev/ptmx": python("os.chmod('/dev/pts/ptmx', 0o600)"),
  "System V shared memory": python("assert libc.shmget(1, 4096, 0o1600) >= 0"),
  "a System V queue": python("assert libc.msgget(1, 0o1600) >= 0"),
  "a System V semaphore": python("assert libc.semget(1, 1, 0o1600) >= 0"),
  // Landlock denies to open the one that was made.
  "a POSIX queue": python("libc.mq_open(b'/left', 0x42, 0o600, None)"),
  "a child": { argv: ["sh", "-c", "sleep 60 > /dev/null 2>&1 &"] },
};

const [FIRST] = Object.keys(LEFTOVERS);

Deno.test("P1 S10 LinuxRunner.run() ends a sandbox in which anything of its command is left", async () => {
  await using f = await fixture(DEFAULT_WAY);
  for (const [name, run] of Object.entries(LEFTOVERS)) {
    assert.strictEqual(await isFresh(f), name !== FIRST, name);
    const { end, output } = await f.run(run);
    assert.deepStrictEqual([end.kind === "exited" && end.code, output], [0, ""], name);
  }
  assert.deepStrictEqual([await isFresh(f), await isFresh(f)], [true, false]);
  // Control: as much is made and taken away again.
  const removed = python(
    "open('/dev/shm/left', 'w'); os.remove('/dev/shm/left')",
    "assert libc.shmctl(libc.shmget(1, 4096, 0o1600), 0, None) == 0",
    "libc.mq_open(b'/left', 0x42, 0o600, None)",
    "assert libc.mq_unlink(b'/left') == 0",
  );
  assert.deepStrictEqual((await f.run(removed)).end, { kind: "exited", code: 0 });
  assert.ok(!await isFresh(f));
});

Deno.test("P1 LinuxRunner.run() leaves the next command the output, limits and scheduling that the first one had", async () => {
  await using f = await fixture(DEFAULT_WAY);
  const look = python(
    "import fcntl, resource",
    "print(fcntl.fcntl(1, fcntl.F_GETFL), fcntl.fcntl(1, 1032), oct(os.fstat(1).st_mode))",
    "print(os.sched_getaffinity(0), os.sched_getscheduler(0), os.getpriority(0, 0), libc.syscall(252, 1, 0))",
    "print([resource.getrlimit(n) for n in range(16)], os.umask(0o22), os.getcwd())",
    "print(open('/proc/self/oom_score_adj').read(), open('/proc/self/timerslack_ns').read())",
  );
  const first = await f.run(look);
  const changes = [
    "fcntl.fcntl(1, fcntl.F_SETFL, os.O_NONBLOCK)",
    "fcntl.fcntl(1, 1031, 1 << 20)",
    "os.fchmod(1, 0)",
    "os.sched_setaffinity(1, {0})",
    "os.sched_setscheduler(1, os.SCHED_BATCH, os.sched_param(0))",
    "os.setpriority(os.PRIO_PGRP, 0, 19)",
    "os.setpriority(os.PRIO_PROCESS, 1, 19)",
    "assert libc.syscall(251, 2, 0, 3 << 13) == 0",
    "assert libc.syscall(251, 1, 1, 3 << 13) == 0",
    "resource.prlimit(1, resource.RLIMIT_NOFILE, (9, 9))",
    "open('/proc/1/oom_score_adj', 'w').write('500')",
    "os.chdir('/tmp'); os.umask(0); resource.setrlimit(resource.RLIMIT_NOFILE, (9, 9))",
  ];
  const tries = changes.map((one) => `try:\n  ${one}\n  done.append(1)\nexcept Exception: done.append(0)`);
  const { output } = await f.run(
    python("import fcntl, resource", "done = []", ...tries, "os.write(2, str(done).encode())"),
  );
  assert.strictEqual(output, "[1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1]");
  assert.deepStrictEqual([await f.run(look), await isFresh(f)], [first, false]);
});

Deno.test("P1 S8 LinuxRunner.run() leaves a sandbox behind when what is protected changed", async () => {
  await using f = await fixture(DEFAULT_WAY);
  await Deno.mkdir(`${f.scope}/.vscode`);
  const { output } = await f.run({ argv: ["sh", "-c", "echo $$; echo > .vscode/x || echo denied"] });
  assert.ok(output.startsWith("2\n") && output.endsWith("denied\n"), output);
  assert.ok(!await isFresh(f));
});

Deno.test("X9 P1 LinuxRunner.run() leaves a sandbox behind whose command was cancelled, however early", async () => {
  await using f = await fixture(DEFAULT_WAY);
  for (const run of [{ argv: ["sleep", "60"] }, { shell: "exec sleep 60" }]) {
    const { end } = await f.run(run, { signal: AbortSignal.abort() });
    assert.deepStrictEqual(end, { kind: "signalled", signal: "SIGTERM" });
    assert.strictEqual(await isFresh(f), "argv" in run);
  }
});

Deno.test("P3 LinuxRunner.run() has another shell run a line whose shell was killed before it took it", async () => {
  await using f = await fixture({ ...DEFAULT_WAY, fork: false });
  const waiting = await until(() => shellsWaiting({ fork: false }), (shells) => shells.length >= 2);
  for (const pid of waiting) Deno.kill(pid, "SIGKILL");
  const results = await Promise.all([1, 2, 3].map((number) => f.run({ shell: `echo ${number}` })));
  assert.deepStrictEqual(results.map(({ output }) => output), ["1\n", "2\n", "3\n"]);
});

Deno.test("P3 P5 LinuxRunner.run() has other shells fork where those that waited were killed", async () => {
  await using f = await fixture(DEFAULT_WAY);
  const waiting = await until(() => shellsWaiting({ fork: true }), (shells) => shells.length >= 2);
  for (const pid of waiting) Deno.kill(pid, "SIGKILL");
  await until(
    () => shellsWaiting({ fork: true }),
    (shells) => shells.filter((pid) => !waiting.includes(pid)).length >= 2,
  );
  const results = await Promise.all([1, 2].map((number) => f.run({ shell: `echo ${number}; cat /proc/1/comm` })));
  assert.deepStrictEqual(results.map(({ output }) => output), ["1\nahma\n", "2\nahma\n"]);
});

/** A pool over the sandbox of a fixture, and the sandboxes it started. */
function poolOf(f: Fixture, limits: Partial<ServingLimits>) {
  const stack = new DisposableStack();
  const spawner = stack.adopt(
    new Spawner(f.sandbox.processor, f.sandbox.directories.root),
    (one) => one.close(),
  );
  const shell = { path: "/bin/bash", name: "bash", canWait: true };
  const images = stack.use(new LaunchImages({ sandbox: f.sandbox, shell, spawner, onStale: () => {} }));
  const { policy } = f.sandbox;
  assert.ok(policy !== undefined);
  const started: ServingSandbox[] = [];
  const pool = new ServingPool((kind, onFree) => {
    const image = kind === "shell" ? images.servingShell(policy) : images.servingLauncher(policy);
    const process = spawner.start(image, "piped", "null");
    const sandbox = new ServingSandbox({ process, steps: image.steps, kind, leftRunning: () => undefined, onFree });
    started.push(sandbox);
    return sandbox;
  }, { ...SERVING_LIMITS, forks: false, logger: SILENT, ...limits });
  return { pool, started, [Symbol.asyncDispose]: () => pool.close().then(() => stack.dispose()) };
}

Deno.test("P1 N5 ServingPool gives free sandboxes again, and ends those that are idle, and nothing takes their place", async () => {
  await using f = await fixture(DEFAULT_WAY);
  await using p = poolOf(f, { idleMs: 20 });
  const [first, second] = [p.pool.acquire("line"), p.pool.acquire("program")];
  assert.deepStrictEqual([first.kind, second.kind, p.pool.size], ["shell", "launcher", 2]);
  for (const sandbox of [first, second]) p.pool.release(sandbox);
  assert.deepStrictEqual([p.pool.acquire("program"), p.pool.acquire("line")], [second, first]);
  for (const sandbox of [first, second]) p.pool.release(sandbox);
  await Promise.all([first.gone, second.gone]);
  assert.deepStrictEqual([p.pool.size, p.started.length], [0, 2]);
});

Deno.test("P1 ServingPool gives no sandbox again that is old", async () => {
  await using f = await fixture(DEFAULT_WAY);
  await using p = poolOf(f, { lifeMs: 0 });
  const first = p.pool.acquire("program");
  p.pool.release(first);
  await first.gone;
  assert.notStrictEqual(p.pool.acquire("program"), first);
});

/**
 * Shells that wait: launchers lead into the namespaces, whose first process becomes a shell that forks, or starts one that
 * waits for its line.
 */
function shellsWaiting({ fork }: Pick<Way, "fork">): readonly number[] {
  const look = fork ? 'below $one "ahma *"' : 'for first in $(below $one "*"); do below $first "* *ahma_line*"; done';
  const script = `${BELOW}for one; do ${look}; done`;
  const { stdout } = new Deno.Command("bash", { args: ["-c", script, "bash", ...ownChildren().map(String)] })
    .outputSync();
  return new TextDecoder().decode(stdout).split("\n").map(Number).filter((pid) => pid !== 0);
}
