/** The native tools that read files, as a client sees them (K3). */
import assert from "node:assert/strict";
import type { Client } from "@modelcontextprotocol/client";
import { connectClient } from "./_support/clients/sdk_client.ts";
import { ServerProcess } from "./_support/server_process.ts";
import { endlessPdf, pdfOf } from "../src/toolbox/files/_support/pdf_of.ts";
import { exists, Workbench } from "./_support/workbench.ts";

interface Part {
  readonly type: string;
  readonly text?: string;
  readonly data?: string;
  readonly mimeType?: string;
}

interface Answer {
  readonly parts: readonly Part[];
  /** The lines of its first part. */
  readonly lines: readonly string[];
  readonly isError: boolean;
}

async function call(client: Client, name: string, args: Record<string, unknown>): Promise<Answer> {
  const { content, isError } = await client.callTool({ name, arguments: args });
  const parts = content as readonly Part[];
  return { parts, lines: (parts[0]?.text ?? "").split("\n"), isError: isError === true };
}

interface Scene {
  readonly test: Deno.TestContext;
  readonly bench: Workbench;
  readonly client: Client;
}

Deno.test("S24 K3 files are found by files_glob and files_list, and read by files_read", async (test) => {
  using bench = new Workbench("ordinary");
  for (const name of ["objects/x", "refs/x"]) bench.write(`.git/${name}`, "");
  bench.write(".git/HEAD", "ref: refs/heads/main\n");
  bench.write(".git/config", "[core]\n\trepositoryformatversion = 0\n");
  await using server = await ServerProcess.start(bench, {
    era: "none",
    flags: ["--inline-wait", "60000", "--bundles", "files"],
  });
  const client = await connectClient(server, "2025-11-25");
  // In this order: the first counts all files.
  await findsFiles({ test, bench, client });
  await readsTexts({ test, bench, client });
  await readsOtherFiles({ test, bench, client });
  await test.step(
    "the configuration of git, and a change of it is denied as protected",
    () => readsGit({ test, bench, client }),
  );
});

/** files_glob finds all, then sorts, then cuts; files_list shows a tree. */
async function findsFiles({ test, bench, client }: Scene): Promise<void> {
  const glob = async (pattern: string, args: Record<string, unknown> = {}) =>
    (await call(client, "files_glob", { pattern, ...args })).lines;

  await test.step("a tree with more matches than are shown", async () => {
    const paths = Array.from({ length: 240 }, (_, at) => `many/${at % 8}/${at}.ts`);
    for (const [at, path] of paths.entries()) {
      bench.write(path, "");
      await Deno.utime(`${bench.scope}/${path}`, 0, (at * 7919) % 1000);
    }
    const times = new Map(paths.map((path, at) => [path, (at * 7919) % 1000]));
    const sorted = paths.toSorted((one, other) =>
      (times.get(other) ?? 0) - (times.get(one) ?? 0) || (one < other ? -1 : 1)
    );
    assert.deepEqual(await glob("*.ts"), [
      ...sorted.slice(0, 100),
      "[100 of 240, newest first; continue with offset 100]",
    ]);
    assert.deepEqual(await glob("many/*/*.ts", { offset: 190 }), [
      ...sorted.slice(190),
      "[50 of 240, newest first]",
    ]);
  });

  await test.step("patterns, and what is ignored", async () => {
    bench.write("src/a.ts", "");
    bench.write("src/b/c.tsx", "");
    bench.write("src/.gitignore", "*.log\n");
    bench.write("src/x.log", "");
    bench.write(".git/x.log", "");
    assert.deepEqual(await glob("src/*.ts"), ["src/a.ts"]);
    assert.deepEqual((await glob("src/**/*.{ts,tsx}")).toSorted(), ["src/a.ts", "src/b/c.tsx"]);
    assert.deepEqual((await glob("*.TSX", { path: "src" })).length, 1);
    assert.deepEqual(await glob("*", { path: "src", type: "directory" }), ["src/b"]);
    assert.deepEqual(await glob("*.log"), [
      'Nothing fits "*.log" among 243 files; 1 ignored ones were left out (respect_git_ignore)',
    ]);
    assert.deepEqual(await glob("*.log", { respect_git_ignore: false }), ["src/x.log"]);
  });

  await test.step("a directory as a tree", async (test) => {
    await Deno.symlink("a.ts", `${bench.scope}/src/link`);
    bench.write("src/b/big", "x".repeat(2048));
    const list = async (args: Record<string, unknown>) => (await call(client, "files_list", args)).lines;
    const whole = ["src/: 7 entries", ".gitignore 6", "a.ts 0", "b/", "  big 2.0K", "  c.tsx 0"];
    assert.deepEqual(await list({ path: "src", depth: 2 }), [...whole, "link -> a.ts", "x.log 0 (ignored)"]);
    assert.deepEqual(await list({ path: "src", depth: 2, limit: 5 }), [
      ...whole,
      "[5 of 7 entries; ask for a deeper path or a higher limit]",
    ]);
    await test.step("a name cannot look like other lines, and is shown as it can be given", async () => {
      const [name, shown] = ["two\n[9 of 9\u202e", '"odd/two\\n[9 of 9\\u202e"'];
      bench.write(`odd/${name}`, "here\n");
      await Deno.symlink("x\ny", `${bench.scope}/odd/link`);
      const own = shown.replace("odd/", "");
      assert.deepEqual(await list({ path: "odd" }), ["odd/: 2 entries", 'link -> "x\\ny"', `${own} 5`]);
      assert.deepEqual(await glob("odd/t*"), [shown]);
      assert.deepEqual((await call(client, "files_grep", { pattern: "here" })).lines, [`${shown}:1:here`]);
      assert.equal((await call(client, "files_read", { path: JSON.parse(shown) })).lines.at(-1), "1\there");
      await new Deno.Command("sh", { args: ["-c", "printf x > \"$(printf 'b\\377')\""], cwd: bench.scope }).output();
      assert.deepEqual((await call(client, "files_read", { path: "b\ufffd" })).lines, [
        `Cannot find "b\ufffd" in "${bench.scope}"; a name like that is not UTF-8: only commands reach it`,
      ]);
      await Deno.remove(`${bench.scope}/odd`, { recursive: true });
      await new Deno.Command("sh", { args: ["-c", "rm b*"], cwd: bench.scope }).output();
    });
    assert.deepEqual(await list({ path: "src/a.ts" }), ['Cannot list "src/a.ts": it is not a directory']);
  });
}

