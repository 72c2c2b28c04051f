/** Issues, memos, tasks and questions of the packed program, as files of the project (K6). */
import assert from "node:assert/strict";
import type { Client } from "@modelcontextprotocol/client";
import { programStart } from "./_support/program.ts";
import { type Asked as ClientOptions, connectClient } from "./_support/sdk_client.ts";
import { type Era, ERAS, ServerProcess } from "./_support/server_process.ts";
import { exists, usersAtHand, Workbench } from "./_support/workbench.ts";

const FLAGS = ["--bundles", "issues,memos,todo,question"];

interface Asked extends ClientOptions {
  /** Absent: 2025-11-25. */
  readonly era?: Era;
}

type Arguments = Readonly<Record<string, unknown>>;

interface Side extends AsyncDisposable {
  readonly client: Client;
  /** The text of a call that succeeds. */
  say(tool: string, args?: Arguments): Promise<string>;
  /** The text of a call that fails. */
  refuse(tool: string, args?: Arguments): Promise<string>;
}

/** A server in the scope of the bench, and a client of it. */
async function openSide(bench: Workbench, flags: readonly string[] = FLAGS, asked: Asked = {}): Promise<Side> {
  const server = await ServerProcess.start(bench, { era: "none", flags });
  const client = await connectClient(server, asked.era ?? "2025-11-25", asked);
  const call = async (name: string, args: Arguments, fails: boolean) => {
    const { content, isError } = await client.callTool({ name, arguments: { ...args } });
    const text = content.map((part) => part.type === "text" ? part.text : part.type).join("\n");
    assert.equal(isError === true, fails, text);
    return text;
  };
  const [SUCCEEDS, FAILS] = [false, true];
  return {
    client,
    say: (tool, args = {}) => call(tool, args, SUCCEEDS),
    refuse: (tool, args = {}) => call(tool, args, FAILS),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

async function git(directory: string, ...words: readonly string[]): Promise<string> {
  const identity = [
    "-c",
    "user.name=t",
    "-c",
    "user.email=t@t",
    "-c",
    "init.defaultBranch=main",
    "-c",
    "safe.directory=*",
  ];
  const { stdout, stderr } = await new Deno.Command("git", { args: [...identity, ...words], cwd: directory }).output();
  return new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
}

function textOf(path: string): string {
  return Deno.readTextFileSync(path);
}

function names(bench: Workbench, directory: string): readonly string[] {
  return [...Deno.readDirSync(`${bench.scope}/${directory}`)].map(({ name }) => name).sort();
}

Deno.test("K6 twenty issues claimed by two servers at once go to one of them each, and a dependency holds back and is freed", async () => {
  using bench = new Workbench();
  await using one = await openSide(bench);
  // The directory is there when the second worker starts, which sees it read-only but for notes.
  await one.say("issue_create", { name: "first", content: "# The first", priority: 4 });
  using place = new Workbench();
  await using other = await openSide(place, [...FLAGS, "--sandbox-scope", bench.scope]);
  const numbers = Array.from({ length: 20 }, (_, index) => index);
  await Promise.all(
    numbers.slice(1).map((index) =>
      (index % 2 === 0 ? one : other).say("issue_create", { name: `item ${index}`, content: "x", priority: 4 })
    ),
  );
  const claims = await Promise.all(
    numbers.flatMap((index) =>
      index % 2 === 0 ? [] : [
        one.say("issue_next", { claim: "one" }),
        other.say("issue_next", { claim: "other" }),
      ]
    ),
  );
  const claimed = claims.map((text) => /^Claimed for (?:one|other)\.\n(\S+):/.exec(text)?.[1]);
  assert.deepEqual(claimed.toSorted(), ["first", ...numbers.slice(1).map((index) => `item-${index}`)].toSorted());
  assert.match(await one.say("issue_next", { claim: "one" }), /^No issue can be begun\. Not complete:\n/);
  await one.say("issue_create", { name: "base", content: "b", depends_on: ["first"] });
  assert.match(await other.say("issue_list", { ready: true }), /^No such issue/);
  assert.match(await other.say("issue_show", { name: "base" }), /depends on first \(in_progress\)/);
  assert.match(await other.say("issue_mark_complete", { name: "first" }), /Ready now:\nbase {2}open$/);
  assert.match(await one.say("issue_next", { claim: "one" }), /^Claimed for one\.\nbase: base\nstatus in_progress, /);
  assert.match(
    await one.refuse("issue_update", { name: "first", depends_on: ["base"] }),
    /would be a circle: first -> base -> first/,
  );
  assert.equal(
    await one.say("issue_all_complete").then((text) => text.split("\n")[0]),
    "No: 1 of 21 issues complete. Left:",
  );
});

Deno.test("K6 issues of two clones merge, and one that git could not merge is shown and never rewritten", async () => {
  using bench = new Workbench();
  await git(bench.scope, "init", "--quiet");
  await git(bench.scope, "commit", "--quiet", "--allow-empty", "-m", "start");
  await git(bench.scope, "clone", "--quiet", ".", `${bench.elsewhere}/clone`);
  using clone = new Workbench();
  await git(clone.scope, "clone", "--quiet", bench.scope, ".");
  await using mine = await openSide(bench);
  await using theirs = await openSide(clone);
  for (const [side, directory] of [[mine, bench.scope], [theirs, clone.scope]] as const) {
    await side.say("issue_create", { content: `# Of ${side === mine ? "mine" : "theirs"}` });
    await side.say("issue_create", { name: "same", content: directory });
    await git(directory, "add", ".ahma");
    await git(directory, "commit", "--quiet", "-m", "issues");
  }
  assert.match(await git(bench.scope, "pull", "--no-rebase", clone.scope), /CONFLICT \(add\/add\).*same\.md/);
  const left = textOf(`${bench.scope}/.ahma/issues/same.md`);
  const list = await mine.say("issue_list");
  assert.equal(list.split("\n").length, 3);
  assert.match(list, /^same {2}conflict$/m);
  assert.match(list, / {2}Of mine$/m);
  assert.match(list, / {2}Of theirs$/m);
  for (const args of [{ priority: 0 }, { content: "mine" }]) {
    assert.match(await mine.refuse("issue_update", { name: "same", ...args }), /git left a conflict in it; mend it/);
  }
  assert.match(await mine.say("issue_next", {}), /^\S+: Of /);
  assert.equal(textOf(`${bench.scope}/.ahma/issues/same.md`), left);
});

Deno.test("K6 an issue that was edited by hand changes by one line, and what both changed is refused with the difference", async () => {
  using bench = new Workbench();
  const text = "---\n# ours\ntitle: 'By hand'\nestimate: {days: 2} # unknown\npriority: 3 # low\n---\n\nText\n";
  const path = bench.write(".ahma/issues/By-Hand.md", text);
  await using side = await openSide(bench);
  const rev = /rev (\w+)/.exec(await side.say("issue_show", { name: "by-hand" }))?.[1];
  await side.say("issue_update", { name: "by hand", priority: 0, expected_rev: rev });
  assert.equal(textOf(path), text.replace("priority: 3", "priority: 0"));
  // The hand's change is in another place: both stay. `rev` is that of the first reading.
  bench.write(path, textOf(path).replace("Text", "Text by hand"));
  await side.say("issue_update", { name: "by-hand", labels: ["a"], expected_rev: rev, priority: 0 }).catch(() =>
    undefined
  );
  const now = textOf(path);
  const refused = await side.refuse("issue_update", { name: "by-hand", content: "Mine", expected_rev: rev });
  assert.match(refused, /the text was changed since you read it\. It is rev \w{12} now:\n@@ line \d+ @@\n/);
  assert.match(refused, /\n-Text\n/);
  assert.match(refused, /\n\+Text by hand\n/);
  assert.equal(textOf(path), now);
  for (const name of ["by-hand", "BY HAND"]) {
    assert.match(
      await side.refuse("issue_create", { name, content: "" }),
      /"\.ahma\/issues\/By-Hand\.md" is there \(open\)/,
    );
  }
  assert.match(await side.refuse("issue_create", { name: "con", content: "" }), /Windows keeps it for a device/);
});

Deno.test("K6 memos keep their own titles, are replaced or extended by title, and all of them fit a bounded text, the newest first", async () => {
  using bench = new Workbench();
  const now = Date.now() / 1000;
  for (let index = 0; index < 200; index++) {
    const path = bench.write(
      `.ahma/memos/m${index}.md`,
      `---\ntitle: Memo ${index}\n---\n\n${`w${index} `.repeat(2_200).slice(0, 10_000)}\n`,
    );
    await Deno.utime(path, now - 1_000 + index, now - 1_000 + index);
  }
  await using side = await openSide(bench);
  const all = await side.say("memo_get_all_context");
  assert.ok(all.length <= 40_000, String(all.length));
  assert.deepEqual(all.match(/^# Memo \d+$/gm), ["# Memo 199", "# Memo 198", "# Memo 197"]);
  assert.match(
    all,
    /\n197 memos did not fit; memo_get reads one:\n- Memo 196 \(\d+ characters\)\n(?:- Memo \d+ \(\d+ characters\)\n)+- Memo 0 /,
  );
  assert.match(
    await side.say("memo_get_all_context", { max_chars: 1_000 }),
    /^200 memos did not fit;.*\n(?:- .*\n)+\[\d+ more\]$/,
  );
  for (const title of ["a_b", "a b", "A b"]) {
    await side.say("memo_create", { title, content: `of ${title}`, tags: ["t"] });
  }
  for (const title of ["a_b", "a b", "A b"]) {
    assert.match(
      await side.say("memo_get", { title }),
      new RegExp(`^${title}\n\\.ahma/memos/\\S+, rev \\w{12}, tags t\n\nof ${title}$`),
    );
  }
  assert.match(await side.refuse("memo_create", { title: "a b", content: "2", if_exists: "error" }), /it is there/);
  await side.say("memo_create", { title: "a b", content: "more", if_exists: "append" });
  assert.match(await side.say("memo_get", { title: "a b" }), /\n\nof a b\n\nmore$/);
  const replaced = await side.client.callTool({ name: "memo_create", arguments: { title: "a b", content: "new" } });
  assert.match(String(replaced._meta?.["ahma/replaced_rev"]), /^\w{12}$/);
  assert.match(await side.say("memo_update", { title: "a_b", content: "x", append: true, new_title: "c" }), /^Changed/);
  assert.match(await side.say("memo_search", { query: "OF A_B" }), /^c {2}\[t\] {2}of a_b x$/);
  await side.say("memo_delete", { title: "c" });
  assert.match(await side.refuse("memo_get", { title: "c" }), /there is no memo "c"/);
  // Tasks share the server.
  assert.equal(await side.say("todo_list"), "There are no tasks.");
  await Promise.all(["one", 'two: "quoted"', "three"].map((task) => side.say("todo_create", { task, context: "- c" })));
  const ids = (await side.say("todo_list")).split("\n").map((line) => line.slice(0, 8));
  assert.match(await side.say("todo_mark_complete", { id: ids[0] }), /^Done: .*\nNext of 2: \w{8} \[ \] .*\n- c$/);
  for (const id of ids.slice(1)) await side.say("todo_mark_complete", { id });
  assert.equal((await side.say("todo_list")).match(/\[x\]/g)?.length, 3);
  assert.match(await side.refuse("todo_show", { item: "next" }), /all are done/);
  await side.say("todo_create", { task: "new" });
  assert.match(await side.say("todo_list"), /^\w{8} \[ \] new$/);
});

for (const era of ERAS) {
  Deno.test(`K6 a question reaches the user through the client's form, and its answer is kept (${era})`, async () => {
    using bench = new Workbench();
    const heard: unknown[] = [];
    const answers = [{ action: "accept", content: { answer: "blue" } }, { action: "decline" }] as const;
    await using side = await openSide(bench, FLAGS, {
      era,
      capabilities: { elicitation: { form: {} } },
      onElicit: ({ message, requestedSchema }) => {
        heard.push([message, requestedSchema]);
        return answers[heard.length - 1] ?? { action: "cancel" };
      },
    });
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
  });
}

Deno.test("K1 K6 a client without forms is told to ask in words, and all native tools together cost at most 9,000 tokens", async () => {
  using bench = new Workbench();
  await using side = await openSide(bench, ["--bundles", "toolbox"]);
  assert.match(
    await side.say("question_ask", { question: "Which?" }),
    /shows no forms, .* Ask in your reply, and wait: Which\?$/,
  );
  assert.equal(await side.say("question_summary"), "The user was asked nothing in this project.");
  const { tools } = await side.client.listTools();
  assert.deepEqual(tools.filter(({ description = "" }) => description.length >= 400).map(({ name }) => name), []);
  const size = JSON.stringify(tools).length;
  assert.ok(size / 4 <= 9_000, `${size / 4} tokens for ${tools.length} tools`);
});

Deno.test("K6 notes of SwissArmyHammer are read in place, and migrate copies them once and changes nothing with --dry-run", async () => {
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
  {
    await using side = await openSide(bench);
    assert.match(
      await side.say("issue_list", { show_completed: true }),
      /^Fix Login {2}open {2}Fix it\nold {2}complete\nRead in place from "\.swissarmyhammer\/issues", read only; /,
    );
    assert.match(await side.say("memo_list"), /^project notes {2}Notes\n/);
    assert.match(await side.say("todo_list"), /^0000abcd \[ \] first\n/);
    assert.match(await side.refuse("issue_create", { name: "x", content: "" }), /"ahma_mcp migrate" copies it/);
  }
  await Deno.remove(`${bench.scope}/.ahma`, { recursive: true });
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
    ".swissarmyhammer/workflows/w.md -> .ahma/flows/w.md",
    ".swissarmyhammer/todo.yaml -> .ahma/state/todo.yaml",
  ].join("\n");
  assert.equal(await migrate("--dry-run"), `${copies}\n6 files would be copied\n`);
  assert.ok(!exists(`${bench.scope}/.ahma`));
  assert.equal(await migrate(), `${copies}\n6 files copied\n`);
  const made = textOf(`${bench.scope}/.ahma/issues/fix-login.md`);
  assert.match(
    made,
    /^---\nid: \w{26}\ntitle: Fix it\nstatus: open\ncreated: 2020-01-02T03:04:05Z\n---\n# Fix it\n\nBody\n$/,
  );
  assert.equal(await migrate(), "0 files copied, 6 there already\n");
  assert.equal(textOf(`${bench.scope}/.ahma/issues/fix-login.md`), made);
  for (const [path, text] of Object.entries(foreign)) assert.equal(textOf(`${bench.scope}/${path}`), text);
  await using side = await openSide(bench);
  assert.equal(await side.say("issue_list", { show_completed: true }), "fix-login  open  Fix it\nold  complete");
});

Deno.test("K6 K10 docs/toolbox.md shows what commands for notes print", async () => {
  using bench = new Workbench();
  const guide = await Deno.readTextFile(new URL("../docs/toolbox.md", import.meta.url));
  const blocks = Array.from(guide.matchAll(/^```console\n([^]*?)^```$/gm), ([, block = ""]) => block)
    .filter((block) => /^\$ ahma_mcp call (?:issue|memo|todo)_/.test(block));
  assert.ok(blocks.length > 0);
  for (const block of blocks) {
    const printed: string[] = [];
    for (const line of block.split("\n").filter((one) => one.startsWith("$ ahma_mcp "))) {
      const words = Array.from(
        line.slice("$ ahma_mcp ".length).matchAll(/"([^"]*)"|(\S+)/g),
        ([, quoted, word]) => quoted ?? word ?? "",
      );
      const { command, args, environment } = programStart(bench, words);
      const options = { args: [...args], env: { ...environment }, clearEnv: true, cwd: bench.scope };
      const { stdout } = await new Deno.Command(command, options).output();
      printed.push(line, new TextDecoder().decode(stdout).trimEnd());
    }
    assert.equal(printed.join("\n").replaceAll(/\brev \w{12}/g, "rev …"), block.trimEnd());
  }
});

for (const user of usersAtHand()) {
  Deno.test(`K6 S8 commands may change notes, and nothing else of our own directory (${user})`, async () => {
    using bench = new Workbench(user);
    bench.write(".ahma/tools/x.json", "{}");
    await using side = await openSide(bench, ["--bundles", "issues,files"]);
    assert.match(await side.say("issue_create", { name: "a", content: "A" }), /^Created issue a/);
    const run = (command: string) => side.client.callTool({ name: "sandboxed_shell", arguments: { command } });
    await run("echo more >> .ahma/issues/a.md; echo b > .ahma/issues/b.md; echo x > .ahma/state/x");
    assert.match(await side.say("issue_show", { name: "a" }), /\nA\nmore$/);
    await run(
      "echo evil > .ahma/tools/x.json; echo evil > .ahma/evil.json; mv .ahma/issues .ahma/i; rm -rf .ahma; mv .ahma a",
    );
    const write = (path: string) => side.client.callTool({ name: "files_write", arguments: { path, content: "x" } });
    assert.equal((await write(".ahma/issues/c.md")).isError, undefined);
    assert.ok((await write(".ahma/tools/c.json")).isError);
    assert.ok((await write(".ahma/c.json")).isError);
    assert.deepEqual(names(bench, ".ahma"), ["issues", "memos", "state", "tools"]);
    assert.deepEqual([textOf(`${bench.scope}/.ahma/tools/x.json`), names(bench, ".ahma/tools")], ["{}", [
      "x.json",
    ]]);
  });
}
