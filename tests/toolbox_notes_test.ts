/**
 * Memos, tasks, questions, and notes of other programs (K6). docs/toolbox.md by its word: what it shows of native tools
 * is what `call` prints; and what all of them cost (K1, K3, K4, K6, K10).
 */
import assert from "node:assert/strict";
import type { Client } from "@modelcontextprotocol/client";
import { callShape, wordsToArguments } from "../src/cli/commands/call/parse_tool_words.ts";
import { connectClient } from "./_support/clients/sdk_client.ts";
import { programStart } from "./_support/program.ts";
import { type Era, ServerProcess } from "./_support/server_process.ts";
import { type Asked, FLAGS, git, names, openSide, type Side, textOf } from "./_support/servers/notes.ts";
import { runProgram } from "./_support/terminal.ts";
import { Workbench } from "./_support/workbench.ts";

function writeMemos(bench: Workbench): void {
  const now = Date.now() / 1000;
  for (let index = 0; index < 60; index++) {
    const path = bench.write(
      `docs/memos/m${index}.md`,
      `---\ntitle: Memo ${index}\n---\n\n${`w${index} `.repeat(4_000).slice(0, 10_000)}\n`,
    );
    Deno.utimeSync(path, now - 1_000 + index, now - 1_000 + index);
  }
}