function reader(client: Client) {
  return (path: string, args: Record<string, unknown> = {}) => call(client, "files_read", { path, ...args });
}

function writer(bench: Workbench) {
  return (path: string, bytes: Uint8Array) => {
    bench.write(path, "");
    Deno.writeFileSync(`${bench.scope}/${path}`, bytes);
  };
}

/** files_read shows lines, and the rest of long ones. */
async function readsTexts({ test, bench, client }: Scene): Promise<void> {
  const read = reader(client);
  const write = writer(bench);

  await test.step("a long file in parts", async () => {
    bench.write("long.txt", Array.from({ length: 5000 }, (_, at) => `line ${at + 1}\n`).join(""));
    const { lines } = await read("long.txt");
    assert.match(lines[0] ?? "", /^long.txt: 5000 lines, 48893 bytes, rev [0-9a-f]{12}$/);
    assert.deepEqual([lines[1], lines[2000]], ["1\tline 1", "2000\tline 2000"]);
    assert.deepEqual(lines.slice(2001), ["[lines 1 to 2000 of 5000; continue with offset 2001]"]);
    const end = ["4999\tline 4999", "5000\tline 5000"];
    assert.deepEqual((await read("long.txt", { offset: 4999 })).lines.slice(1), end);
    assert.deepEqual((await read("long.txt", { offset: -2 })).lines.slice(1), end);
    const past = await read("long.txt", { offset: 9000 });
    assert.deepEqual([past.lines.slice(1), past.isError], [["[offset 9000 is past the last line]"], false]);
    assert.match(past.lines[0] ?? "", /5000 lines/);
  });

  await test.step("a file that is longer than what is held in memory, near its end", async () => {
    const line = `${"x".repeat(99)}\n`;
    bench.write("log.txt", line.repeat(200_000));
    assert.deepEqual((await read("log.txt", { offset: -2 })).lines, [
      "log.txt: 20000000 bytes",
      `-2\t${line.trimEnd()}`,
      `-1\t${line.trimEnd()}`,
    ]);
    assert.deepEqual((await read("log.txt", { offset: 199_999, limit: 1 })).lines.slice(1), [
      `199999\t${line.trimEnd()}`,
      "[lines 199999 to 199999; continue with offset 200000]",
    ]);
    assert.deepEqual((await read("log.txt", { offset: 200_000 })).lines[0], "log.txt: 200000 lines, 20000000 bytes");
  });

  await test.step("the text as it is, other encodings and long lines", async () => {
    bench.write("dos.txt", "a\r\nb\r\nlast");
    const exact = await read("dos.txt", { line_numbers: false, offset: 2 });
    assert.match(exact.lines[0] ?? "", /^dos.txt: 3 lines, 10 bytes, CRLF, no line end at its end, rev/);
    assert.equal(exact.parts[1]?.text, "b\r\nlast");
    write("wide.txt", new Uint8Array([0xff, 0xfe, 0x61, 0, 0x0a, 0, 0x62, 0, 0x0a, 0]));
    const wide = await read("wide.txt");
    assert.match(wide.lines[0] ?? "", /^wide.txt: 2 lines, 10 bytes, UTF-16LE, rev/);
    assert.deepEqual(wide.lines.slice(1), ["1\ta", "2\tb"]);
    bench.write("wide.js", `${"z".repeat(2500)}\n`);
    assert.deepEqual((await read("wide.js")).lines[1], `1\t${"z".repeat(2000)} … [+500 chars]`);
    bench.write("empty.txt", "");
    assert.match((await read("empty.txt")).lines[0] ?? "", /^empty.txt: empty, 0 bytes, rev/);
  });
}

