/** files_edit and files_write of the packed program, through a foreign client, as both users (K3). */
import assert from "node:assert/strict";
import type { Client } from "@modelcontextprotocol/client";
import { until } from "./_support/deadline.ts";
import { processesWith } from "./_support/processes.ts";
import { connectClient } from "./_support/clients/sdk_client.ts";
import { ServerProcess } from "./_support/server_process.ts";
import { exists, Workbench } from "./_support/workbench.ts";

interface Answer {
  readonly text: string;
  readonly failed: boolean;
  readonly denied: readonly unknown[] | undefined;
}

async function call(client: Client, name: string, args: Record<string, unknown>): Promise<Answer> {
  const { content, isError, _meta } = await client.callTool({ name, arguments: args });
  const [part] = content as { readonly text: string }[];
  return {
    text: part?.text ?? "",
    failed: isError === true,
    denied: _meta?.["ahma/sandbox_denied"] as readonly unknown[] | undefined,
  };
}

/** The rev that an answer names. */
function revIn({ text }: Answer): string {
  return /\brev ([0-9a-f]{12})\b/.exec(text)?.[1] ?? assert.fail(text);
}

/** What `diff -u` says, without the lines that name the files. */
async function hunks(old: string, next: string): Promise<string> {
  const { stdout } = await new Deno.Command("diff", { args: ["-u", old, next] }).output();
  return new TextDecoder().decode(stdout).split("\n").slice(2).join("\n").trimEnd();
}

const FLAGS = { era: "none", flags: ["--inline-wait", "60000", "--bundles", "files,files_patch"] } as const;

Deno.test("K3 S24 files of a project are edited, written and patched, and stay whole", async (test) => {
  using bench = new Workbench("ordinary");
  bench.write(".git/config", "[core]\n");
  bench.write(".git/hooks/pre-commit", "#!/bin/sh\n");
  bench.write("part/.git/config", "[core]\n\thooksPath = named\n");
  bench.write("part/named/post-merge", "#!/bin/sh\n");
  bench.write("tools/tool.json", "{}");
  const flags = ["--inline-wait", "60000", "--bundles", "toolbox,files_patch", "--tools-dir", "tools"];
  await using server = await ServerProcess.start(bench, { ...FLAGS, flags });
  const client = await connectClient(server, "2025-11-25");
  await test.step(
    "an edit needs one place, names the others, and keeps what it does not replace",
    () => editsFiles(bench, client),
  );
  await test.step(
    "a file is written whole despite concurrent writers, and protected paths are reported as denials",
    () => writesFiles(bench, client),
  );
  await test.step(
    "a repository that is written file by file is set aside before git outside acts on it",
    () => setsAside(bench, client),
  );
  await test.step(
    "a patch changes all its files or none, and is listed where its group is named",
    () => patchesFiles(bench, client),
  );
  await test.step(
    "a worker that is killed while it writes 10 MB leaves the old content or the new one whole",
    () => killsWriter(bench, client),
  );
});

async function setsAside(bench: Workbench, client: Client): Promise<void> {
  const write = async (path: string, content: string) => {
    const { content: parts } = await client.callTool({ name: "files_write", arguments: { path, content } });
    return (parts as { readonly text: string }[]).slice(1).map(({ text }) => text);
  };
  const config = "[core]\n\trepositoryformatversion = 0\n\tworktree = .\n\tfsmonitor = touch ran\n";
  const files = { HEAD: "ref: refs/heads/main\n", "objects/x": "", "refs/x": "", config };
  const told: (readonly string[])[] = [];
  for (const [name, content] of Object.entries(files)) told.push(await write(`made/${name}`, content));
  const aside =
    `[Set aside: "${bench.scope}/made" (core.worktree, core.fsmonitor). Commands use it as before. Git outside ` +
    `the sandbox does not see it until the user runs: ahma_mcp accept ${bench.scope}/made]`;
  assert.deepStrictEqual(told, [[], [], [], [aside]]);
  await new Deno.Command("git", { args: ["-C", `${bench.scope}/made`, "status"], env: { HOME: bench.home } }).output();
  assert.ok(!exists(`${bench.scope}/made/ran`));
}

