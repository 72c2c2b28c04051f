/** How many calls a model needs that reads nothing but the texts of the answers (X20, X22, X23). */
import assert from "node:assert/strict";
import type { Client } from "@modelcontextprotocol/client";
import { until } from "./_support/deadline.ts";
import { connectClient } from "./_support/clients/sdk_client.ts";
import { type Era, ERAS, ServerProcess } from "./_support/server_process.ts";
import { sharing } from "./_support/sharing.ts";
import { exists, type Workbench } from "./_support/workbench.ts";

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
