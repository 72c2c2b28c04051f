/**
 * How many calls a model needs that reads nothing but the texts of the answers (X20, X22, X23); programs that people use
 * on a terminal, driven by an agent through `send`; and what a hostile project, tool file or command may draw on the
 * terminal of a person: colours, nothing else.
 */
import assert from "node:assert/strict";
import type { Client } from "@modelcontextprotocol/client";
import { connectClient } from "./_support/clients/sdk_client.ts";
import { until } from "./_support/deadline.ts";
import { type Era, ERAS, ServerProcess } from "./_support/server_process.ts";
import { sharing } from "./_support/sharing.ts";
import { runOnTerminal, runProgram } from "./_support/terminal.ts";
import { exists, Workbench } from "./_support/workbench.ts";
import { machineProblem, startMachine } from "./tools/other_machine.ts";

interface Connected extends AsyncDisposable {
  readonly client: Client;
}

/** No call waits for its end unless it says so: nothing depends on how fast the machine is. */
async function connect(bench: Workbench, era: Era): Promise<Connected> {
  const server = await ServerProcess.start(bench, { era: "none", flags: ["--inline-wait", "0"] });
  const client = await connectClient(server, era);
  const close = async () => {
    await client.close();
    await server[Symbol.asyncDispose]();
  };
  return { client, [Symbol.asyncDispose]: close };
}

/** A model with one habit: it makes the call that the last answer names, until no answer names one. */
class Model {
  readonly #client: Client;
  /** The tools that it called, in order. */
  readonly calls: string[] = [];

  constructor({ client }: Connected) {
    this.#client = client;
  }

  async call(name: string, args: Record<string, unknown>): Promise<string> {
    this.calls.push(name);
    const { content } = await this.#client.callTool({ name, arguments: args });
    return content.map((part) => part.type === "text" ? part.text : "").join("\n");
  }

  /** Runs a command to its end; `typed` are the lines for its questions, `wanted` goes to each call. */
  async finish(args: Record<string, unknown>, typed: readonly string[] = [], wanted: object = {}): Promise<string> {
    const lines = [...typed];
    let text = await this.call("sandboxed_shell", { ...args, ...wanted });
    const [id] = /^op_\w+/.exec(text) ?? [];
    while (text.startsWith("op_")) {
      const [, next] = /`(await|send)`/.exec(text) ?? [];
      // An answer to `send` names no tool: its model knows which one it called.
      const tool = next ?? this.calls.at(-1) ?? assert.fail(text);
      if (tool === "send" && lines.length === 0) assert.fail(`nothing is left to type: ${text}`);
      const line = tool === "send" ? { text: `${lines.shift()}\n`, timeout_seconds: 30, ...wanted } : {};
      text = await this.call(tool, { operation_id: id, ...line });
    }
    return text;
  }
}

const QUIZ = `for question in 'package name: (x) ' 'version: (1.0.0) ' 'license: ' 'Is this OK? (yes) '; do
  printf '%s' "$question"; read answer; all="$all$answer "
done; echo "$all"`;

