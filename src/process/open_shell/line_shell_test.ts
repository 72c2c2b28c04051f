import assert from "node:assert/strict";
import { fixture, until, WAYS } from "../_support/runner_fixture.ts";
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
    await until(running, (found) => found?.join() === names.join()); // what was killed takes a moment to go
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
