import assert from "node:assert/strict";
import { DEFAULT_WAY, fixture, ownChildren, until, WAITING, WAYS } from "../_support/runner_fixture.ts";

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
  const script = "tree() { for p; do echo $p; tree $(pgrep -P $p); done; }; all=$(tree $@); kill -9 $@; " +
    "for p in $all; do while grep -qs '^State:.[^ZX]' /proc/$p/status; do :; done; done";
  return new Deno.Command("timeout", { args: ["120", "bash", "-c", script, "bash", ...pids.map(String)] }).outputSync();
}