async function editsFiles(bench: Workbench, client: Client): Promise<void> {
  const edit = (args: Record<string, unknown>) => call(client, "files_edit", args);
  const file = bench.write("three.txt", "a\nx 1\nb\nx 2\nc\nx 3\nd\n");
  const several = await edit({ path: "three.txt", old_string: "x ", new_string: "y " });
  assert.deepEqual([several.failed, several.text.match(/^line \d+/gm)], [true, ["line 2", "line 4", "line 6"]]);
  assert.equal(await Deno.readTextFile(file), "a\nx 1\nb\nx 2\nc\nx 3\nd\n");
  await edit({ path: "three.txt", old_string: "x ", new_string: "y ", occurrence: 2 });
  assert.equal(await Deno.readTextFile(file), "a\nx 1\nb\ny 2\nc\nx 3\nd\n");
  bench.write("all.txt", "x\nx\nx\n");
  const all = await edit({ path: "all.txt", find: "x", replace: "y", replace_all: true });
  assert.equal(
    all.text,
    `all.txt: 3 replacements (+3 -3), rev ${revIn(all)}\n@@ -1,3 +1,3 @@\n-x\n-x\n-x\n+y\n+y\n+y`,
  );
  await keepsBytes(bench, edit);
  await asksForAnEncoding(bench, client);
  await keepsTheFile(bench, edit);
  await knowsRevisions(bench, edit);
  await listsOfEdits(bench, edit);
}

async function writesFiles(bench: Workbench, client: Client): Promise<void> {
  const write = (args: Record<string, unknown>) => call(client, "files_write", args);
  const made = await write({ path: "new/deep/a..b.txt", content: "one\ntwo\n" });
  assert.equal(made.text, `new/deep/a..b.txt: created with 2 lines, 8 bytes, rev ${revIn(made)}`);
  const file = `${bench.scope}/new/deep/a..b.txt`;
  assert.equal(((await Deno.stat(file)).mode ?? 0) & 0o777, 0o666 & ~Deno.umask());
  const over = await write({ path: "new/deep/a..b.txt", content: "one\nzwei\n", expected_rev: revIn(made) });
  assert.equal(
    over.text,
    `new/deep/a..b.txt: written (+1 -1), rev ${revIn(over)}\n@@ -1,2 +1,2 @@\n one\n-two\n+zwei`,
  );
  assert.match((await write({ path: "new/deep/a..b.txt", content: "", create_only: true })).text, /it exists/);
  await write({ path: "new/deep/a..b.txt", content: "drei\n", append: true });
  assert.equal(await Deno.readTextFile(file), "one\nzwei\ndrei\n");
  assert.match((await write({ path: `${bench.elsewhere}/x`, content: "x" })).text, /outside the scope/);
  assert.match((await write({ path: "new", content: "x" })).text, /it is a directory/);
  await deniesProtected(bench, client);
  await keepsParallelEdits(bench, client);
}

type Edit = (args: Record<string, unknown>) => Promise<Answer>;

/** A windows-1252 file never gets UTF-8 into it, unless the call says so, and what is plain is changed as ever. */
async function asksForAnEncoding(bench: Workbench, client: Client): Promise<void> {
  const file = bench.write("latin.txt", "");
  const before = Uint8Array.of(...latin("café\nok\n"));
  await Deno.writeFile(file, before);
  const open = 'the file is not UTF-8 throughout; `encoding` says how to write "é"';
  const refused = [
    await call(client, "files_edit", { path: "latin.txt", old_string: "ok", new_string: "né" }),
    await call(client, "files_write", { path: "latin.txt", content: "né\n", append: true }),
    await call(client, "files_patch", {
      patch: "*** Begin Patch\n*** Update File: latin.txt\n@@\n-ok\n+né\n*** End Patch\n",
    }),
  ];
  assert.deepEqual(refused.map(({ text, failed }) => [text, failed]), [
    [`Cannot edit "latin.txt", nothing is changed: ${open}`, true],
    [`Cannot append to "latin.txt", nothing is changed: ${open}`, true],
    [`Cannot patch "latin.txt", nothing is changed: ${open}`, true],
  ]);
  assert.deepEqual(await Deno.readFile(file), before);
  await call(client, "files_edit", { path: "latin.txt", old_string: "ok", new_string: "on" });
  const encoding = "windows-1252";
  await call(client, "files_edit", { path: "latin.txt", old_string: "on", new_string: "né", encoding });
  assert.deepEqual(await Deno.readFile(file), Uint8Array.of(...latin("café\nné\n")));
  await call(client, "files_edit", { path: "latin.txt", old_string: "caf", new_string: "é", encoding: "utf-8" });
  assert.deepEqual(await Deno.readFile(file), Uint8Array.of(0xc3, ...latin("©é\nné\n")));
}

