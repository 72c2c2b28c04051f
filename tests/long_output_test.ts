/** What an agent gets of an output that is too long for a result, and whether the call that the result names reads the rest. */
import assert from "node:assert/strict";
import type { Client } from "@modelcontextprotocol/client";
import { connectClient } from "./_support/clients/sdk_client.ts";
import { ServerProcess } from "./_support/server_process.ts";
import { sharing } from "./_support/sharing.ts";
import { Workbench } from "./_support/workbench.ts";

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

/** A client of a server of its own; both end together. */
async function started(bench: Workbench, flags: readonly string[] = []): Promise<{ client: Client } & AsyncDisposable> {
  const server = await ServerProcess.start(bench, { era: "none", flags });
  const client = await connectClient(server, "2025-11-25");
  return {
    client,
    async [Symbol.asyncDispose]() {
      await client.close();
      await server[Symbol.asyncDispose]();
    },
  };
}

const testShared = sharing((bench) => started(bench));

testShared(
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

testShared(
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
    await using larger = await started(other, ["--max-inline-output", "40960"]);
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

testShared(
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

testShared(
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
