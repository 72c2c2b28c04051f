/** Issues of the packed program, as files of the project that several servers, people and commands change (K6). */
import assert from "node:assert/strict";
import { withDeadline } from "./_support/deadline.ts";
import { FLAGS, git, names, openSide, type Side, textOf } from "./_support/servers/notes.ts";
import { exists, Workbench } from "./_support/workbench.ts";

/** Twenty issues claimed by two servers at once; the directory of issues is empty before and after. */
async function claimsIssues(bench: Workbench, one: Side): Promise<void> {
  // The directory is there when the second worker starts, which sees it read-only but for notes.
  const first = await one.say("issue_create", { name: "first", content: "# The first", priority: 4 });
  // Not that `.ahma` is there now: no program outside obeys what it holds.
  assert.match(first, /^Created issue first: \.ahma\/issues\/first\.md, rev \w{12}$/);
  using place = new Workbench("ordinary");
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
  assert.match(await one.say("issue_next", { claim: "one" }), /^No issue can be started\. Not complete:\n/);
  await one.say("issue_create", { name: "base", content: "b", depends_on: ["first"] });
  assert.match(await other.say("issue_list", { ready: true }), /^No such issue/);
  assert.match(await other.say("issue_show", { name: "base" }), /depends on first \(in_progress\)/);
  assert.match(await other.say("issue_mark_complete", { name: "first" }), /Ready now:\nbase {2}open$/);
  assert.match(await one.say("issue_next", { claim: "one" }), /^Claimed for one\.\nbase: base\nstatus in_progress, /);
  assert.match(
    await one.refuse("issue_update", { name: "first", depends_on: ["base"] }),
    /would form a cycle: first -> base -> first/,
  );
  assert.equal(
    await one.say("issue_all_complete").then((text) => text.split("\n")[0]),
    "No: 1 of 21 issues complete. Left:",
  );
  await mergesBranches(bench, one);
  for (const name of names(bench, ".ahma/issues")) await Deno.remove(`${bench.scope}/.ahma/issues/${name}`);
}

/** Issues of two branches merge, and one that git could not merge is shown and never rewritten. */
async function mergesBranches(bench: Workbench, mine: Side): Promise<void> {
  const before = (await mine.say("issue_list", { limit: 100 })).split("\n").length;
  await git(bench.scope, "init", "--quiet", "--template=");
  await git(bench.scope, "add", ".ahma/issues");
  await git(bench.scope, "commit", "--quiet", "-m", "start");
  for (const branch of ["theirs", "mine"]) {
    await git(bench.scope, "switch", "--quiet", "-c", branch, "main");
    await mine.say("issue_create", { content: `# Of ${branch}` });
    await mine.say("issue_create", { name: "same", content: branch });
    await git(bench.scope, "add", ".ahma/issues");
    await git(bench.scope, "commit", "--quiet", "-m", "issues");
  }
  assert.match(await git(bench.scope, "merge", "theirs"), /CONFLICT \(add\/add\).*same\.md/);
  const left = textOf(`${bench.scope}/.ahma/issues/same.md`);
  const list = await mine.say("issue_list", { limit: 100 });
  assert.equal(list.split("\n").length, before + 3);
  assert.match(list, /^same {2}conflict$/m);
  assert.match(list, / {2}Of mine$/m);
  assert.match(list, / {2}Of theirs$/m);
  for (const args of [{ priority: 0 }, { content: "mine" }]) {
    assert.match(await mine.refuse("issue_update", { name: "same", ...args }), /git left a conflict in it; fix it/);
  }
  assert.match(await mine.say("issue_next", {}), /^\S+: Of /);
  assert.equal(textOf(`${bench.scope}/.ahma/issues/same.md`), left);
}