function latin(text: string): readonly number[] {
  return [...text].map((one) => one.charCodeAt(0));
}

async function keepsBytes(bench: Workbench, edit: Edit): Promise<void> {
  const file = bench.write("crlf.txt", "");
  await Deno.writeFile(file, new Uint8Array([0xef, 0xbb, 0xbf, ...new TextEncoder().encode("a\r\nb\r\nc\r\nd"), 0xff]));
  const applied = await edit({ path: "crlf.txt", old_string: "b\nc", new_string: "B\nnew\nC" });
  assert.match(applied.text, /^crlf\.txt: 1 replacement \(\+3 -2\), matched but for line endings, rev /);
  assert.deepEqual(
    await Deno.readFile(file),
    new Uint8Array([0xef, 0xbb, 0xbf, ...new TextEncoder().encode("a\r\nB\r\nnew\r\nC\r\nd"), 0xff]),
  );
  const wide = (text: string) =>
    new Uint8Array([0xff, 0xfe, ...new Uint8Array(Uint16Array.from(text, (c) => c.charCodeAt(0)).buffer)]);
  await Deno.writeFile(file, wide("höhe\nzwei"));
  await edit({ path: "crlf.txt", old_string: "höhe", new_string: "größe" });
  assert.deepEqual(await Deno.readFile(file), wide("größe\nzwei"));
}

async function keepsTheFile(bench: Workbench, edit: Edit): Promise<void> {
  const script = bench.write("run.sh", "#!/bin/sh\necho one\n");
  await Deno.chmod(script, 0o755);
  await Deno.utime(script, 1, 1);
  await Deno.symlink("run.sh", `${bench.scope}/link.sh`);
  const { text } = await edit({ path: "link.sh", old_string: "one", new_string: "two" });
  assert.match(text, /^run\.sh: 1 replacement \(\+1 -1\), rev \w+\n/);
  const { mode, mtime } = await Deno.stat(script);
  assert.deepEqual([(mode ?? 0) & 0o777, (mtime?.getTime() ?? 0) > 1000], [0o755, true]);
  assert.equal(await Deno.readLink(`${bench.scope}/link.sh`), "run.sh");
  assert.equal(await Deno.readTextFile(script), "#!/bin/sh\necho two\n");
  await Deno.link(script, `${bench.scope}/second.sh`);
  assert.match(
    (await edit({ path: "run.sh", old_string: "two", new_string: "three" })).text,
    /, rewritten in place because it has 2 names\n/,
  );
  assert.equal(await Deno.readTextFile(`${bench.scope}/second.sh`), "#!/bin/sh\necho three\n");
  const kept = bench.write("kept", "one\n");
  await Deno.chmod(kept, 0o444);
  const readOnly = (await edit({ path: "kept", old_string: "one", new_string: "two" })).text;
  assert.match(readOnly, /^[^\n]*, although it is read-only\n/);
  assert.equal(((await Deno.stat(kept)).mode ?? 0) & 0o777, 0o444);
  const left = (await Array.fromAsync(Deno.readDir(bench.scope), ({ name }) => name)).filter((name) =>
    name.startsWith(".ahma")
  );
  assert.deepEqual(left, []);
}

async function knowsRevisions(bench: Workbench, edit: Edit): Promise<void> {
  const file = bench.write("rev.txt", "one\n");
  const first = revIn(await edit({ path: "rev.txt", old_string: "one", new_string: "two" }));
  const second = revIn(await edit({ path: "rev.txt", old_string: "two", new_string: "three", expected_rev: first }));
  const stale = await edit({ path: "rev.txt", old_string: "three", new_string: "four", expected_rev: first });
  assert.equal(
    stale.text,
    `Cannot change "rev.txt": its rev is ${second} now, \`expected_rev\` is ${first}; what changed since then:\n` +
      "@@ -1 +1 @@\n-two\n+three",
  );
  const unknown = await edit({
    path: "rev.txt",
    old_string: "three",
    new_string: "four",
    expected_rev: "0".repeat(12),
  });
  assert.match(unknown.text, /; read it again$/);
  await Deno.utime(file, 5, 5);
  const touched = await edit({ path: "rev.txt", old_string: "three", new_string: "four", expected_rev: second });
  assert.ok(!touched.failed, touched.text);
}

