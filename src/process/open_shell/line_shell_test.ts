import assert from "node:assert/strict";
import { DEFAULT_WAY, fixture, until, WAYS } from "../_support/runner_fixture.ts";
import type { OpenShell } from "../command_runner.ts";

/** Runs a line; `last`: the text after which it is interrupted. */
async function say(shell: OpenShell, line: string, last?: string) {
  const abort = new AbortController();
  let output = "";
  const end = await shell.run({ line, directory: undefined, environment: {} }, {
    signal: abort.signal,
    onOutput: (chunk) => {
      output += new TextDecoder().decode(chunk);
      if (last !== undefined && output.includes(last)) abort.abort();
    },
  });
  return { end, output };
}

for (const way of WAYS.filter(({ pool }) => pool)) {
  Deno.test(`B5 X10 LineShell keeps its state and what runs in the background when a line is interrupted, ${way.name}`, async () => {
    await using f = await fixture(way);
    const shell = await f.runner.openShell(f.scope);
    await say(shell, "x=kept; sleep 300 & (sleep 301 &)");
    const names = ["sleep 300", "sleep 301"];
    const running = () => shell.background()?.commands.toSorted();
    await until(running, (found) => found?.join() === names.join());
    const interrupted = await say(shell, "(echo begun; sleep 302; echo no) | cat; echo not reached", "begun");
    assert.deepStrictEqual(running(), names);
    assert.deepStrictEqual([interrupted, await say(shell, "echo $x"), await shell.isCurrent()], [
      { end: { kind: "exited", code: 130 }, output: "begun\n" },
      { end: { kind: "exited", code: 0 }, output: "kept\n" },
      true,
    ]);
    await shell.close();
    assert.deepStrictEqual([shell.background(), await shell.isCurrent(), (await say(shell, "echo")).end], [
      undefined,
      false,
      shell.end,
    ]);
    await f.runner.settled();
  });
}

for (const way of WAYS.filter(({ pool, reuse, fork }) => pool && reuse && fork)) {
  Deno.test(`X9 LineShell ends an interrupted line when what it left is gone, not when it was killed, ${way.name}`, async () => {
    await using f = await fixture(way);
    const shell = await f.runner.openShell(f.scope);
    // Memory takes a while to be freed, and files are closed only after that, with their locks.
    const program = "import time; x = b'a' * 150_000_000; print('begun', flush=True); time.sleep(303)";
    const large = `exec 9>lock; flock 9; exec python3 -c "${program}"`;
    const { end } = await say(shell, `daemon() { ${large}; }; (trap '' INT TERM; daemon &); sleep 304`, "begun");
    assert.deepStrictEqual([end, await say(shell, "flock --nonblock lock echo free")], [
      { kind: "exited", code: 130 },
      { end: { kind: "exited", code: 0 }, output: "free\n" },
    ]);
    await shell.close();
    await f.runner.settled();
  });
}

Deno.test("B5 LineShell keeps its shell, however often a line is interrupted at the moment of its end", async () => {
  await using f = await fixture(DEFAULT_WAY);
  const shell = await f.runner.openShell(f.scope);
  await say(shell, "x=kept");
  for (let times = 0; times < 150 && shell.end === undefined; times++) await say(shell, "/bin/echo last", "last");
  assert.deepStrictEqual(await say(shell, "echo $x"), { end: { kind: "exited", code: 0 }, output: "kept\n" });
  await shell.close();
  await f.runner.settled();
});