async function keepsMemos(side: Side): Promise<void> {
  const all = await side.say("memo_get_all_context");
  assert.ok(all.length <= 40_000, String(all.length));
  assert.deepEqual(all.match(/^# Memo \d+$/gm), ["# Memo 59", "# Memo 58", "# Memo 57"]);
  assert.match(
    all,
    /\n57 memos did not fit; memo_get reads one:\n- Memo 56 \(\d+ characters\)\n(?:- Memo \d+ \(\d+ characters\)\n)+- Memo 0 /,
  );
  assert.match(
    await side.say("memo_get_all_context", { max_chars: 1_000 }),
    /^60 memos did not fit;.*\n(?:- .*\n)+\[\d+ more\]$/,
  );
  for (const title of ["a_b", "a b", "A b"]) {
    await side.say("memo_create", { title, content: `of ${title}`, tags: ["t"] });
  }
  for (const title of ["a_b", "a b", "A b"]) {
    assert.match(
      await side.say("memo_get", { title }),
      new RegExp(`^${title}\ndocs/memos/\\S+, rev \\w{12}, tags t\n\nof ${title}$`),
    );
  }
  assert.match(
    await side.refuse("memo_create", { title: "a b", content: "2", if_exists: "error" }),
    /it already exists/,
  );
  await side.say("memo_create", { title: "a b", content: "more", if_exists: "append" });
  assert.match(await side.say("memo_get", { title: "a b" }), /\n\nof a b\n\nmore$/);
  const replaced = await side.client.callTool({ name: "memo_create", arguments: { title: "a b", content: "new" } });
  assert.match(String(replaced._meta?.["ahma/replaced_rev"]), /^\w{12}$/);
  assert.match(
    await side.say("memo_update", { title: "a_b", content: "x", append: true, new_title: "c" }),
    /^Changed/,
  );
  assert.match(await side.say("memo_search", { query: "OF A_B" }), /^c {2}\[t\] {2}of a_b x$/);
  await side.say("memo_delete", { title: "c" });
  assert.match(await side.refuse("memo_get", { title: "c" }), /^There is no memo "c"/);
}

async function keepsTasks(side: Side): Promise<void> {
  assert.equal(await side.say("todo_list"), "There are no tasks.");
  await Promise.all(
    ["one", 'two: "quoted"', "three"].map((task) => side.say("todo_create", { task, context: "- c" })),
  );
  const ids = (await side.say("todo_list")).split("\n").map((line) => line.slice(0, 8));
  assert.match(await side.say("todo_mark_complete", { id: ids[0] }), /^Done: .*\nNext of 2: \w{8} \[ \] .*\n- c$/);
  for (const id of ids.slice(1)) await side.say("todo_mark_complete", { id });
  assert.equal((await side.say("todo_list")).match(/\[x\]/g)?.length, 3);
  assert.match(await side.refuse("todo_show", { item: "next" }), /all are done/);
  await side.say("todo_create", { task: "new" });
  assert.match(await side.say("todo_list"), /^\w{8} \[ \] new$/);
}

/** A client that shows forms, and what a user has asked of it and answers. */
function clientWithForms(era: Era) {
  const heard: unknown[] = [];
  const answers = [{ action: "accept", content: { answer: "blue" } }, { action: "decline" }] as const;
  const asked: Asked = {
    era,
    capabilities: { elicitation: { form: {} } },
    onElicit: ({ message, requestedSchema }) => {
      heard.push([message, requestedSchema]);
      return answers[heard.length - 1] ?? { action: "cancel" };
    },
  };
  return { heard, asked };
}

/** A question reaches the user through the client's form, and its answer is kept. */
async function asksByForm(side: Side, heard: readonly unknown[]): Promise<void> {
  const asked = { question: "Which colour?\u001b[31m", choices: ["red", "blue"], default: "red" };
  assert.equal(await side.say("question_ask", asked), "Answer: blue");
  assert.equal(await side.say("question_ask", { question: "Why?" }), "The user declined to answer.");
  const field = { type: "string", title: "Answer" };
  const form = (answer: object) => ({ type: "object", properties: { answer }, required: ["answer"] });
  assert.deepEqual(heard, [
    ["Which colour?", form({ ...field, enum: ["red", "blue"], default: "red" })],
    ["Why?", form(field)],
  ]);
  const summary = (await side.say("question_summary")).split("\n").map((line) => line.replace(/^\S+ /, ""));
  assert.deepEqual(summary, ["Why? -> declined", "Which colour? -> blue"]);
}

Deno.test("K6 questions (2025-11-25), and notes of SwissArmyHammer, which are read in place; migrate copies those that are not there, and changes nothing with --dry-run", async () => {
  using bench = new Workbench();
  const foreign = {
    ".swissarmyhammer/issues/Fix Login.md": "# Fix it\n\nBody\n",
    ".swissarmyhammer/issues/complete/old.md": "done\n",
    ".swissarmyhammer/memos/project_notes.md": "Notes\n",
    ".swissarmyhammer/prompts/review/code.md": "---\ntitle: R\n---\nReview {{ file }}\n",
    ".swissarmyhammer/workflows/w.md": "# W\n",
    ".swissarmyhammer/todo.yaml": "todo:\n  - {id: 01K0000000000000000000ABCD, task: first, done: false}\n",
  };
  await git(bench.scope, "init", "--quiet");
  for (const [path, text] of Object.entries(foreign)) bench.write(path, text);
  await git(bench.scope, "add", ".");
  const identity = ["-c", "user.name=t", "-c", "user.email=t@t"];
  await git(bench.scope, ...identity, "commit", "--quiet", "--date=2020-01-02T03:04:05Z", "-m", "a");
  const { heard, asked } = clientWithForms("2025-11-25");
  await using side = await openSide(bench, FLAGS, asked);
  await asksByForm(side, heard);
  assert.match(
    await side.say("issue_list", { show_completed: true }),
    /^Fix Login {2}open {2}Fix it\nold {2}complete\nRead in place from "\.swissarmyhammer\/issues", read only; /,
  );
  assert.match(await side.say("memo_list"), /^project notes {2}Notes\n/);
  assert.match(await side.say("todo_list"), /^0000abcd \[ \] first\n/);
  assert.match(await side.refuse("issue_create", { name: "x", content: "" }), /"ahma_mcp migrate" copies it/);
  const mine = bench.write(".ahma/flows/w.md", "mine");
  const untracked = () => git(bench.scope, "status", "--porcelain", "--untracked-files=all");
  const before = await untracked();
  const migrate = async (...words: readonly string[]) => {
    const { command, args, environment } = programStart(bench, ["migrate", ...words]);
    const options = { args: [...args], env: { ...environment }, clearEnv: true, cwd: bench.scope };
    const { code, stdout, stderr } = await new Deno.Command(command, options).output();
    assert.equal(code, 0, new TextDecoder().decode(stderr));
    return new TextDecoder().decode(stdout);
  };
  const copies = [
    ".swissarmyhammer/issues/Fix Login.md -> .ahma/issues/fix-login.md",
    ".swissarmyhammer/issues/complete/old.md -> .ahma/issues/old.md",
    ".swissarmyhammer/memos/project_notes.md -> .ahma/memos/project_notes.md",
    ".swissarmyhammer/prompts/review/code.md -> .ahma/prompts/review/code.md",
    ".swissarmyhammer/todo.yaml -> .ahma/state/todo.yaml",
  ].join("\n");
  assert.equal(await migrate("--dry-run"), `${copies}\n5 files would be copied, 1 there already\n`);
  assert.equal(await untracked(), before);
  assert.equal(await migrate(), `${copies}\n5 files copied, 1 there already\n`);
  const made = textOf(`${bench.scope}/.ahma/issues/fix-login.md`);
  assert.match(
    made,
    /^---\nid: \w{26}\ntitle: Fix it\nstatus: open\ncreated: 2020-01-02T03:04:05Z\n---\n# Fix it\n\nBody\n$/,
  );
  assert.equal(textOf(mine), "mine");
  for (const [path, text] of Object.entries(foreign)) assert.equal(textOf(`${bench.scope}/${path}`), text);
  assert.equal(await side.say("issue_list", { show_completed: true }), "fix-login  open  Fix it\nold  complete");
});

const MATCH = "---\nseverity: error\nmatch: TODO\nfiles: '*.ts'\n---\nWhy.\n";
const FLOW = '```mermaid\nstateDiagram-v2\n    [*] --> a\n    a --> [*]\n```\n\n## Actions\n\n- a: log "x"\n';

Deno.test("K6 K7 K8 L7 memos, tasks and questions (2026-07-28), and settings that move the directories of issues, memos, flows and rules inside the project", async (test) => {
  using bench = new Workbench("ordinary");
  const moved = { issues_dir: "docs/issues", flows_dir: "docs/flows", rules_dir: "docs/rules" };
  bench.write(".ahma/settings.json", JSON.stringify({ ...moved, memos_dir: bench.elsewhere }));
  bench.write("docs/flows/go.md", FLOW);
  bench.write("docs/rules/no-todo.md", MATCH);
  bench.write("src/a.ts", "TODO\n");
  {
    const { heard, asked } = clientWithForms("2026-07-28");
    const flags = ["--bundles", "issues,memos,flow,rules,todo,question", "--memos-dir", "docs/memos"];
    await using side = await openSide(bench, flags, asked);
    assert.match(await side.say("issue_create", { name: "a", content: "x" }), /: docs\/issues\/a\.md, rev/);
    assert.match(await side.say("memo_create", { title: "b", content: "y" }), /: docs\/memos\/b\.md, rev/);
    assert.deepEqual([names(bench, "docs/issues"), names(bench, "docs/memos")], [["a.md"], ["b.md"]]);
    assert.match(await side.say("issue_list"), /^a {2}open/);
    assert.equal(await side.say("flow", { flow_name: "list" }), "go");
    const found = await side.say("rules_check", { rule_names: ["no-todo"] });
    assert.match(found, /^src\/a\.ts:1:1 error no-todo/);
    // What is obeyed stays protected, and notes stay writable.
    const fields = { match: "x" };
    const made = { name: "more", severity: "error", content: "Why.", fields };
    assert.match(await side.refuse("rules_create", made), /Cannot change "docs\/rules\/more\.md"/);
    const hand = "echo '# Hand' > docs/issues/h.md; echo x > docs/flows/go.md; echo x > docs/rules/no-todo.md";
    await side.client.callTool({ name: "sandboxed_shell", arguments: { command: hand } });
    assert.deepEqual(
      [textOf(`${bench.scope}/docs/flows/go.md`), textOf(`${bench.scope}/docs/rules/no-todo.md`)],
      [FLOW, MATCH],
    );
    assert.match(await side.say("issue_list"), /^h {2}open {2}Hand$/m);
    await side.say("memo_delete", { title: "b" });
    writeMemos(bench);
    await test.step(
      "memos keep their own titles, are replaced or extended by title, and all of them fit a bounded text, the newest first",
      () => keepsMemos(side),
    );
    await test.step("tasks", () => keepsTasks(side));
    await test.step(
      "a question reaches the user through the client's form, and its answer is kept",
      () => asksByForm(side, heard),
    );
  }
  bench.write(".ahma/settings.json", "{}");
  const { code, stderr } = await runProgram(bench, ["list-tools", "--issues-dir", ".ahma/tools"]);
  assert.deepEqual([code, /Cannot keep .*/.exec(stderr)?.[0]], [
    2,
    `Cannot keep issues in ".ahma/tools": "${bench.scope}/.ahma" is protected, so tools cannot write there; ` +
    "name a directory outside it",
  ]);
});

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