async function listsOfEdits(bench: Workbench, edit: Edit): Promise<void> {
  const before = Array.from({ length: 40 }, (_, at) => `line ${at + 1}\n`).join("");
  const file = bench.write("many.txt", before);
  await Deno.writeTextFile(`${bench.scope}/before.txt`, before);
  const edits = [
    { old_string: "line 3\n", new_string: "three\n" },
    { old_string: "line 30\nline 31\n", new_string: "" },
    { old_string: "line 20 with more\nline 21", new_string: "x" },
  ];
  const failed = await edit({ path: "many.txt", edits });
  assert.match(
    failed.text,
    /nothing is changed: edit 3 of 3: `old_string` is not there\. The nearest lines are:\n20\tline 20\n21\tline 21$/,
  );
  assert.equal(await Deno.readTextFile(file), before);
  const dry = await edit({ path: "many.txt", edits: edits.slice(0, 2), dry_run: true });
  assert.equal(await Deno.readTextFile(file), before);
  const done = await edit({ path: "many.txt", edits: edits.slice(0, 2) });
  assert.equal(dry.text, `Dry run, nothing is written: ${done.text}`);
  assert.equal(done.text.split("\n").slice(1).join("\n"), await hunks(`${bench.scope}/before.txt`, file));
  const again = await edit({ path: "many.txt", edits: edits.slice(0, 1) });
  assert.match(again.text, /`new_string` stands at line 3: the edit is probably already applied$/);
}

async function deniesProtected(bench: Workbench, client: Client): Promise<void> {
  const { scope } = bench;
  const flags = (...one: readonly string[]) => one;
  const rows: readonly (readonly [path: string, flags: readonly string[]])[] = [
    [".git/hooks/pre-commit", flags("--allow-protected .git/hooks")],
    [".git/hooks/made", flags("--allow-protected .git/hooks")],
    [".mcp.json", flags("--allow-protected .mcp.json")],
    ["tools/tool.json", flags()],
    ["part/.git/hooks/made", flags()],
    ["part/named/post-merge", flags()],
  ];
  for (const [path, allowing] of rows) {
    const before = bench.outside();
    const denied = await call(client, "files_write", { path, content: "evil" });
    const denial = { path: `${scope}/${path}`, access: ["write"], protected: true, scope: [scope], flags: allowing };
    assert.deepEqual([denied.failed, denied.denied], [true, [denial]], denied.text);
    assert.ok(denied.text.startsWith(`Cannot change "${path}".\nSandbox: "${scope}/${path}" is protected, because `));
    assert.deepEqual(bench.outside(), before);
  }
  assert.equal(await Deno.readTextFile(`${scope}/part/named/post-merge`), "#!/bin/sh\n");
}

/** 50 edits of one file at the same time, half of them by another server. */
async function keepsParallelEdits(bench: Workbench, client: Client): Promise<void> {
  const file = bench.write("lines.txt", Array.from({ length: 50 }, (_, at) => `line ${at}.\n`).join(""));
  using beside = new Workbench(bench.user);
  const flags = [...FLAGS.flags, "--sandbox-scope", bench.scope];
  await using other = await ServerProcess.start(beside, { ...FLAGS, flags });
  const clients = [client, await connectClient(other, "2025-11-25")];
  const answers = await Promise.all(Array.from({ length: 50 }, (_, at) => {
    const by = clients[at % clients.length] ?? client;
    return call(by, "files_edit", { path: "lines.txt", old_string: `line ${at}.`, new_string: `edited ${at}.` });
  }));
  assert.deepEqual(answers.filter(({ failed }) => failed), []);
  assert.equal(
    await Deno.readTextFile(file),
    Array.from({ length: 50 }, (_, at) => `edited ${at}.\n`).join(""),
  );
}

