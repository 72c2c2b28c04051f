/** Programs that people use on a terminal, driven by an agent through `send` (X22, X23). */
import assert from "node:assert/strict";
import { ServerProcess } from "./_support/server_process.ts";
import { sharing } from "./_support/sharing.ts";
import { Workbench } from "./_support/workbench.ts";
import { machineProblem, startMachine } from "./tools/other_machine.ts";

const problem = machineProblem();

/** Starts a command on a terminal; gives its first answer, and what sends to it. */
async function onTerminal(server: ServerProcess, command: string) {
  const { text } = await server.call("sandboxed_shell", { command, tty: true });
  const id = /^op_\w+/.exec(text)?.[0] ?? assert.fail(text);
  const send = async (args: object) => (await server.call("send", { id, ...args })).text;
  return { text, send };
}

const testShared = sharing((bench) => ServerProcess.start(bench));

testShared("X22 the console of a database answers one line a call", async ({ server }) => {
  const { text, send } = await onTerminal(server, "sqlite3 things.db");
  assert.match(text, /waits for input: "sqlite>"/);
  assert.match(
    await send({ text: "create table t(a); insert into t values (41); select a + 1 from t;\n" }),
    /"sqlite>"\. [^]*\n42\n$/,
  );
  assert.match(await send({ text: ".quit\n" }), /\[exit code 0/);
});

testShared("X22 each answer of a program that redraws itself is its screen", async ({ server }) => {
  const { text, send } = await onTerminal(server, "top -d 1");
  assert.match(text, /Its screen, the cursor in line \d+, column \d+:\ntop - .*\n(.*\n)+ +PID /);
  assert.match(await send({ until: "never", timeout_seconds: 1.5 }), /Its screen, .*:\ntop - /);
  assert.match(await send({ text: "q" }), /\[exit code 0/);
});

Deno.test({
  name: `X22 ssh's question about the key of a host is answered${problem === undefined ? "" : `: not run, ${problem}`}`,
  ignore: problem !== undefined,
  async fn() {
    using bench = new Workbench();
    const directory = await Deno.makeTempDir({ prefix: "ahma-machine-" });
    await using machine = await startMachine(directory);
    const prefix = await machine.admit(bench);
    const flags = ["--allow-read-sensitive", `${bench.home}/.ssh`];
    await using server = await ServerProcess.start(bench, { prefix, flags });
    const ssh = "ssh -o UserKnownHostsFile=$PWD/known -o StrictHostKeyChecking=ask other 'echo there'";
    const { text, send } = await onTerminal(server, ssh);
    assert.match(
      text,
      /waits for input: "Are you sure you want to continue connecting \(yes\/no\/\[fingerprint\]\)\?"/,
    );
    assert.match(await send({ text: "yes\n", until: "there", timeout_seconds: 20 }), /\nthere\n/);
    assert.match(await Deno.readTextFile(`${bench.scope}/known`), /^\S+ ssh-ed25519 /);
    await Deno.remove(directory, { recursive: true });
  },
});

testShared(
  "X22 S22 escape sequences with huge counts, and strings without an end, delay no other call",
  async ({ server }) => {
    const counts = ["L", "M", "S", "T", "I", "Z", "b"].map((final) => `a\\033[2147483647${final}`).join("");
    const endless = "head -c 3000000 /dev/zero | tr '\\0' t";
    const command = `printf '${counts}'; printf '\\033]2;'; ${endless}; printf '\\a\\033[2J\\033[Hdone'; read a`;
    const hostile = await server.call("sandboxed_shell", { command, tty: true });
    assert.match((await server.shell("echo other")).text, /^other\n?$/);
    assert.match(hostile.text, /Its screen, the cursor in line 1, column 5:\ndone$/);
    await server.call("cancel", { id: /op_\w+/.exec(hostile.text)?.[0] });
  },
);