Deno.test("K6 C4 C5 S8 issues, memos and tasks of a project that tools, people and commands change", async (test) => {
  using bench = new Workbench("ordinary");
  const typed = ["path", "issue", "memo"].map((type) => `  - {name: ${type}, type: ${type}}`).join("\n");
  bench.write(".ahma/prompts/about.md", `---\narguments:\n${typed}\n---\nX {{ path }}\n`);
  bench.write(".ahma/tools/x.json", "{}");
  for (const path of ["src/old.ts", "src/Olden.ts", "ignored/old.ts"]) bench.write(path, "");
  for (let index = 0; index < 101; index++) bench.write(`many/m${index}`, "");
  bench.write(".gitignore", "ignored\n");
  await using side = await openSide(bench, ["--bundles", "issues,memos,todo,question,files"]);
  await test.step(
    "twenty issues claimed by two servers at once go to one of them each, a dependency holds back and is freed, and branches with issues merge",
    () => claimsIssues(bench, side),
  );
  bench.write(".ahma/issues/old.md", "# Old\n");
  await test.step(
    "they are resources: listed, read, completed, also in prompts, and told of when a tool or a person changes them",
    () => servesResources(bench, side),
  );
  await test.step(
    "an issue that was edited by hand changes by one line, and what both changed is refused with the difference",
    () => editsByHand(bench, side),
  );
  await test.step("commands may change notes, and nothing else in .ahma", () => changesByCommands(bench, side));
  await test.step(
    "hostile files in place of notes are reported, and neither hang nor end the server, nor reach a terminal",
    () => reportsHostileFiles(bench, side),
  );
});

async function servesResources(bench: Workbench, side: Side): Promise<void> {
  const { client } = side;
  const [ISSUE, MEMO, TODO] = ["ahma://issues/old", "ahma://memos/a-b", "ahma://todo"];
  const updates = new Map<string, () => void>();
  client.setNotificationHandler("notifications/resources/updated", ({ params }) => updates.get(params.uri)?.());
  const update = (uri: string) => {
    const updated = Promise.withResolvers<void>();
    updates.set(uri, updated.resolve);
    return withDeadline(updated.promise, 20_000, `the update of ${uri}`);
  };
  await side.say("memo_create", { title: "a b", content: "text" });
  const notes = async () => {
    const { resources } = await client.listResources();
    return resources.filter(({ uri }) => /^ahma:\/\/(?:issues|memos|todo)\b/.test(uri)).map((
      { uri, title },
    ) => [uri, title]);
  };
  assert.deepEqual(await notes(), [[ISSUE, "Old"], [MEMO, "a b"], [TODO, "Tasks"]]);
  const { resourceTemplates } = await client.listResourceTemplates();
  assert.ok(
    ["issues", "memos"].every((kind) =>
      resourceTemplates.some(({ uriTemplate }) => uriTemplate === `ahma://${kind}/{name}`)
    ),
  );
  const { contents } = await client.readResource({ uri: "ahma://issues/old" });
  assert.deepEqual(contents, [{ uri: "ahma://issues/old", mimeType: "text/markdown", text: "# Old\n" }]);
  for (const name of ["none", "..%2F..%2Fetc%2Fpasswd", "old.md", ""]) {
    await assert.rejects(client.readResource({ uri: `ahma://issues/${name}` }), /not found/i);
  }
  const { completion } = await client.complete({
    ref: { type: "ref/resource", uri: "ahma://issues/{name}" },
    argument: { name: "name", value: "o" },
  });
  assert.deepEqual(completion.values, ["old"]);
  const complete = async (name: string, value: string) =>
    (await client.complete({ ref: { type: "ref/prompt", name: "about" }, argument: { name, value } })).completion;
  const one = (value: string) => ({ values: [value], total: 1, hasMore: false });
  assert.deepEqual(await complete("issue", "O"), one("old"));
  assert.deepEqual(await complete("memo", "b"), one("a b"));
  assert.deepEqual(await complete("path", "./src/ol"), {
    values: ["src/Olden.ts", "src/old.ts"],
    total: 2,
    hasMore: false,
  });
  assert.deepEqual(await complete("path", "olden"), one("src/Olden.ts"));
  const many = await complete("path", "many/");
  assert.deepEqual([many.values.length, many.total, many.hasMore], [100, 101, true]);
  await client.subscribeResource({ uri: ISSUE });
  const byTool = update(ISSUE);
  await side.say("issue_update", { name: "old", priority: 1 });
  await byTool;
  // A person edits a file, in place and by another that takes its name.
  await client.subscribeResource({ uri: MEMO });
  const byHand = Promise.all([update(ISSUE), update(MEMO)]);
  bench.write(".ahma/issues/old.md", "# By a person\n");
  bench.write("draft.md", "By hand\n");
  await Deno.rename(`${bench.scope}/draft.md`, `${bench.scope}/.ahma/memos/a-b.md`);
  await byHand;
  const tasks = async () => (await client.readResource({ uri: TODO })).contents;
  assert.deepEqual(await tasks(), [{ uri: TODO, mimeType: "text/plain", text: "There are no tasks." }]);
  await client.subscribeResource({ uri: TODO });
  const added = update(TODO);
  bench.write(".ahma/state/todo.yaml", "todo: [{id: 01K0000000000000000000ABCD, task: first, done: true}]\n");
  await added;
  assert.deepEqual(await tasks(), [{ uri: TODO, mimeType: "text/plain", text: "0000abcd [x] first" }]);
}

