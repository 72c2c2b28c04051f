import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import type { WatchingLooker } from "../../../sandbox/protect/guard_view.ts";
import { findGit } from "../../../sandbox/protect/git_program.ts";
import { Libc } from "../../../system/libc.ts";
import { GitAnswers } from "./git_query.ts";
import { askProgram, type Question } from "../../spawn.ts";

interface Place {
  readonly tree: string;
  readonly home: string;
  readonly answers: GitAnswers;
  /** Directories that git was asked about. */
  readonly asked: string[];
  /** Happens before each question. */
  beforeAsk: () => void;
  /** Happens before each look for changes. */
  beforeLook: () => void;
  /** What git obeys in the tree, seen from there; programs with a `!`. */
  obeyed(): Promise<readonly string[]>;
}

async function inRepository(
  test: (place: Place) => Promise<void>,
  variables: (tree: string) => Record<string, string> = () => ({}),
): Promise<void> {
  const base = await Deno.realPath(await Deno.makeTempDir());
  const [tree, home] = [`${base}/tree`, `${base}/home`];
  const libc = new Libc();
  for (const directory of [tree, home]) await Deno.mkdir(directory);
  const server = { PATH: "/usr/bin:/bin", ...variables(tree) };
  const git = findGit(server, { home, writable: [tree] }) ?? assert.fail("git is not installed");
  const asked: string[] = [];
  const ask = (question: Question) => {
    asked.push(question.directory);
    place.beforeAsk();
    return askProgram({ ...question, longestMs: Math.min(question.longestMs, 2_000) });
  };
  const watch: WatchingLooker["watch"] = (...given) => {
    const watched = libc.watch(...given);
    const isUnchanged = () => {
      place.beforeLook();
      return watched.isUnchanged();
    };
    return { isUnchanged, close: () => watched.close?.() };
  };
  using answers = new GitAnswers({ git, trees: [tree], looker: { watch }, ask });
  const obeyed = async () => {
    await answers.refresh();
    return answers.paths.filter(({ path }) => path !== tree)
      .map(({ path, program }) => (program === true ? "!" : "") + path.slice(tree.length + 1)).toSorted();
  };
  const place: Place = { tree, home, answers, asked, beforeAsk() {}, beforeLook() {}, obeyed };
  try {
    await run(tree, "git", "init", "-q", ".");
    await test(place);
  } finally {
    libc[Symbol.dispose]();
    await Deno.remove(base, { recursive: true });
  }
}

async function run(cwd: string, program: string, ...args: string[]): Promise<void> {
  const { success } = await new Deno.Command(program, { args, cwd, stderr: "inherit" }).output();
  assert.ok(success, args.join(" "));
}

const OWN = [".git/config", ".git/hooks"];

/** What makes git obey something else, where the server's own reading of `.git/config` sees nothing. */
const SETTINGS: Readonly<Record<string, readonly [Record<string, string>, readonly string[]]>> = {
  "in ~/.gitconfig": [{ "home/.gitconfig": "[core]\n\thooksPath = gh\n" }, ["gh"]],
  "in ~/.config/git/config": [{ "home/.config/git/config": "[core]\n\thooksPath = gh\n" }, ["gh"]],
  "of the work tree": [{
    "tree/.git/config": "[core]\n\trepositoryformatversion = 1\n[extensions]\n\tworktreeConfig = true\n",
    "tree/.git/config.worktree": "[core]\n\thooksPath = gh\n",
  }, [".git/config.worktree", "gh"]],
  "over two lines": [{ "tree/.git/config": "[core]\n\thooksPath = \\\ngh\n" }, ["gh"]],
  "by an include from elsewhere": [{
    "home/.gitconfig": "[include]\n\tpath = ~/more\n",
    "home/more": "[core]\n\thooksPath = gh\n",
  }, ["gh"]],
  "by an include for this place": [{
    "home/.gitconfig": '[includeIf "gitdir:**/tree/.git"]\n\tpath = more\n',
    "home/more": '[filter "x"]\n\tclean = tools/clean %f\n',
  }, ["!tools/clean"]],
};

async function write(base: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    await Deno.mkdir(`${base}/${name}`.replace(/\/[^/]*$/, ""), { recursive: true });
    await Deno.writeTextFile(`${base}/${name}`, text);
  }
}

