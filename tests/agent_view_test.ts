/**
 * What the model of a foreign client reads: the official SDK's client, whole texts, what varies named; and of an output
 * that is too long for a result, whether the call that the result names reads the rest.
 */
import assert from "node:assert/strict";
import type { Client } from "@modelcontextprotocol/client";
import { until } from "./_support/deadline.ts";
import { connectClient } from "./_support/clients/sdk_client.ts";
import { type Era, ServerProcess } from "./_support/server_process.ts";
import { sharing } from "./_support/sharing.ts";
import { Workbench } from "./_support/workbench.ts";

interface Seen {
  readonly texts: readonly string[];
  readonly isError: boolean;
  readonly id: string;
  readonly structured: unknown;
  /** Bytes of the whole line, its line break included. */
  readonly wire: number;
}

/** An agent's session: calls, and what its model reads. */
class Agent implements AsyncDisposable {
  readonly #server: ServerProcess;
  readonly client: Client;
  #last = 0;

  private constructor(server: ServerProcess, client: Client) {
    this.#server = server;
    this.client = client;
    server.listen((message) => this.#last = new TextEncoder().encode(JSON.stringify(message)).length + 1);
  }

  static async start(bench: Workbench, era: Era, flags: readonly string[] = []): Promise<Agent> {
    const server = await ServerProcess.start(bench, { era: "none", flags });
    return new Agent(server, await connectClient(server, era));
  }

  async call(name: string, args: Record<string, unknown> = {}): Promise<Seen> {
    const result = await this.client.callTool({ name, arguments: args });
    const texts = result.content.map((block) => block.type === "text" ? block.text : "");
    const id = /op_[0-9A-Z]+/.exec(texts[0] ?? "")?.[0] ?? "";
    return { texts, isError: result.isError === true, id, structured: result.structuredContent, wire: this.#last };
  }

  shell(command: string, args: Record<string, unknown> = {}): Promise<Seen> {
    return this.call("sandboxed_shell", { command, ...args });
  }

  /** Starts a line and gives its id. */
  async begin(command: string): Promise<string> {
    return (await this.shell(command, { execution_mode: "AsyncResultPush" })).id;
  }

  tools(): ReturnType<Client["listTools"]> {
    return this.client.listTools();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.client.close();
    await this.#server[Symbol.asyncDispose]();
  }
}

/** Ids and times named; the line that closes a success of a busy machine left out. */
function steady({ texts }: Seen): readonly string[] {
  return texts.map((text) =>
    text.replace(/\n?\[exit code 0, [\d.]+ s\]$/, (line) => line.startsWith("\n") ? "\n" : "")
      .replaceAll(/op_[0-9A-Z]+/g, "ID").replaceAll(/\b[\d.]+ m?s\b/g, "TIME")
  );
}

// The text of a result is the same in each era: each has one of the two servers.
const [QUICK, PATIENT] = ["2025-11-25", "2026-07-28"] as const;

const testQuick = sharing((bench) => Agent.start(bench, QUICK, ["--inline-wait", "4000"]));
// A result comes in the first answer, however long it takes.
const testPatient = sharing((bench) => Agent.start(bench, PATIENT, ["--inline-wait", "60000"]));

testQuick(
  `X1 X4 an agent reads the result in the first answer, or one short line with the id, in ${QUICK}`,
  async ({ server: agent }) => {
    await agent.shell("true");
    const echo = await agent.shell("echo hi");
    assert.deepStrictEqual([steady(echo), echo.isError, echo.structured], [["hi\n"], false, undefined]);
    // Of "hi" and its line break; a success that took a second says so, for the price of a line.
    assert.ok(echo.wire - 3 <= 150 || echo.texts[0] !== "hi\n", `${echo.wire} bytes`);
    const slow = await agent.shell("echo half; sleep 300");
    assert.deepStrictEqual(steady(slow), [
      "ID still runs after TIME. `await` returns its result. Output so far:\nhalf\n",
    ]);
    await agent.call("cancel", { operation_id: slow.id });
    const started = await agent.shell("sleep 300", { execution_mode: "AsyncResultPush" });
    assert.deepStrictEqual(steady(started), ["ID started. `await` returns its result."]);
    assert.ok((started.texts[0] ?? "").length <= 120);
    const waited = await agent.call("await", { operation_id: started.id, timeout_seconds: 0 });
    assert.deepStrictEqual(steady(waited), ["ID still runs after TIME. Another `await` waits on."]);
    const cancelled = await agent.call("cancel", { operation_id: started.id });
    assert.deepStrictEqual([steady(cancelled), cancelled.structured], [
      ["ID is cancelled, its processes are gone. [no output, cancelled, signal SIGTERM, TIME: Cancelled by the client]"],
      undefined,
    ]);
    const { tools } = await agent.tools();
    assert.deepStrictEqual(tools.filter(({ outputSchema }) => outputSchema !== undefined), []);
  },
);

testPatient(
  `X4 an agent reads exit codes as results, a call that ran nothing as an error, and both ends of a long output, in ${PATIENT}`,
  async ({ server: agent }) => {
    const failed = await agent.shell("echo broken; exit 3");
    assert.deepStrictEqual([steady(failed), failed.isError], [["broken\n[exit code 3, TIME]"], false]);
    const outside = await agent.shell("pwd", { working_directory: "/" });
    assert.deepStrictEqual([outside.isError, /outside the scope/.test(outside.texts[0] ?? "")], [true, true]);
    const late = await agent.shell("echo begun; sleep 300", { timeout_seconds: 4 });
    assert.deepStrictEqual([steady(late), late.isError], [
      ["begun\n[timed_out, signal SIGTERM, TIME: Ended after its time limit of TIME]"],
      true,
    ]);
    const long = await agent.shell("seq 1 3000; exit 1");
    const [, first = "", last = ""] = /"lines":"(\d+)-(\d+)"/.exec(long.texts[0] ?? "") ?? [];
    const seq = (from: number, to: number) =>
      Array.from({ length: to - from + 1 }, (_, index) => `${from + index}\n`).join("");
    const left = seq(Number(first), Number(last));
    const call = `status {"operation_id":"ID","lines":"${first}-${last}"}`;
    assert.deepStrictEqual(steady(long), [
      `[ID failed, exit code 1, TIME]\n${seq(1, Number(first) - 1)}... ${left.split("\n").length - 1} lines ` +
      `(${left.length} bytes) left out; ${call} reads them ...\n${seq(Number(last) + 1, 3000)}`,
    ]);
    const rest = await agent.call("status", { operation_id: long.id, lines: `${first}-${last}` });
    const [, reached = "", next = ""] = /lines \d+ to (\d+) of 3000; go on with "lines": "(.*)"/.exec(
      rest.texts[0] ?? "",
    ) ?? [];
    assert.strictEqual(next, `${Number(reached) + 1}-${last}`);
    assert.deepStrictEqual(steady(rest), [
      `[ID failed, lines ${first} to ${reached} of 3000; go on with "lines": "${next}"]\n${
        seq(Number(first), Number(reached))
      }`,
    ]);
    const tail = await agent.call("status", { operation_id: long.id, lines: "-20" });
    assert.deepStrictEqual(steady(tail), [`[ID failed, lines 2981 to 3000 of 3000]\n${seq(2981, 3000)}`]);
  },
);

testPatient(
  `X4 B3 an agent reads a line of 25,000 characters in parts, and is told of each cut, in ${PATIENT}`,
  async ({ bench, server: agent }) => {
    const line = Array.from({ length: 5000 }, (_, index) => String(index).padStart(5, "0")).join("");
    bench.write("line", `${line}\n`);
    const cut = await agent.shell("cat line");
    const [, offset = ""] = /"offset":(\d+)/.exec(cut.texts[0] ?? "") ?? [];
    assert.match(
      cut.texts[0] ?? "",
      /\n\.\.\. \d+ bytes left out of line 1; status \{"operation_id":"op_\w+","offset":\d+\} /,
    );
    let whole = line.slice(0, Number(offset));
    for (let next: string | undefined = offset; next !== undefined;) {
      const [part = ""]: readonly string[] =
        (await agent.call("status", { operation_id: cut.id, offset: Number(next) })).texts;
      const [heading = ""]: readonly string[] = part.split("\n", 1);
      whole += part.slice(heading.length + 1);
      next = /go on with "offset": (\d+)/.exec(heading)?.[1];
    }
    assert.strictEqual(whole, `${line}\n`);
  },
);

testPatient(
  `X5c X18 an agent reads news on separate lines, and awaits the rest of a shortened result, in ${PATIENT}`,
  async ({ bench, server: agent }) => {
    // Neither ends before both have begun: the second answer would tell of the first.
    const held = "until [ -e go ]; do :; done";
    const short = await agent.begin(`${held}; seq 1 20; exit 2`);
    const long = await agent.begin(`${held}; seq 1 60`);
    bench.write("go", "");
    // `status` tells no news; both end in a moment.
    const ended = async () => /0 running, 0 queued, /.test((await agent.call("status")).texts[0] ?? "");
    await until(ended, 20_000, "the end of both");
    const lines = (from: number, to: number) =>
      Array.from({ length: to - from + 1 }, (_, index) => `\n  ${from + index}`).join("");
    const told = await agent.shell("true");
    const news = told.texts[1] ?? "";
    const facts = {
      [short]: `\n[ID failed, exit code 2, TIME] sandboxed_shell: ${held}; seq 1 20; exit 2${lines(1, 20)}`,
      [long]: `\n[ID completed, exit code 0, TIME] sandboxed_shell: ${held}; seq 1 60\n` +
        `  ... \`await\` {"operation_id":"ID"} returns all 60 lines${lines(56, 60)}`,
    };
    const order = [short, long].toSorted((one, other) => news.indexOf(one) - news.indexOf(other));
    assert.deepStrictEqual(steady(told), [
      "[no output]",
      `\nEnded since:${order.map((id) => facts[id]).join("")}`,
    ]);
    assert.deepStrictEqual(steady(await agent.shell("true")), ["[no output]"]);
    const all = Array.from({ length: 60 }, (_, index) => `${index + 1}`).join("\n");
    assert.deepStrictEqual(steady(await agent.call("await")), [
      `[ID completed, exit code 0, TIME] sandboxed_shell: ${held}; seq 1 60\n${all}`,
    ]);
    assert.deepStrictEqual(steady(await agent.call("await")), [
      "No operation is running, and every result has been read; `status` lists what ended.",
    ]);
  },
);

const LINES = 3000;
/** A log; each line tells its number. */
const LOG = `seq -f 'request %g was served' ${LINES}`;

async function textOf(client: Client, name: string, args: Record<string, unknown>): Promise<string> {
  const { content } = await client.callTool({ name, arguments: args });
  return content.map((block) => block.type === "text" ? block.text : "").join("\n");
}

async function shell(client: Client, command: string, mode = "Synchronous"): Promise<string> {
  return await textOf(client, "sandboxed_shell", { command, execution_mode: mode });
}

/** Numbers of the log's lines in a text, without the indentation of news. */
function numbers(text: string): readonly number[] {
  return Array.from(text.matchAll(/^ *request (\d+) was served$/gm), ([, number]) => Number(number));
}

function range(first: number, last: number): readonly number[] {
  return Array.from({ length: last - first + 1 }, (_, at) => first + at);
}

/** Every part of what a result leaves out, read as its line in the middle and the parts themselves say. */
async function readRest(client: Client, result: string): Promise<readonly string[]> {
  const [, name = "", named = ""] = /left out(?: of lines? [\d to]+)?; (\S+) (\{.*?\}) reads them/.exec(result) ?? [];
  const parts: string[] = [];
  let args: Record<string, unknown> | undefined = JSON.parse(named);
  while (args !== undefined) {
    const text = await textOf(client, name, args);
    const [heading = ""] = text.split("\n", 1);
    parts.push(text.slice(heading.length + 1));
    const [, key = "", value = ""]: RegExpExecArray | string[] = /go on with "(\w+)": (.*?)[\];]/.exec(heading) ?? [];
    args = key === "" ? undefined : { operation_id: args["operation_id"], [key]: JSON.parse(value) };
  }
  return parts;
}

testPatient(
  "X4 a long output of short lines shows 60 lines of each end, in every way, and the call that reads the rest",
  async ({ server: { client } }) => {
    const whole = range(1, LINES);
    const ends = [...range(1, 60), ...range(LINES - 59, LINES)];
    const direct = await shell(client, LOG);
    assert.deepStrictEqual(numbers(direct), ends);
    assert.ok(new TextEncoder().encode(direct).length < 4000, direct);
    assert.match(
      direct,
      /^\.\.\. 2880 lines \(\d+ bytes\) left out; status \{"operation_id":"op_\w+","lines":"61-2940"\}/m,
    );
    const rest = (await readRest(client, direct)).flatMap(numbers);
    assert.deepStrictEqual([...range(1, 60), ...rest, ...range(LINES - 59, LINES)], whole);
    const id = /op_\w+/.exec(await shell(client, LOG, "AsyncResultPush"))?.[0];
    assert.deepStrictEqual(numbers(await textOf(client, "await", { operation_id: id })), ends);
    await shell(client, LOG, "AsyncResultPush");
    const listed = await textOf(client, "await", {});
    assert.deepStrictEqual(numbers(listed), ends);
    assert.deepStrictEqual((await readRest(client, listed)).flatMap(numbers).length, LINES - 120);
    // Of two, each has half.
    await shell(client, LOG, "AsyncResultPush");
    await shell(client, LOG, "AsyncResultPush");
    const half = [...range(1, 30), ...range(LINES - 29, LINES)];
    assert.deepStrictEqual(numbers(await textOf(client, "await", {})), [...half, ...half]);
    const status = await textOf(client, "status", { operation_id: id });
    assert.strictEqual(numbers(status).length, 19);
    assert.deepStrictEqual((await readRest(client, status)).flatMap(numbers).length, LINES - 19);
  },
);

testPatient(
  "X4 what fits into 250 lines and 10 KiB is shown whole, and long lines are bounded by their bytes",
  async ({ server: { client } }) => {
    assert.deepStrictEqual(numbers(await shell(client, "seq -f 'request %g was served' 248")), range(1, 248));
    assert.deepStrictEqual(numbers(await shell(client, "seq -f 'request %g was served' 251")).length, 120);
    const wide = await shell(client, `seq -f 'request %g ${"x".repeat(300)}' 200`);
    assert.ok(wide.length > 9_000 && new TextEncoder().encode(wide).length <= 10_240, `${wide.length}`);
    const shown = wide.match(/^request \d+/gm)?.length ?? 0;
    const rest = (await readRest(client, wide)).join("").match(/^request \d+/gm)?.length ?? 0;
    assert.strictEqual(shown + rest, 200);
    const line = await shell(client, `printf '%050000d' 0; exit 1`);
    assert.ok(new TextEncoder().encode(line).length <= 10_240, `${line.length}`);
    assert.match(line, /left out of line 1; status \{"operation_id":"op_\w+","offset":\d+\} reads them/);
    using other = new Workbench();
    await using larger = await Agent.start(other, PATIENT, ["--max-inline-output", "40960"]);
    assert.strictEqual(numbers(await shell(larger.client, LOG)).length, 480);
  },
);

/** Three of 300 tests fail, the first early. */
const TESTS = `import { test } from "node:test";
import assert from "node:assert";
for (let i = 0; i < 300; i++) {
  test("case " + i + " of the parser", () => assert.deepStrictEqual({ id: i }, { id: [17, 150, 271].includes(i) ? "wrong" + i : i }));
}
`;

testPatient(
  "X4 of a failed command the end is shown at length: a test run keeps the name and cause of each failure",
  async ({ bench, server: { client } }) => {
    bench.write("a.test.mjs", TESTS);
    const text = await shell(client, "node --test --test-reporter=spec");
    assert.match(text, /^\[op_\w+ failed, exit code 1, /);
    const [head = "", tail = ""] = text.split(/^\.\.\. .* left out; .*\n/m);
    assert.deepStrictEqual([head.split("\n").length - 2, tail.trimEnd().split("\n").length], [20, 100]);
    const told = [17, 150, 271].map((one) => [tail.includes(`case ${one} of`), tail.includes(`wrong${one}`)]);
    assert.deepStrictEqual(told, [[true, true], [true, true], [true, true]], tail);
    assert.match(tail, /fail 3/);
    const failed = await shell(client, `${LOG}; exit 3`);
    assert.deepStrictEqual(numbers(failed), [...range(1, 20), ...range(LINES - 99, LINES)]);
    assert.strictEqual((await readRest(client, failed)).flatMap(numbers).length, LINES - 120);
  },
);

testPatient(
  "X4 X5 the note about a long result that an agent did not wait for is short, and names the call that has it",
  async ({ server: { client } }) => {
    const id = /op_\w+/.exec(await shell(client, `${LOG}; exit 3`, "AsyncResultPush"))?.[0];
    let news = "";
    for (let call = 0; call < 200 && !news.includes("Ended since"); call++) news = await shell(client, "true");
    assert.deepStrictEqual(numbers(news), range(LINES - 4, LINES));
    assert.ok(news.includes(`\`await\` {"operation_id":"${id}"} returns both ends of its ${LINES} lines`), news);
    assert.strictEqual(numbers(await textOf(client, "await", { operation_id: id })).length, 120);
  },
);