/** Files that are not text. */
async function readsOtherFiles({ test, bench, client }: Scene): Promise<void> {
  const read = reader(client);
  const write = writer(bench);

  await test.step("pictures, notebooks and PDF", async () => {
    const png = Uint8Array.fromBase64(
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
    );
    write("dot.png", png);
    const picture = await read("dot.png");
    assert.deepEqual(picture.parts[1], { type: "image", data: png.toBase64(), mimeType: "image/png" });
    const outputs = [{ data: { "image/png": png.toBase64() } }];
    bench.write("book.ipynb", JSON.stringify({ cells: [{ cell_type: "code", id: "c", source: "plot()", outputs }] }));
    const book = await read("book.ipynb");
    assert.match(book.lines[0] ?? "", /^book.ipynb: 4 lines, \d+ bytes, notebook of 1 cells, rev/);
    assert.deepEqual(book.lines.slice(1), [
      "1\t--- cell 1, code, id c ---",
      "2\tplot()",
      "3\t--- output ---",
      "4\t[image 1: image/png]",
    ]);
    assert.deepEqual(book.parts[1], { type: "image", data: png.toBase64(), mimeType: "image/png" });
    bench.write("text.pdf", pdfOf(["first page", "second page"]));
    const pdf = await read("text.pdf", { pages: "2" });
    assert.match(pdf.lines[0] ?? "", /^text.pdf: 2 lines, \d+ bytes, PDF of 2 pages, rev/);
    assert.deepEqual(pdf.lines.slice(1), ["1\t--- page 2 ---", "2\tsecond page"]);
    const none = await read("text.pdf", { pages: "3" });
    assert.deepEqual([none.isError, none.lines], [true, [
      'Cannot read "text.pdf": pages "3" is not a range of its 2 pages, such as "1-5"',
    ]]);
  });

  await test.step("hostile files, after which the next call is answered", async () => {
    const whole = pdfOf(["first page", "second page"]);
    bench.write("cut.pdf", whole.slice(0, whole.length / 2));
    bench.write("circle.pdf", whole.replace("/Kids [3 0 R 5 0 R]", "/Kids [2 0 R 2 0 R]"));
    bench.write("open.html", "<div>".repeat(200_000));
    bench.write("endless.pdf", endlessPdf());
    const abort = new AbortController();
    const endless = client.callTool({ name: "files_read", arguments: { path: "endless.pdf" } }, abort);
    const cancelled = assert.rejects(endless, /enough/);
    const firstLines = async (...paths: readonly string[]) =>
      (await Promise.all(paths.map((path) => read(path)))).map(({ lines }) => lines[0]?.replace(/, rev .*/, ""));
    assert.deepEqual(await firstLines("open.html", "empty.txt"), [
      "open.html: 1 line, 1000000 bytes, no line end at its end",
      "empty.txt: empty, 0 bytes",
    ]);
    abort.abort(new Error("enough"));
    await cancelled;
    assert.deepEqual(await firstLines("cut.pdf", "circle.pdf", "text.pdf"), [
      'Cannot read "cut.pdf": Invalid PDF structure.',
      "circle.pdf: 2 lines, 666 bytes, PDF of 1 page",
      "text.pdf: 4 lines, 666 bytes, PDF of 2 pages",
    ]);
  });

  await test.step("bytes, a pipe, a directory and a missing file", async () => {
    write("random.bin", new Uint8Array(300).map((_, at) => at * 167 + 1));
    const { lines, isError } = await read("random.bin");
    assert.deepEqual([isError, lines[0], lines.at(-1)], [
      false,
      "random.bin: 300 bytes, binary data",
      '[encoding "base64" gives its bytes]',
    ]);
    assert.ok(lines.slice(1, -1).every((line) => /^[0-9a-f ]+$/.test(line)));
    const bytes = (await Deno.readFile(`${bench.scope}/random.bin`)).toBase64();
    assert.equal((await read("random.bin", { encoding: "base64" })).parts[0]?.text, bytes);
    assert.ok((await new Deno.Command("mkfifo", { args: [`${bench.scope}/pipe`] }).output()).success);
    const refused = ["pipe", ".", "longer.txt"].map(async (path) => (await read(path)).lines.join("\n"));
    assert.deepEqual(await Promise.all(refused), [
      'Cannot read "pipe": it is not a regular file',
      'Cannot read ".": it is a directory; files_list lists it',
      `Cannot find "longer.txt" in "${bench.scope}"; did you mean "long.txt", "log.txt"?`,
    ]);
  });
}