for (const era of ERAS) {
  const test = sharing((bench) => connect(bench, era));

  test(`X20 ${era}: a development server is up and answers after one call`, async ({ server }) => {
    const model = new Model(server);
    const code = "const s = require('http').createServer((_, r) => r.end('page')); " +
      "s.listen(0, '127.0.0.1', () => console.log('Local: http://127.0.0.1:' + s.address().port + '/'))";
    const up = await model.call("sandboxed_shell", { command: `node -e "${code}"`, until: "Local:" });
    const [url] = /http:\S+/.exec(up) ?? assert.fail(up);
    assert.strictEqual(await (await fetch(url)).text(), "page");
    assert.deepStrictEqual(model.calls, ["sandboxed_shell"]);
  });

  test(`X22 X23 ${era}: a question costs one call, on a pipe and on a terminal`, async ({ server }) => {
    for (const kind of ["input", "tty"]) {
      const model = new Model(server);
      // Silence is not asked for: the kernel says when the program waits.
      const first = await model.finish({ command: QUIZ, [kind]: true, execution_mode: "Synchronous" }, [
        "a",
        "b",
        "c",
        "d",
      ]);
      assert.match(first, /a b c d \n\[exit code 0, /);
      assert.deepStrictEqual(model.calls, ["sandboxed_shell", "send", "send", "send", "send"]);
    }
  });

  test(`X20 ${era}: the one interesting line of a long build costs one call, and without until another`, async ({ bench, server }) => {
    const model = new Model(server);
    bench.write("go", "");
    const command =
      "seq 500; touch building; while [ -e go ]; do :; done; echo warning: unused x; seq 500; tail -f /dev/null";
    const building = model.call("sandboxed_shell", { command, until: "warning" });
    await until(() => exists(`${bench.scope}/building`), 30_000, "the build");
    await Deno.remove(`${bench.scope}/go`);
    const text = await building;
    assert.match(text, /\n> warning: unused x/);
    assert.ok(text.length < 400, text);
    assert.deepStrictEqual(model.calls, ["sandboxed_shell"]);
    await model.finish({ command: "echo plain" });
    assert.deepStrictEqual(model.calls, ["sandboxed_shell", "sandboxed_shell", "await"]);
  });

  // The era has no part in how npm waits, or in how that is noticed: the questions above are asked in both.
  if (era === "2025-11-25") continue;
  test(`X22 ${era}: npm init, which hides that it waits, costs one call a question`, async ({ bench, server }) => {
    const model = new Model(server);
    const answers = ["fish", ...Array<string>(9).fill(""), "yes"];
    const wanted = { until: "/^(\\S.*: (\\(.*\\) )?|Is this OK\\? \\(yes\\) )$/" };
    const end = await model.finish({ command: "npm init", input: true }, answers, wanted);
    assert.match(end, /exit code 0, /);
    assert.match(await Deno.readTextFile(`${bench.scope}/package.json`), /"name": "fish"/);
    assert.deepStrictEqual(model.calls, ["sandboxed_shell", ...answers.map(() => "send")]);
  });
}

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

/** Fills the clipboard, clears the screen, turns the text around. */
const EVIL = "\x1b]52;c;ZXZpbA==\x07\x1b[2J\x9b2J\u202e";
const WRITTEN_OUT = String.raw`\u001b]52;c;ZXZpbA==\u0007\u001b[2J\u009b2J\u202e`;

/** What may not reach a terminal: all controls but tab, line feed, carriage return and colours, and turned text. */
// deno-lint-ignore no-control-regex -- they are what is looked for
const HARMFUL = /[\x00-\x08\x0b\x0c\x0e-\x1a\x1c-\x1f\x7f-\x9f\u202e]|\x1b(?!\[[\d;:]*m)/;

function hostileProject(): Workbench {
  const bench = new Workbench();
  const tool = (name: string, more: Record<string, unknown>) =>
    bench.write(
      `.ahma/tools/${name}.json`,
      JSON.stringify({ name, command: "true", description: "A tool.", ...more }),
    );
  tool("key", { [`a${EVIL}b`]: 1 });
  tool("program", { command: `missing${EVIL}`, availability_check: { command: `no-${EVIL}` } });
  bench.write(".ahma/tools/syntax.json", `{ "name": \u202e }`);
  bench.write(".ahma/settings.json", JSON.stringify({ [`key${EVIL}`]: true }));
  return bench;
}

Deno.test("S22 a terminal shows what a hostile project wrote as text", async () => {
  using bench = hostileProject();
  for (const words of [["validate"], ["doctor"], ["list-tools"], ["call", "sandboxed_shell", "true"]]) {
    const { stdout } = await runOnTerminal(bench, words);
    assert.doesNotMatch(stdout, HARMFUL, words.join(" "));
    assert.ok(stdout.includes(WRITTEN_OUT), `${words.join(" ")}: ${JSON.stringify(stdout)}`);
  }
});

Deno.test("S22 the output of a command keeps its colours on a terminal and every byte in a pipe", async () => {
  using bench = new Workbench();
  const drawn = `\x1b[1;31mred\x1b[0m ${EVIL}a\x1b]0;title\x1b\\b\x1b[3Ac\x1b(0d\x1b[38:5:9me\n`;
  bench.write("drawn", drawn);
  const piped = await runProgram(bench, ["sandboxed_shell", "--quiet", "cat drawn"]);
  assert.deepStrictEqual(piped, { code: 0, stdout: drawn, stderr: "" });
  const onTerminal = await runOnTerminal(bench, ["sandboxed_shell", "--quiet", "cat drawn"]);
  assert.deepStrictEqual(onTerminal.stdout, "\x1b[1;31mred\x1b[0m abcd\x1b[38:5:9me\r\n\x1b[0m");
});
