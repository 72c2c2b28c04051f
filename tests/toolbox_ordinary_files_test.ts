/**
 * Files and issues as an ordinary user has them through the official SDK's client on its own transport: the acceptance
 * cases of native tools that no other test runs that way (K3, K4, K6).
 */
import assert from "node:assert/strict";
import { type Arguments, LEAVES_TIMERS, Side } from "./_support/foreign_side.ts";
import { git } from "./_support/notes.ts";
import { runProgram } from "./_support/terminal.ts";
import { exists, Workbench } from "./_support/workbench.ts";

Deno.test(
  "K3 K4 the ordinary user's files are read, found and outlined through a foreign client",
  LEAVES_TIMERS,
  async (test) => {
    using bench = new Workbench("ordinary");
    await using side = await Side.open(bench, ["--bundles", "files,search"]);
    const read = (path: string, more: Arguments = {}) => side.say("files_read", { path, ...more });

    await test.step("case 1: a long file", async () => {
      bench.write("long.txt", Array.from({ length: 5000 }, (_, at) => `line ${at + 1}\n`).join(""));
      const [head, ...rest] = await read("long.txt");
      assert.match(head ?? "", /^long\.txt: 5000 lines, 48893 bytes, rev \w{12}$/);
      assert.deepEqual([rest[0], rest[1999], rest.slice(2000)], ["1\tline 1", "2000\tline 2000", [
        "[lines 1 to 2000 of 5000; continue with offset 2001]",
      ]]);
      assert.deepEqual((await read("long.txt", { offset: 4999 })).slice(1), ["4999\tline 4999", "5000\tline 5000"]);
      const past = await read("long.txt", { offset: 9000 });
      assert.deepEqual([/5000 lines/.test(past[0] ?? ""), past.slice(1)], [true, [
        "[offset 9000 is past the last line]",
      ]]);
    });

    await test.step("case 3: a pipe, a device, a picture and bytes", async () => {
      const { success } = await new Deno.Command("mkfifo", { args: ["-m", "666", `${bench.scope}/pipe`] }).output();
      assert.ok(success);
      assert.equal(await side.refuse("files_read", { path: "pipe" }), 'Cannot read "pipe": it is no regular file');
      assert.match(await side.refuse("files_read", { path: "/dev/null" }), /no regular file|outside the scope/);
      const picture =
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
      await Deno.writeFile(bench.write("dot.png", ""), Uint8Array.fromBase64(picture));
      assert.equal((await side.call("files_read", { path: "dot.png" })).data, picture);
      await Deno.writeFile(bench.write("random.bin", ""), new Uint8Array(300).map((_, at) => at * 167 + 1));
      const bytes = await read("random.bin");
      assert.deepEqual([bytes[0], bytes.at(-1)], [
        "random.bin: 300 bytes, binary data",
        '[encoding "base64" gives its bytes]',
      ]);
    });

    const COUNT = 3_000;
    await test.step("case 12: the newest of thousands of paths", async () => {
      const age = (at: number) => (at * 7919) % COUNT;
      for (let folder = 0; folder < 12; folder++) {
        await Deno.mkdir(`${bench.scope}/many/${folder}`, {
          recursive: true,
        });
      }
      const paths = Array.from({ length: COUNT }, (_, at) => `many/${at % 12}/${at}.ts`);
      for (const [at, path] of paths.entries()) {
        await Deno.writeTextFile(`${bench.scope}/${path}`, "const a = 1;\n");
        await Deno.utime(`${bench.scope}/${path}`, 0, age(at));
      }
      const newest = paths.map((path, at) => ({ path, age: age(at) })).toSorted((one, other) => other.age - one.age);
      assert.deepEqual(await side.say("files_glob", { pattern: "*.ts" }), [
        ...newest.slice(0, 100).map(({ path }) => path),
        "[100 of 3000, newest first; continue with offset 100]",
      ]);
      for (const path of ["src/a.ts", "src/b/c.tsx", "src/x.log", ".git/x.log"]) bench.write(path, "");
      bench.write("src/.gitignore", "*.log\n");
      assert.deepEqual(await side.say("files_glob", { pattern: "src/*.ts" }), ["src/a.ts"]);
      assert.deepEqual((await side.say("files_glob", { pattern: "src/**/*.{ts,tsx}" })).toSorted(), [
        "src/a.ts",
        "src/b/c.tsx",
      ]);
      assert.match((await side.say("files_glob", { pattern: "*.log" })).join(), /^Nothing fits "\*\.log" among/);
      assert.deepEqual(await side.say("files_glob", { pattern: "*.log", respect_git_ignore: false }), ["src/x.log"]);
    });

    await test.step("case 16: an outline, what is skipped, and progress under the client's token", async () => {
      const fixtures = new URL("fixtures/outline/", import.meta.url);
      for (const name of ["bird.py", "bird.ts"]) {
        bench.write(`birds/${name}`, await Deno.readTextFile(new URL(name, fixtures)));
      }
      const expected = await Deno.readTextFile(new URL("expected.txt", fixtures));
      const outline = await side.say("outline_generate", { patterns: ["bird.*"], path: "birds" });
      for (const part of outline.join("\n").split(/^(?=birds\/)/m)) assert.ok(expected.includes(part), part);
      assert.equal(outline.filter((line) => line.startsWith("birds/")).length, 2);
      bench.write("odd/a.xyz", "a");
      assert.deepEqual(await side.say("outline_generate", { patterns: "odd" }), [
        "[skipped: odd/a.xyz (no grammar for .xyz)]",
      ]);
      const seen: number[] = [];
      const args = { patterns: ["many"], limit: 1000, output_format: "json" };
      await side.client.callTool({ name: "outline_generate", arguments: args }, {
        onprogress: ({ progress }) => seen.push(progress),
      });
      assert.ok(seen.length >= 2 && seen.every((now, at) => now > (seen[at - 1] ?? 0)), seen.join(" "));
    });
  },
);