async function editsByHand(bench: Workbench, side: Side): Promise<void> {
  const text = "---\n# ours\ntitle: 'By hand'\nestimate: {days: 2} # unknown\npriority: 3 # low\n---\n\nText\n";
  const path = bench.write(".ahma/issues/By-Hand.md", text);
  const rev = /rev (\w+)/.exec(await side.say("issue_show", { name: "by-hand" }))?.[1];
  await side.say("issue_update", { name: "by hand", priority: 0, expected_rev: rev });
  assert.equal(textOf(path), text.replace("priority: 3", "priority: 0"));
  // The hand changes the text, the call another key: both stay, though the call was made for the first reading.
  bench.write(path, textOf(path).replace("Text", "Text by hand"));
  await side.say("issue_update", { name: "by-hand", labels: ["a"], expected_rev: rev });
  assert.equal(
    textOf(path),
    text.replace("priority: 3", "priority: 0").replace("low\n", "low\nlabels: [a]\n").replace("Text", "Text by hand"),
  );
  assert.match(
    await side.refuse("issue_update", { name: "by-hand", priority: 1, expected_rev: rev }),
    /"priority" was changed since you read it/,
  );
  const now = textOf(path);
  const refused = await side.refuse("issue_update", { name: "by-hand", content: "Mine", expected_rev: rev });
  assert.match(refused, /the text was changed since you read it\. It is rev \w{12} now:\n@@ -\d+,\d+ \+\d+,\d+ @@\n/);
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
  // Another writer holds the lock: calls that change wait for it, and others do not.
  const lock = await Deno.open(`${bench.scope}/.ahma/state/.lock`);
  const [EXCLUSIVE, made] = [true, `${bench.scope}/.ahma/issues/waits.md`];
  await lock.lock(EXCLUSIVE);
  const waiting = side.say("issue_create", { name: "waits", content: "" });
  assert.match(await side.say("issue_list"), /^By-Hand /);
  assert.ok(!exists(made));
  lock.close();
  assert.match(await waiting, /^Created issue waits/);
  assert.ok(exists(made));
}

async function changesByCommands(bench: Workbench, side: Side): Promise<void> {
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
  assert.deepEqual(names(bench, ".ahma"), ["issues", "memos", "prompts", "state", "tools"]);
  assert.deepEqual([textOf(`${bench.scope}/.ahma/tools/x.json`), names(bench, ".ahma/tools")], ["{}", [
    "x.json",
  ]]);
}

