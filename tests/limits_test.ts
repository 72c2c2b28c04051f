/** Resource limits of commands (S10): what the flags set, what holds without them, and that each ends what exceeds it. */
import assert from "node:assert/strict";
import { ServerProcess } from "./_support/server_process.ts";
import { sharing } from "./_support/sharing.ts";
import { usersAtHand } from "./_support/workbench.ts";

const FLAGS = "--limit-file-size 1M --limit-open-files 100 --limit-memory 1G --limit-cpu 1 --limit-processes 100";

for (const user of usersAtHand()) {
  const testLimited = sharing((bench) => ServerProcess.start(bench, { flags: FLAGS.split(" ") }), user);

  const testOpen = sharing((bench) => ServerProcess.start(bench, { flags: ["--limit-processes", "none"] }), user);

  testLimited(
    `S10 a command has as many processes as the limit says, and each command on its own, as ${user}`,
    async ({ server }) => {
      const [first, second] = await Promise.all([forks(server, 1000), forks(server, 1000)]);
      // Root's are counted by the numbers of the namespace, the first 300 of which are given out in addition.
      for (const count of [first, second]) assert.ok(count >= 80 && count <= 400, `${count} processes`);
      assert.equal(await forks(server, 50), 50, "as many as are allowed");
    },
  );

  testOpen(`S10 without a limit of processes there are as many as a command starts, as ${user}`, async ({ server }) => {
    assert.equal(await forks(server, 500), 500, "more than the limit of the others");
  });

  testLimited(
    `S10 limits are what the flags say, none of core dumps, and no command raises them, as ${user}`,
    async ({ server }) => {
      assert.deepStrictEqual(await limits(server), [0, 1, 1024, 100, 1024 * 1024]);
    },
  );

  testOpen(`S10 limits without flags are those of the documentation, as ${user}`, async ({ server }) => {
    const files = Math.min(65_536, OPEN_FILES);
    assert.deepStrictEqual(await limits(server), [0, "unlimited", 16 * 1024 * 1024, files, "unlimited"]);
  });

  testOpen(`S10 commands go first when memory runs out, the server does not, as ${user}`, async ({ server }) => {
    assert.match((await server.shell("cat /proc/self/oom_score_adj")).text, /^1000$/m);
    const { stdout } = await new Deno.Command("cat", { args: [`/proc/${server.pid}/oom_score_adj`] }).output();
    const { stdout: own } = await new Deno.Command("cat", { args: ["/proc/self/oom_score_adj"] }).output();
    assert.deepStrictEqual(stdout, own, "the server has what it was started with");
  });

  // The kernel counts the time of each process, whatever user it has.
  if (user !== "ordinary") continue;
  testLimited("S10 --limit-cpu ends a loop without end", async ({ server }) => {
    const { text } = await server.shell("(while :; do :; done); echo $?", { timeout_seconds: 60 });
    assert.match(text, /^152$/m, "128 + SIGXCPU");
  });
}

/** The hard limit of the user who runs the tests, which no limit of ours exceeds. */
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
async function limits(server: ServerProcess): Promise<readonly (number | string)[]> {
  const { text } = await server.shell("for what in c t f n d; do echo limit $(ulimit -S$what) $(ulimit -H$what); done");
  return [...text.matchAll(/^limit \S+ (\S+)$/gm)].map(([, hard = ""], index) => {
    // The hard limit of processor time is one second more, so that the signal that says so comes first.
    const number = Number(hard) - (index === 1 ? 1 : 0);
    return Number.isNaN(number) ? hard : number;
  });
}
