/** docs/toolbox.md by its word: what it shows of native tools is what `call` prints; and what all of them cost (K1, K3, K4, K6, K10). */
import assert from "node:assert/strict";
import type { Client } from "@modelcontextprotocol/client";
import { callShape, wordsToArguments } from "../src/cli/commands/call/parse_tool_words.ts";
import { connectClient } from "./_support/clients/sdk_client.ts";
import { ServerProcess } from "./_support/server_process.ts";
import { runProgram } from "./_support/terminal.ts";
import { Workbench } from "./_support/workbench.ts";

const PAGE = await Deno.readTextFile(new URL("../docs/toolbox.md", import.meta.url));

/** A line after `$ ahma_mcp call`, and what the page shows below it. */
interface Shown {
  readonly line: string;
  readonly printed: string;
}

function shownCalls(): readonly Shown[] {
  const blocks = Array.from(PAGE.matchAll(/^```console\n([^]*?)^```$/gm), ([, block = ""]) => block);
  return blocks.flatMap((block) =>
    block.split(/^\$ ahma_mcp call /m).slice(1).map((call) => {
      const [line = "", ...printed] = call.trimEnd().split("\n");
      return { line, printed: printed.join("\n") };
    })
  );
}

/** The words of a shell line; `$'...'` has line ends. */
function words(line: string): readonly string[] {
  return Array.from(
    line.matchAll(/\$?'([^']*)'|"([^"]*)"|\S+/g),
    ([word, single, double]) => (single ?? double ?? word).replaceAll("\\n", "\n"),
  );
}

function comparable(text: string): string {
  return text.trimEnd().replaceAll(/\brev \w{12}/g, "rev …");
}

/** The answer to a line, read as `call` reads it. */
async function answer(client: Client, line: string): Promise<string> {
  const [name = "", ...rest] = words(line);
  const { tools } = await client.listTools();
  const tool = tools.find((one) => one.name === name) ?? assert.fail(`There is no tool ${name}`);
  const read = wordsToArguments(callShape(tool, undefined), rest);
  assert.ok(read.ok, line);
  const { content } = await client.callTool({ name, arguments: { ...read.value.args } });
  return (content as readonly { readonly text: string }[])[0]?.text ?? "";
}

Deno.test("K1 K3 K4 K6 K10 docs/toolbox.md shows what its calls print, and call takes the required texts of a tool as words; all native tools cost at most 9,000 tokens", async () => {
  using bench = new Workbench();
  bench.write("notes.txt", "first\nsecond\n");
  bench.write("code/a.zig", "const second = 2;\n");
  bench.write("bird.py", await Deno.readTextFile(new URL("fixtures/outline/bird.py", import.meta.url)));
  const calls = shownCalls();
  const tools = new Set(calls.map(({ line }) => line.split(" ")[0] ?? ""));
  for (const group of ["files_edit", "outline_generate", "search_query", "issue_list", "memo_search"]) {
    assert.ok(tools.has(group), group);
  }
  // Each call is a program and a worker: one shows what they print, and one server answers the lines.
  const flags = ["--bundles", "toolbox", "--inline-wait", "60000"];
  await using server = await ServerProcess.start(bench, { era: "none", flags });
  const client = await connectClient(server, "2025-11-25");
  for (const { line, printed } of calls) assert.equal(comparable(await answer(client, line)), printed, line);
  await asksInWords(client);
  await costsLittle(client);
  const found = calls.find(({ line }) => line.startsWith("files_read ")) ?? assert.fail();
  const { stdout } = await runProgram(bench, ["call", ...words(found.line), "--quiet"]);
  assert.equal(comparable(stdout), found.printed);
  const help = await runProgram(bench, ["call", "files_glob", "--help"]);
  assert.match(help.stdout, /ahma_mcp call files_glob \[options\] pattern/);
});

/** A client without forms is told to ask in words. */
async function asksInWords(client: Client): Promise<void> {
  assert.match(
    await answer(client, "question_ask --question Which?"),
    /shows no forms, .* Ask in your reply, and wait: Which\?$/,
  );
  assert.equal(await answer(client, "question_summary"), "The user was asked nothing in this project.");
}

async function costsLittle(client: Client): Promise<void> {
  const { tools } = await client.listTools();
  assert.deepEqual(tools.filter(({ description = "" }) => description.length >= 400).map(({ name }) => name), []);
  const size = JSON.stringify(tools).length;
  assert.ok(size / 4 <= 9_000, `${size / 4} tokens for ${tools.length} tools`);
}