/** Kills process $1 at once when it has written 2 MB more, in whatever file; no program is started for a look. */
const KILL_WHILE_WRITING = `
written() {
  bytes=
  while read -r key value; do [ "$key" = write_bytes: ] && bytes=$value; done < "/proc/$1/io"
  [ -n "$bytes" ]
}
written "$1" || exit 1
limit=$((bytes + 2000000))
echo begun
while [ "$bytes" -lt "$limit" ]; do written "$1" || exit 1; done
kill -9 "$1"`;

/** Writes the contents by turns until a worker was killed meanwhile: a busy machine lets some of them come to their end. */
async function killedWhileWriting(bench: Workbench, client: Client, contents: readonly string[]): Promise<Answer> {
  let last = 0;
  for (let round = 0;; round++) {
    const worker = await until(
      async () => {
        await call(client, "files_write", { path: "killed/warm.txt", content: `${round}` });
        return (await processesWith(bench.marker)).find(({ pid, command }) =>
          pid !== last && command.includes("worker/worker.js")
        );
      },
      20_000,
      "the worker",
    );
    last = worker.pid;
    const args = ["-c", KILL_WHILE_WRITING, "bash", `${last}`];
    const killer = new Deno.Command("bash", { args, stdout: "piped" }).spawn();
    const output = killer.stdout.getReader();
    assert.equal(new TextDecoder().decode((await output.read()).value), "begun\n");
    const answer = await call(client, "files_write", { path: "killed/big.txt", content: contents[round % 2] });
    await output.cancel();
    assert.ok((await killer.status).success);
    if (answer.failed) return answer;
  }
}

async function patchesFiles(bench: Workbench, client: Client): Promise<void> {
  bench.write("a.txt", "one\ntwo\n");
  await Deno.chmod(bench.write("b.sh", "#!/bin/sh\necho b\n"), 0o755);
  bench.write("c.txt", "gone\n");
  const seen = async () => {
    const paths = ["a.txt", "b.sh", "c.txt", "new/made.txt", "moved/b.sh"];
    return await Promise.all(paths.map(async (path) => {
      return await Deno.readTextFile(`${bench.scope}/${path}`).catch(() => undefined);
    }));
  };
  const before = await seen();
  const patch = (...lines: readonly string[]) =>
    call(client, "files_patch", { patch: ["*** Begin Patch", ...lines, "*** End Patch"].join("\n") });
  const changes = [
    "*** Add File: new/made.txt",
    "+made",
    "*** Update File: a.txt",
    "@@",
    " one",
    "-two",
    "+2",
    "*** Update File: b.sh",
    "*** Move to: moved/b.sh",
    "-echo b",
    "+echo moved",
    "*** Delete File: c.txt",
  ];
  const failed = await patch(...changes, "*** Update File: part/named/post-merge", "-#!/bin/sh", "+evil");
  assert.deepEqual([failed.failed, failed.denied?.length, await seen()], [true, 1, before]);
  const applied = await patch(...changes);
  assert.match(
    applied.text,
    /^new\/made\.txt: created .*\na\.txt: 1 hunk \(\+1 -1\), rev [^]*\nb\.sh: moved to moved\/b\.sh\nc\.txt: deleted$/,
  );
  assert.deepEqual(await seen(), ["one\n2\n", undefined, undefined, "made\n", "#!/bin/sh\necho moved\n"]);
  assert.equal(((await Deno.stat(`${bench.scope}/moved/b.sh`)).mode ?? 0) & 0o777, 0o755);
  assert.match((await patch(...changes)).text, /Cannot create "new\/made\.txt", nothing is changed: it exists/);
}

async function killsWriter(bench: Workbench, client: Client): Promise<void> {
  const [old, next] = ["old\n".repeat(2_500_000), "new\n".repeat(2_500_000)];
  const file = bench.write("killed/big.txt", old);
  const answer = await killedWhileWriting(bench, client, [next, old]);
  assert.match(answer.text, /its worker is gone/);
  const is = await Deno.readTextFile(file);
  assert.ok(is === old || is === next, `${is.length} characters of both`);
  const names = await Array.fromAsync(Deno.readDir(`${bench.scope}/killed`), ({ name }) => name);
  assert.deepEqual(names.sort(), ["big.txt", "warm.txt"]);
  assert.match(
    (await call(client, "files_write", { path: "killed/big.txt", content: "small" })).text,
    /^killed\/big\.txt: written/,
  );
}