/** No `rg` is there. */
const WITHOUT_RG = { PATH: "/usr/local/sbin" };

Deno.test(
  "K3 K6 lines are found, and issues are claimed and merged, by two servers of the ordinary user",
  LEAVES_TIMERS,
  async (test) => {
    using bench = new Workbench("ordinary");
    using clone = new Workbench("ordinary");
    await git(bench.scope, "init", "--quiet");
    await git(bench.scope, "commit", "--quiet", "--allow-empty", "-m", "start");
    await git(clone.scope, "clone", "--quiet", bench.scope, ".");
    bench.write("a.txt", "one\ntwo --pre=touch pwned\nthree\nfour -e\nfive\n");
    bench.write("sub/b.ts", "two\n");
    bench.write("many.txt", "limit\n".repeat(101));
    bench.write("hostile.md", `${"a".repeat(60)}!\n`);
    bench.write(".ahma/issues/by-hand.md", HAND);
    await using side = await Side.open(bench, ["--bundles", "files,issues"]);
    await using second = await Side.open(bench, ["--bundles", "files,issues"], WITHOUT_RG);
    await using other = await Side.open(clone, ["--bundles", "issues"]);

    for (const [engine, one] of [["rg, where it is installed", side], ["a search of our own", second]] as const) {
      await test.step(`cases 13 and 14 with ${engine}`, async () => {
        const grep = (pattern: string, more: Arguments = {}) => one.say("files_grep", { pattern, ...more });
        assert.deepEqual(await grep("--pre=touch pwned"), ["a.txt:2:two --pre=touch pwned"]);
        assert.deepEqual(await grep("-e"), ["a.txt:4:four -e"]);
        assert.ok(!exists(`${bench.scope}/pwned`));
        assert.deepEqual(await grep("two", { output_mode: "files_with_matches" }), ["a.txt", "sub/b.ts"]);
        assert.deepEqual(await grep("two", { output_mode: "count" }), ["a.txt:1", "sub/b.ts:1"]);
        assert.deepEqual(await grep("three", { "-C": 2 }), [
          "a.txt-1-one",
          "a.txt-2-two --pre=touch pwned",
          "a.txt:3:three",
          "a.txt-4-four -e",
          "a.txt-5-five",
        ]);
        assert.deepEqual((await grep("limit", { limit: 101 })).at(-1), "many.txt:101:limit");
        assert.deepEqual((await grep("limit")).at(-1), "[100 of 101 matches in 1 file; continue with offset 100]");
      });
    }

    await test.step("case 15: a pattern that never ends is cancelled, and the next call works", async () => {
      const abort = new AbortController();
      const search = { name: "files_grep", arguments: { pattern: "(a+)+$", path: "hostile.md" } };
      const endless = second.client.callTool(search, { signal: abort.signal });
      const cancelled = assert.rejects(endless, /enough/);
      assert.deepEqual(await second.say("files_grep", { pattern: "three", path: "a.txt" }), ["a.txt:3:three"]);
      abort.abort(new Error("enough"));
      await cancelled;
      assert.deepEqual(await second.say("files_grep", { pattern: "!$", path: "hostile.md", output_mode: "count" }), [
        "hostile.md:1",
      ]);
    });

    await test.step("case 29: an issue that a hand wrote changes by one line", async () => {
      await side.say("issue_update", { name: "by-hand", priority: 0 });
      assert.equal(await Deno.readTextFile(`${bench.scope}/.ahma/issues/by-hand.md`), HAND.replace(": 3", ": 0"));
      await side.say("issue_update", { name: "by-hand", status: "cancelled" });
    });

    await test.step("case 28: twenty issues, each claimed once; a dependency holds back", async () => {
      const sides = Array.from({ length: 20 }, (_, at) => at % 2 === 0 ? side : second);
      await Promise.all(sides.map((one, at) => one.say("issue_create", { name: `item ${at}`, content: "x" })));
      await side.say("issue_create", { name: "later", content: "x", depends_on: ["item-0"] });
      const claims = await Promise.all(sides.map((one) => one.say("issue_next", { claim: "me" })));
      const names = claims.map(([, line = ""]) => /^\S+(?=:)/.exec(line)?.[0]);
      assert.deepEqual(names.toSorted(), sides.map((_, at) => `item-${at}`).toSorted());
      assert.match((await side.say("issue_next", { claim: "me" })).join(), /^No issue can be begun/);
      assert.deepEqual((await second.say("issue_mark_complete", { name: "item-0" })).slice(1), [
        "Ready now:",
        "later  open",
      ]);
      assert.match((await side.say("issue_next", { claim: "me" }))[1] ?? "", /^later:/);
    });

    await test.step("case 27: two clones merge, and what git could not merge is never rewritten", async () => {
      for (const [one, { scope }] of [[side, bench], [other, clone]] as const) {
        await one.say("issue_create", { content: "# Without a name" });
        await one.say("issue_create", { name: "same", content: scope });
        await git(scope, "add", ".ahma");
        await git(scope, "commit", "--quiet", "-m", "issues");
      }
      assert.match(await git(bench.scope, "pull", "--no-rebase", clone.scope), /CONFLICT \(add\/add\).*same\.md/);
      const list = await side.say("issue_list");
      assert.ok(list.includes("same  conflict"), list.join("\n"));
      assert.equal(list.filter((line) => line.endsWith("Without a name")).length, 2);
      const path = `${bench.scope}/.ahma/issues/same.md`;
      const left = await Deno.readTextFile(path);
      assert.match(await side.refuse("issue_update", { name: "same", priority: 0 }), /git left a conflict in it/);
      assert.equal(await Deno.readTextFile(path), left);
    });
  },
);

const HAND = "---\n# ours\ntitle: 'By hand'\nestimate: {days: 2} # unknown\npriority: 3 # low\n---\n\nText\n";

Deno.test("K6 K10 the ordinary user's notes of SwissArmyHammer are copied once", LEAVES_TIMERS, async () => {
  using bench = new Workbench("ordinary");
  bench.write(".swissarmyhammer/issues/Fix.md", "# Fix it\n");
  bench.write(".swissarmyhammer/issues/complete/old.md", "done\n");
  const migrate = async (...words: readonly string[]) => (await runProgram(bench, ["migrate", ...words])).stdout;
  const copies = ".swissarmyhammer/issues/Fix.md -> .ahma/issues/fix.md\n" +
    ".swissarmyhammer/issues/complete/old.md -> .ahma/issues/old.md\n";
  const list = await runProgram(bench, ["call", "issue_list", "--show-completed", "--quiet"]);
  assert.match(list.stdout, /^Fix {2}open {2}Fix it\nold {2}complete\n/);
  assert.equal(await migrate("--dry-run"), `${copies}2 files would be copied\n`);
  assert.equal(await migrate(), `${copies}2 files copied\n`);
  assert.equal(await migrate(), "0 files copied, 2 there already\n");
});