Deno.test("S21 GitAnswers finds what git obeys wherever that is set, and when it is set later", async (t) => {
  for (const [name, [files, wanted]] of Object.entries(SETTINGS)) {
    await t.step(name, () =>
      inRepository(async ({ tree, asked, obeyed }) => {
        assert.deepStrictEqual(await obeyed(), OWN);
        await write(`${tree}/..`, files);
        assert.deepStrictEqual(await obeyed(), [...OWN, ...wanted].toSorted());
        const times = asked.length;
        assert.deepStrictEqual(await obeyed(), [...OWN, ...wanted].toSorted());
        assert.deepStrictEqual(asked.length, times, "nothing changed, so git is not asked");
      }));
  }
});

Deno.test("S21 GitAnswers asks again when an include comes into being, and when the branch decides about one", () =>
  inRepository(async ({ tree, home, obeyed }) => {
    await write(home, {
      ".gitconfig": '[include]\n\tpath = later\n[includeIf "onbranch:feature"]\n\tpath = feature\n',
    });
    await write(home, { feature: "[core]\n\thooksPath = fh\n" });
    await run(tree, "git", "symbolic-ref", "HEAD", "refs/heads/main");
    assert.deepStrictEqual(await obeyed(), OWN);
    await write(home, { later: "[core]\n\thooksPath = lh\n" });
    assert.deepStrictEqual(await obeyed(), [...OWN, "lh"]);
    await write(tree, { ".git/config": '[includeIf "onbranch:feature"]\n\tpath = feature\n' });
    await write(tree, { ".git/feature": "[core]\n\thooksPath = bh\n" });
    assert.deepStrictEqual(await obeyed(), [".git/config", ".git/feature", ".git/hooks", "lh"]);
    await run(tree, "git", "symbolic-ref", "HEAD", "refs/heads/feature");
    assert.deepStrictEqual(await obeyed(), [".git/config", ".git/feature", ".git/hooks", "bh", "fh", "lh"]);
  }));

Deno.test("S21 GitAnswers finds the configuration that the user's variables name, when it comes into being", () =>
  inRepository(async ({ tree, obeyed }) => {
    assert.deepStrictEqual(await obeyed(), OWN);
    await write(tree, { global: "[core]\n\thooksPath = gh\n" });
    assert.deepStrictEqual(await obeyed(), [...OWN, "gh", "global"]);
  }, (tree) => ({ GIT_CONFIG_GLOBAL: `${tree}/global`, GIT_TRACE: `${tree}/traced` })));

Deno.test("S21 GitAnswers follows a common directory that appears, and a repository that begins above", () =>
  inRepository(async ({ tree, obeyed }) => {
    assert.deepStrictEqual(await obeyed(), OWN);
    await Deno.mkdir(`${tree}/c`);
    for (const name of ["config", "objects", "refs"]) await Deno.rename(`${tree}/.git/${name}`, `${tree}/c/${name}`);
    await write(tree, { ".git/commondir": "../c\n" });
    assert.deepStrictEqual(await obeyed(), ["c/config", "c/hooks"]);
  }));

Deno.test("S21 GitAnswers says that git gives no answer, and asks again the next time", () =>
  inRepository(async ({ tree, answers, obeyed }) => {
    await run(tree, "mkfifo", `${tree}/pipe`);
    await write(tree, { ".git/config": "[include]\n\tpath = ../pipe\n" });
    await obeyed();
    assert.deepStrictEqual(answers.unanswered, tree);
    await write(tree, { ".git/config": "[broken\n" });
    assert.deepStrictEqual(await obeyed(), [], "git itself refuses this");
    assert.deepStrictEqual(answers.unanswered, undefined);
  }));

Deno.test("S21 GitAnswers asks about no more repositories where one gives no answer", () =>
  inRepository(async ({ tree, answers, asked }) => {
    const directories = Array.from({ length: 12 }, (_, index) => `${tree}/r${index}`);
    await run(tree, "mkfifo", `${tree}/pipe`);
    for (const directory of directories) {
      await run(tree, "git", "init", "-q", directory);
      await write(directory, { ".git/config": "[include]\n\tpath = ../../pipe\n" });
    }
    answers.add(directories);
    await answers.refresh();
    assert.ok(answers.unanswered?.startsWith(`${tree}/r`), answers.unanswered);
    assert.ok(asked.length <= 5, `${asked.length} questions`);
  }));