async function reportsHostileFiles(bench: Workbench, side: Side): Promise<void> {
  for (const directory of ["issues", "memos", "state"]) {
    for (const name of names(bench, `.ahma/${directory}`)) {
      await Deno.remove(`${bench.scope}/.ahma/${directory}/${name}`);
    }
  }
  bench.write(".ahma/issues/good.md", "---\npriority: 4\n---\nGood\n");
  bench.write(
    ".ahma/issues/bomb.md",
    `---\na: &a [x,x]\n${
      "bcdefgh".split("").map((key) => `${key}: &${key} [*a,*a,*a]\n`).join("")
    }title: *h\ndepends_on: [*h, bomb]\n---\n`,
  );
  bench.write(".ahma/issues/deep.md", `---\nlabels: ${"[".repeat(4_000)}\n---\n`);
  bench.write(
    ".ahma/issues/wide.md",
    `---\n${Array.from({ length: 3_000 }, (_, index) => `k${index}:`).join("\n")}\n---\n`,
  );
  bench.write(".ahma/issues/control.md", '---\ntitle: "a\\e[2Jb\\r\\nc"\n---\n\u001b]0;x\u0007\u009b31mRed\u202e\n');
  bench.write(".ahma/issues/a\u001b[31m\nb.md", "x");
  bench.write(".ahma/issues/folder.md/x.md", "x");
  const giant = bench.write(".ahma/issues/giant.md", "");
  await Deno.truncate(giant, 20 * 1024 ** 3);
  for (const name of ["pipe.md", "other"]) {
    await new Deno.Command("mkfifo", { args: [`${bench.scope}/.ahma/issues/${name}`] }).output();
  }
  bench.write(".ahma/memos/m.md", "m");
  await new Deno.Command("mkfifo", { args: [`${bench.scope}/.ahma/memos/complete`] }).output();
  const list = await side.say("issue_list", { limit: 100 });
  const hidden = new RegExp(String.raw`[^\n\x20-\x7e]`);
  assert.doesNotMatch(list, hidden);
  assert.equal(list.split("\n").length, 9, list);
  assert.match(list, /\n\[1 file left out: hidden characters or wide blanks in the name\]$/);
  const isBroken = async (name: string, problem: RegExp) => {
    const shown = await side.say("issue_show", { name });
    assert.match(shown, problem);
    assert.match(shown, /^\S+: \S+\nstatus broken, /);
    assert.match(await side.refuse("issue_update", { name, priority: 1 }), problem);
  };
  await isBroken("deep", /too deeply|not YAML/);
  // Each call reads it again, which takes longest of all.
  await Deno.remove(`${bench.scope}/.ahma/issues/deep.md`);
  await isBroken("pipe", /not a regular file/);
  await isBroken("giant", /larger than/);
  await isBroken("folder", /not a regular file/);
  const latin = bench.write(".ahma/issues/latin.md", "");
  const bytes = Uint8Array.of(...new TextEncoder().encode("---\ntitle: x\n---\ncaf"), 0xe9);
  await Deno.writeFile(latin, bytes);
  assert.match(
    await side.say("issue_show", { name: "latin" }),
    /^latin: x\nstatus broken, .*\n! it is not UTF-8 text\n\ncaf/s,
  );
  for (const call of [["issue_mark_complete", {}], ["issue_update", { content: "é", append: true }]] as const) {
    assert.match(await side.refuse(call[0], { name: "latin", ...call[1] }), /latin\.md": it is not UTF-8 text; fix it/);
  }
  assert.deepEqual(await Deno.readFile(latin), bytes);
  await Deno.remove(latin);
  assert.doesNotMatch(await side.say("issue_show", { name: "control" }), hidden);
  assert.match(await side.say("issue_next"), /^control: ab c\n/);
  assert.equal(await side.say("memo_list"), "m  m");
  await new Deno.Command("mkfifo", { args: [`${bench.scope}/.ahma/state/todo.yaml`] }).output();
  assert.match(await side.refuse("todo_list"), /not a regular file/);
  await Deno.remove(`${bench.scope}/.ahma/state/.lock`);
  await Deno.mkdir(`${bench.scope}/.ahma/state/.lock`);
  assert.match(
    await side.refuse("issue_create", { name: "x", content: "" }),
    /"\.ahma\/state\/\.lock": it is not a regular file; remove it/,
  );
  await Deno.remove(`${bench.scope}/.ahma/state/.lock`);
  assert.match(await side.say("issue_create", { name: "x", content: "" }), /^Created/);
}