/** files_read shows the configuration of git, and a change of it is denied as protected. */
async function readsGit({ client, bench }: Scene): Promise<void> {
  for (const path of [".git/config", `${bench.scope}/.git/config`]) {
    const { lines, isError } = await call(client, "files_read", { path });
    assert.match(lines[0] ?? "", /^\.git\/config: 2 lines, 36 bytes, rev/);
    assert.deepStrictEqual([lines.slice(1), isError], [["1\t[core]", "2\t\trepositoryformatversion = 0"], false]);
  }
  const changed = await call(client, "sandboxed_shell", { command: "git config user.email x@y" });
  assert.deepStrictEqual(changed.lines, ["[no output]"]);
  const { lines: later } = await call(client, "files_read", { path: ".git/config", offset: 3 });
  assert.deepStrictEqual(later.slice(1), ["3\t[user]", "4\t\temail = x@y"]);
  // The command's change, and not one of this call.
  const written = await call(client, "files_write", { path: "new.txt", content: "x" });
  assert.deepStrictEqual([written.parts.length, written.lines.length], [1, 1]);
  const edit = { path: ".git/config", old_string: "core", new_string: "user" };
  const { lines, isError } = await call(client, "files_edit", edit);
  assert.deepStrictEqual([lines[0], isError], ['Cannot change ".git/config".', true]);
  assert.match(lines[1] ?? "", /is protected.*--allow-protected \.git\/config\.$/);
}

/** A PATH with `rg`, where there is one, and one without. In CI there is one. */
const [WITH_RG, WITHOUT_RG] = [Deno.env.get("PATH") ?? "", "/usr/local/sbin"];
const HAS_RG = new Deno.Command("sh", { args: ["-c", "command -v rg"] }).outputSync().success ||
  Deno.env.get("CI") !== undefined;

Deno.test({
  name: `K3 files_grep finds lines with rg${HAS_RG ? "" : " (skipped: rg is missing)"}`,
  ignore: !HAS_RG,
  fn: () => withLines(WITH_RG, greps),
});

Deno.test("S22 K3 files_grep finds lines with a search of our own, and no pattern is endless", () =>
  withLines(WITHOUT_RG, async (bench, client) => {
    await greps(bench, client);
    // rg needs no cancel: it has no such patterns.
    await cancelsEndless(client);
    await answersBacktracking(bench, client);
  }));