Deno.test("S21 GitAnswers protects an include that git fails at, and sees when another one is mended", () =>
  inRepository(async ({ tree, obeyed }) => {
    await write(tree, { ".git/config": "[include]\n\tpath = ../inc\n", "inc": "[broken\n" });
    assert.deepStrictEqual(await obeyed(), ["inc"]);
    await write(tree, { "inc": "[include]\n\tpath = more\n", "more": "[broken\n" });
    assert.deepStrictEqual(await obeyed(), ["inc", "more"]);
    await write(tree, { "inc": "[include]\n\tpath = \\\n  more\n", "more": "[core]\n\thooksPath = gh\n" });
    assert.deepStrictEqual(await obeyed(), [...OWN, "gh", "inc", "more"]);
    await write(tree, { "inc": "[include]\n\tpath = mo\\re\n" });
    assert.deepStrictEqual(await obeyed(), ["inc", "mo\\re"], "git fails at the value");
    await write(tree, { "inc": "[core]\n\thooksPath = hh\n" });
    assert.deepStrictEqual(await obeyed(), [...OWN, "hh", "inc"]);
  }));

Deno.test("S21 GitAnswers asks about a repository that was removed when it is there again, and not before", () =>
  inRepository(async ({ tree, answers, asked, obeyed }) => {
    await Deno.remove(`${tree}/.git`, { recursive: true });
    const [repository, of] = [`${tree}/r`, [`r/.git/config`, `r/.git/hooks`]];
    await run(tree, "git", "init", "-q", repository);
    answers.add([repository]);
    assert.deepStrictEqual(await obeyed(), of);
    await Deno.remove(repository, { recursive: true });
    assert.deepStrictEqual(await obeyed(), []);
    const times = asked.length;
    assert.deepStrictEqual(await obeyed(), []);
    assert.deepStrictEqual(asked.length, times, "nothing changed, so git is not asked");
    await run(tree, "git", "init", "-q", repository);
    await run(repository, "git", "config", "core.hooksPath", "gh");
    assert.deepStrictEqual(await obeyed(), [...of, "r/gh"]);
  }));

Deno.test("S21 GitAnswers asks again about a repository that was moved away while git was asked, and is back", () =>
  inRepository(async (place) => {
    const { tree, answers, obeyed } = place;
    await Deno.remove(`${tree}/.git`, { recursive: true });
    await run(tree, "git", "init", "-q", `${tree}/r`);
    await run(`${tree}/r`, "git", "config", "core.hooksPath", "gh");
    answers.add([`${tree}/r`]);
    const move = (from: string, to: string) => () => existsSync(from) && Deno.renameSync(from, to);
    place.beforeAsk = move(`${tree}/r`, `${tree}/away`);
    place.beforeLook = move(`${tree}/away`, `${tree}/r`);
    await obeyed();
    place.beforeAsk = () => {};
    assert.deepStrictEqual(await obeyed(), ["r/.git/config", "r/.git/hooks", "r/gh"]);
  }));

Deno.test("S21 what git is asked starts nothing that the repository names", () =>
  inRepository(async ({ tree, obeyed }) => {
    const trap = `${tree}/trap`;
    await Deno.writeTextFile(trap, `#!/bin/sh\necho "$0 $@" >> ${tree}/ran\n`);
    await Deno.chmod(trap, 0o755);
    for (const name of ["git", "less", "sh"]) await Deno.copyFile(trap, `${tree}/${name}`);
    const keys = ["fsmonitor", "pager", "editor", "sshCommand", "askPass"].map((key) => `\t${key} = ${trap}\n`).join(
      "",
    );
    await write(tree, {
      ".git/config": `[core]\n${keys}[pager]\n\tconfig = ${trap}\n[alias]\n\tconfig = !${trap}\n[trace2]\n` +
        `\teventTarget = ${tree}/traced\n[credential]\n\thelper = !${trap}\n[filter "x"]\n\tprocess = ${trap}\n`,
    });
    assert.deepStrictEqual(await obeyed(), ["!trap", ...OWN]);
    await assert.rejects(Deno.lstat(`${tree}/ran`), Deno.errors.NotFound);
    await assert.rejects(Deno.lstat(`${tree}/traced`), Deno.errors.NotFound);
    await run(tree, "git", "-c", "safe.directory=*", "status");
    await Deno.lstat(`${tree}/ran`); // the control: git status does run one
  }));
