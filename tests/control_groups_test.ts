/**
 * Limits of whole process trees (S38): in control groups, where the tests may make some, and what holds where they may
 * not. The names of the tests say which it was.
 */
import assert from "node:assert/strict";
import { DelegatedGroup, GROUPS_TOP, serverGroups } from "./_support/kernel/control_groups.ts";
import { until } from "./_support/deadline.ts";
import { processesWith } from "./_support/processes.ts";
import { ServerProcess } from "./_support/server_process.ts";
import { runProgram } from "./_support/terminal.ts";
import { ORDINARY_ID, type User, usersAtHand, Workbench } from "./_support/workbench.ts";

const HAS_GROUPS = GROUPS_TOP !== "";
/** Why limits of whole trees are not tried; empty: they are. */
const UNTRIED = HAS_GROUPS ? "" : " (not tried: the tests may make no control groups with memory here)";
const LIMITED = ["--limit-memory-total", "256M", "--limit-tasks", "60"];

/** Twenty processes with 32 MiB each: none has much, and together they have more than the limit. */
const HOGS = `import os, signal
for _ in range(20):
  if os.fork() == 0:
    block = bytearray(b"x") * (32 << 20)
    signal.pause()
signal.pause()`;

/** As many processes as are let. */
const FORKS = `import os, signal
count = 0
for _ in range(1000):
  try: pid = os.fork()
  except OSError: break
  if pid == 0: signal.pause()
  count += 1
print("forks", count, flush=True)
os._exit(3)`;

/** A bench whose servers may make groups; `directory` is where they make them. */
function groupBench(user: User, stack: DisposableStack): { readonly bench: Workbench; readonly directory: string } {
  const bench = stack.use(new Workbench(user));
  return {
    bench,
    directory: user === "root" ? GROUPS_TOP : stack.use(new DelegatedGroup(bench, ORDINARY_ID)).directory,
  };
}

for (const user of usersAtHand()) {
  Deno.test({
    name:
      `S38 processes that together have more than --limit-memory-total end as one, and others live on, as ${user}${UNTRIED}`,
    ignore: !HAS_GROUPS,
    async fn() {
      using stack = new DisposableStack();
      const { bench, directory } = groupBench(user, stack);
      await using server = await ServerProcess.start(bench, { flags: LIMITED });
      await server.start("echo up > neighbour; exec sleep 600");
      await bench.appears("neighbour");
      bench.write("hogs.py", HOGS);
      const { text, operation } = await server.shell("/usr/bin/python3 hogs.py", { timeout_seconds: 60 });
      assert.match(text, /signal SIGKILL, killed: 25\d\.\d of 256\.0 MiB/);
      assert.ok(operation?.out_of_memory);
      const { memory_peak_bytes: peak, processor_ms } = operation;
      assert.ok(Number(peak) > 250 * 1024 ** 2 && Number(peak) <= 257 * 1024 ** 2, `a peak of ${peak}`);
      assert.ok(Number(processor_ms) > 0);
      const left = (await processesWith(bench.marker)).filter(({ command }) => command.includes("hogs.py"));
      assert.deepStrictEqual(left, []);
      const { text: status } = await server.call("status");
      assert.match(status, /sleep 600/, "the neighbour runs");
      const small = await server.shell("/usr/bin/python3 -c 'print(len(bytearray(100 << 20)))'");
      assert.match(small.text, /^104857600$/m, "the control: 100 MiB are allowed");
      assert.equal(serverGroups(directory).length, 1);
    },
  });

  Deno.test({
    name:
      `S38 a command has exactly as many processes as --limit-tasks says, and its result says so, as ${user}${UNTRIED}`,
    ignore: !HAS_GROUPS,
    async fn() {
      using stack = new DisposableStack();
      const { bench } = groupBench(user, stack);
      await using server = await ServerProcess.start(bench, { flags: LIMITED });
      bench.write("forks.py", FORKS);
      const { text } = await server.shell("exec /usr/bin/python3 forks.py", { timeout_seconds: 60 });
      const count = Number(/^forks (\d+)$/m.exec(text)?.[1]);
      assert.ok(count >= 56 && count <= 60, text);
      if (user === "root") assert.match(text, /processes refused beyond 60/); // else the other limit was first
    },
  });

  Deno.test({
    name: `S38 groups go with their server, and those of a killed one with the next start, as ${user}${UNTRIED}`,
    ignore: !HAS_GROUPS,
    async fn() {
      using stack = new DisposableStack();
      const { bench, directory } = groupBench(user, stack);
      const others = new Set(serverGroups(directory));
      const own = () => serverGroups(directory).filter((name) => !others.has(name));
      {
        await using server = await ServerProcess.start(bench);
        await server.shell("echo runs");
        assert.equal(own().length, 1);
      }
      assert.deepStrictEqual(own(), []);
      {
        await using server = await ServerProcess.start(bench);
        await server.shell("echo runs");
        await server.kill("SIGKILL");
      }
      assert.equal(own().length, 1, "it could not be removed");
      await until(async () => (await processesWith(bench.marker)).length === 0, 20_000, "the end of its processes");
      await using server = await ServerProcess.start(bench);
      await server.shell("echo runs");
      assert.equal(own().length, 1, "its own alone");
    },
  });
}

const WITHOUT = HAS_GROUPS ? " (not tried: this machine lets root make control groups)" : "";

Deno.test({
  name: `S38 without control groups nothing starts with --limit-memory-total, and --limit-tasks holds${WITHOUT}`,
  ignore: HAS_GROUPS,
  async fn() {
    using bench = new Workbench();
    const refused = await runProgram(bench, ["--limit-memory-total", "256M"]);
    assert.equal(refused.code, 1);
    assert.match(
      refused.stderr,
      /Cannot enforce --limit-memory-total 268435456: .*systemd-run --user --scope .* or use --limit-memory, /,
    );
    await using server = await ServerProcess.start(bench, { flags: ["--limit-tasks", "60"] });
    bench.write("forks.py", FORKS);
    const { text } = await server.shell("exec /usr/bin/python3 forks.py", { timeout_seconds: 60 });
    const count = Number(/^forks (\d+)$/m.exec(text)?.[1]);
    // Root's are counted by the numbers of the namespace, the first 300 of which are given out in addition.
    assert.ok(count >= 40 && count <= 360, text);
    const { stdout } = await runProgram(bench, ["doctor"]);
    assert.match(
      stdout,
      /control groups +none: .*; --limit-memory-total cannot be enforced, the PID namespace counts processes/,
    );
  },
});