async function withLines(path: string, use: (bench: Workbench, client: Client) => Promise<void>): Promise<void> {
  using bench = new Workbench("ordinary");
  bench.write("hostile.md", `${"a".repeat(60)}!\n`);
  bench.write("a.txt", "one\ntwo --pre=touch pwned\nthree\nfour -e\nfive\n");
  bench.write("sub/b.ts", "two\n");
  bench.write("sub/skip.log", "two\n");
  bench.write(".gitignore", "*.log\n");
  bench.write("zero.bin", "two\0\n");
  bench.write("many.txt", "limit\n".repeat(101));
  await using server = await ServerProcess.start(bench, {
    era: "none",
    flags: ["--inline-wait", "60000", "--bundles", "files,search,rules"],
    prefix: ["/usr/bin/env", `PATH=${path}`],
  });
  await use(bench, await connectClient(server, "2025-11-25"));
}

async function greps(bench: Workbench, client: Client): Promise<void> {
  const grep = async (pattern: string, args: Record<string, unknown> = {}) =>
    (await call(client, "files_grep", { pattern, ...args })).lines;
  assert.deepEqual(await grep("--pre=touch pwned"), ["a.txt:2:two --pre=touch pwned"]);
  assert.deepEqual(await grep("-e"), ["a.txt:4:four -e"]);
  assert.ok(!exists(`${bench.scope}/pwned`));
  assert.deepEqual(await grep("two", { output_mode: "files_with_matches" }), ["a.txt", "sub/b.ts"]);
  assert.deepEqual(await grep("two", { output_mode: "count" }), ["a.txt:1", "sub/b.ts:1"]);
  assert.deepEqual(await grep("TWO", { "-i": true, "-C": 1, type: "txt" }), [
    "a.txt-1-one",
    "a.txt:2:two --pre=touch pwned",
    "a.txt-3-three",
  ]);
  assert.deepEqual(await grep("t", { path: "sub/b.ts" }), ["sub/b.ts:1:two"]);
  assert.deepEqual((await grep("limit")).slice(-1), ["[100 of 101 matches in 1 file; continue with offset 100]"]);
  assert.deepEqual((await grep("limit", { limit: 101 })).slice(-1), ["many.txt:101:limit"]);
  assert.deepEqual(await grep("nowhere"), ["No match in 5 files; left out: 1 ignored (respect_git_ignore), 1 binary"]);
  const wrong = await call(client, "files_grep", { pattern: "(a+" });
  assert.deepEqual([wrong.isError, wrong.lines[0]?.startsWith('Cannot search for "(a+": ')], [true, true]);
  assert.deepEqual(await grep("!$", { path: "hostile.md", output_mode: "count" }), ["hostile.md:1"]);
}

/** A pattern that never ends holds up no other call, and ends when it is cancelled. */
async function cancelsEndless(client: Client): Promise<void> {
  const abort = new AbortController();
  const search = { name: "files_grep", arguments: { pattern: "(a+)+$", path: "hostile.md" } };
  const cancelled = assert.rejects(client.callTool(search, abort), /enough/);
  assert.deepEqual((await call(client, "files_grep", { pattern: "three" })).lines, ["a.txt:3:three"]);
  abort.abort(new Error("enough"));
  await cancelled;
}

/** Patterns and ignore files that a backtracking matcher never ends are answered. */
async function answersBacktracking(bench: Workbench, client: Client): Promise<void> {
  for (let count = 0; count < 50; count++) bench.write(`${"a".repeat(60)}${count}.py`, "x = 1\n");
  bench.write(`${"a/".repeat(30)}z.py`, "y = 2\n");
  bench.write(".gitignore", `*.log\n${"**/a/".repeat(15)}b\n`);
  const [file, directory] = [`${"*a".repeat(40)}b`, `${"**/a/".repeat(15)}b`];
  const patterns = `"${file}", "${directory}"`;
  const answers = async (name: string, args: Record<string, unknown>) => (await call(client, name, args)).lines[0];
  assert.equal(
    await answers("files_glob", { pattern: [file, directory] }),
    `Nothing fits ${patterns} among 57 files; 1 ignored ones were left out (respect_git_ignore)`,
  );
  assert.match(await answers("outline_generate", { patterns: [file, directory] }) ?? "", /^No file matches/);
  assert.match(await answers("search_index", { patterns: [file, directory] }) ?? "", /^Indexed 0 files/);
  assert.match(await answers("rules_check", { file_paths: [file, directory] }) ?? "", /^No file matches/);
  assert.match(await answers("files_grep", { pattern: "x", glob: [file, directory] }) ?? "", /^No match in 0 files/);
  assert.deepEqual(await answers("files_glob", { pattern: "z.py" }), `${"a/".repeat(30)}z.py`);
}
