/**
 * Every leaf of the shipped tool files against the real program: each example becomes argv as in service and is run as
 * it is. The examples of a file are a story in one scratch directory, so that later ones find what earlier ones made.
 */
import assert from "node:assert/strict";
import type { Catalog } from "../catalog/leaf.ts";
import { loadCatalog, loadCatalogFromTexts } from "../catalog/load.ts";
import { checkArguments } from "./arguments.ts";
import { prepareCommand } from "./command_line.ts";

interface Example {
  /** Without the tool's name and `_`; empty: the tool itself. */
  readonly leaf: string;
  readonly args?: Readonly<Record<string, unknown>>;
  /** Written before the run. */
  readonly files?: Readonly<Record<string, string>>;
  /** Text the output must hold. */
  readonly says?: string;
  /** Expected exit code; `offline`: fails because the test has no network, and for no wrong usage. Absent: 0. */
  readonly end?: number | "offline";
}

const TOOLS = new URL("../../tools", import.meta.url).pathname;
const WRONG_USAGE =
  /usage:|unknown (option|switch|flag|cli)|unexpected argument|unrecognized (option|argument)|invalid option|illegal option/i;
/** A closed port in place of every registry and proxy: nothing here may depend on a network. */
const NOWHERE = "http://127.0.0.1:9";

const GIT: readonly Example[] = [
  { leaf: "init", args: { "initial-branch": "main" } },
  { leaf: "status", args: { short: true, branch: true, paths: ["."] }, files: { "a.txt": "one\n", "-b.txt": "two\n" } },
  { leaf: "add", args: { paths: ["a.txt", "-b.txt"] } },
  { leaf: "commit", args: { message: 'First\n\nWith "quotes", $HOME and `ticks`' } },
  { leaf: "diff", args: { unified: 1, paths: ["a.txt"] }, files: { "a.txt": "one\ntwo\n", "c d.txt": "three\n" } },
  { leaf: "diff", args: { stat: true, revision: "HEAD" } },
  { leaf: "add", args: { all: true } },
  { leaf: "commit", args: { message: "-Second", signoff: true } },
  { leaf: "log", args: { "max-count": 1, oneline: true } },
  { leaf: "log", args: { author: "nobody", since: "2.weeks", revision: "HEAD", paths: ["a.txt"] } },
  { leaf: "show", args: { stat: true, revision: "HEAD" } },
  { leaf: "blame", args: { range: "1,1", file: "a.txt" } },
  { leaf: "grep", args: { pattern: "tw[o]", paths: ["a.txt"] } },
  { leaf: "ls-files", args: { modified: true, paths: ["."] } },
  { leaf: "rev-parse", args: { "abbrev-ref": true, revision: "HEAD" } },
  { leaf: "branch", args: { name: "side", start: "HEAD~1" } },
  { leaf: "branch", args: { all: true, verbose: true } },
  { leaf: "switch", args: { create: "new" } },
  { leaf: "switch", args: { branch: "side" } },
  { leaf: "add", args: { all: true }, files: { "side.txt": "side\n" } },
  { leaf: "commit", args: { message: "Side" } },
  { leaf: "rebase", args: { upstream: "main" } },
  { leaf: "switch", args: { branch: "main" } },
  { leaf: "merge", args: { "no-ff": true, message: "Join", revision: "side" } },
  { leaf: "revert", args: { commits: ["side"] } },
  { leaf: "cherry-pick", args: { commits: ["side"] } },
  { leaf: "reset", args: { hard: true, revision: "HEAD~1" } },
  { leaf: "restore", args: { paths: ["a.txt"] }, files: { "a.txt": "changed\n" } },
  { leaf: "restore", args: { staged: true, source: "HEAD", paths: ["."] } },
  { leaf: "stash_push", args: { message: "aside", paths: ["a.txt"] }, files: { "a.txt": "stashed\n" } },
  { leaf: "stash_list" },
  { leaf: "stash_show", args: { patch: true, stash: "stash@{0}" } },
  { leaf: "stash_apply", args: { stash: "stash@{0}" } },
  { leaf: "restore", args: { paths: ["."] } },
  { leaf: "stash_pop", args: { index: true } },
  { leaf: "stash_push", args: {} },
  { leaf: "stash_drop", args: { stash: "stash@{0}" } },
  { leaf: "worktree_add", args: { branch: "other", path: "wt" } },
  { leaf: "worktree_list" },
  { leaf: "worktree_remove", args: { force: true, path: "wt" } },
  { leaf: "worktree_prune", args: { "dry-run": true } },
  { leaf: "init", args: { bare: true, directory: "remote.git" } },
  { leaf: "remote_add", args: { name: "origin", url: "./remote.git" } },
  { leaf: "remote" },
  { leaf: "tag", args: { message: "One", name: "v1" } },
  { leaf: "push", args: { "set-upstream": true, tags: true, remote: "origin", refspecs: ["main"] } },
  { leaf: "fetch", args: { prune: true, remote: "origin", refspecs: ["main"] } },
  { leaf: "pull", args: { "ff-only": true, remote: "origin", branch: "main" } },
  { leaf: "clone", args: { branch: "main", repository: "./remote.git", directory: "copy" } },
  { leaf: "remote_remove", args: { name: "origin" } },
  { leaf: "apply", args: { check: true, stdin: "--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1 @@\n one\n-two\n" } },
  { leaf: "clean", args: { "dry-run": true, directories: true, paths: ["copy"] } },
];

const FILE_TOOLS: readonly Example[] = [
  { leaf: "mkdir", args: { parents: true, paths: ["dir/deep", "-dash"] } },
  { leaf: "touch", args: { files: ["dir/empty", "with space"] } },
  { leaf: "tee", args: { files: ["a.txt"], stdin: "b old\na old\n" } },
  { leaf: "cp", args: { preserve: true, sources: ["a.txt", "with space"], destination: "dir" } },
  { leaf: "mv", args: { sources: ["dir/a.txt"], destination: "dir/b.txt" } },
  { leaf: "ls", args: { long: true, all: true, "sort-time": true, paths: ["dir", "-dash"] } },
  { leaf: "cat", args: { number: true, files: ["a.txt"] } },
  { leaf: "head", args: { lines: 1, files: ["a.txt"] } },
  { leaf: "tail", args: { bytes: 2, files: ["a.txt"] } },
  { leaf: "wc", args: { lines: true, files: ["a.txt"] } },
  {
    leaf: "grep",
    args: { recursive: true, pattern: "-*old", include: ["*.txt"], "exclude-dir": [".git"], paths: ["."] },
  },
  { leaf: "grep", args: { pattern: "absent", paths: ["a.txt"] }, end: 1 },
  { leaf: "find", args: { maxdepth: 2, type: "f", name: "*.txt", paths: ["dir", "."] } },
  { leaf: "find", args: { empty: true } },
  { leaf: "stat", args: { files: ["a.txt"] } },
  { leaf: "du", args: { "max-depth": 1, paths: ["dir"] } },
  { leaf: "sort", args: { key: "1,1", files: ["a.txt"] } },
  { leaf: "sed", args: { expression: "s/old/new/", "in-place": ".bak", files: ["a.txt"] } },
  { leaf: "diff", args: { unified: 1, old: "a.txt.bak", new: "a.txt" }, end: 1 },
  { leaf: "ln", args: { symbolic: true, target: "a.txt", link: "link" } },
  { leaf: "chmod", args: { mode: "+x", paths: ["a.txt"] } },
  { leaf: "rmdir", args: { paths: ["-dash"] } },
  { leaf: "rm", args: { recursive: true, force: true, paths: ["dir", "link"] } },
  { leaf: "pwd" },
];

const DENO: readonly Example[] = [
  {
    leaf: "run",
    args: { "allow-read": ".,deno.json", "allow-env": "HOME", script: "main.ts", args: ["--flag", "a b"] },
    files: {
      "deno.json": '{ "tasks": { "hello": "echo hello" }, "imports": {} }\n',
      "main.ts": 'Deno.readTextFileSync("deno.json");\nif (Deno.args[1] !== "a b") Deno.exit(7);\n',
      "adds.ts": "export const adds = (a: number, b: number): number => a + b;\n",
      "good_test.ts": 'import { adds } from "./adds.ts";\n' +
        'Deno.test("adds", () => {\n  if (adds(1, 1) !== 2) throw new Error();\n});\n',
      "quick_bench.ts": 'Deno.bench({ name: "nothing", n: 1, warmup: 1, fn() {} });\n',
    },
  },
  { leaf: "task" },
  { leaf: "task", args: { task: "hello", args: ["--there"] }, says: "hello --there" },
  { leaf: "check", args: { files: ["main.ts"] } },
  {
    leaf: "test",
    args: { filter: "adds", "fail-fast": 1, coverage: "cov", reporter: "dot", files: ["good_test.ts"] },
    says: "1 passed",
  },
  { leaf: "coverage", args: { lcov: true, directories: ["cov"] } },
  { leaf: "bench", args: { json: true, files: ["quick_bench.ts"] } },
  { leaf: "lint", args: { compact: true, files: ["main.ts"] } },
  { leaf: "fmt", args: { check: true, "line-width": 100, files: ["main.ts"] } },
  { leaf: "info", args: { json: true, module: "main.ts" } },
  { leaf: "doc", args: { json: true, module: "main.ts" } },
  { leaf: "eval", args: { print: true, code: "6 * 7" }, says: "42" },
  { leaf: "install" },
  { leaf: "outdated", args: { latest: true } },
  {
    leaf: "remove",
    args: { packages: ["left"] },
    files: { "deno.json": '{ "imports": { "left": "npm:left-pad@1" } }\n' },
    says: "left",
    end: "offline",
  },
  { leaf: "add", args: { dev: true, packages: ["npm:left-pad@1"] }, end: "offline" },
  { leaf: "compile", args: { "allow-read": ".", output: "out", script: "main.ts" }, end: "offline" },
];

const NPM: readonly Example[] = [
  { leaf: "init" },
  {
    leaf: "pkg_set",
    args: { assignments: ["scripts.show=printf '[%s]'", "scripts.test=printf '[%s]'"] },
    files: { "dep/package.json": '{ "name": "dep", "version": "1.0.0", "bin": "run.js" }\n', "dep/run.js": "\n" },
  },
  { leaf: "pkg_get", args: { fields: ["scripts.show"] }, says: "printf" },
  { leaf: "install", args: { "save-dev": true, offline: true, packages: ["./dep"] } },
  { leaf: "ls", args: { depth: 1, json: true, packages: ["dep"] }, says: '"dep"' },
  { leaf: "explain", args: { packages: ["dep"] }, says: "dep" },
  { leaf: "ci", args: { offline: true, omit: "optional" } },
  { leaf: "run", args: { silent: true, script: "show", script_args: ["--flag", "a b"] }, says: "[--flag][a b]" },
  { leaf: "test", args: { script_args: ["--flag"] }, says: "[--flag]" },
  { leaf: "exec", args: { offline: true, program: "node", program_args: ["--version"] }, end: "offline" },
  { leaf: "update", args: { offline: true, "dry-run": true, packages: ["dep"] } },
  { leaf: "outdated", args: { json: true, packages: ["dep"] } },
  { leaf: "uninstall", args: { packages: ["dep"] } },
  { leaf: "pack", args: { "dry-run": true, json: true } },
  { leaf: "version", args: { "no-git-tag-version": true, version: "minor" }, says: "v1.1.0" },
  { leaf: "pkg_delete", args: { fields: ["scripts.show"] } },
  { leaf: "view", args: { json: true, package: "left-pad", fields: ["version"] }, end: "offline" },
  { leaf: "audit", args: { "audit-level": "high", omit: "dev" }, end: "offline" },
];

const STORIES: readonly (readonly [string, readonly Example[]])[] = [
  ["git", GIT],
  ["file-tools", FILE_TOOLS],
  ["deno", DENO],
  ["npm", NPM],
];

for (const [tool, examples] of STORIES) {
  Deno.test(`T15 every leaf of tools/${tool}.json has an example`, async () => {
    const told = new Set(examples.map(({ leaf }) => nameOf(tool, leaf)));
    const { leaves } = await catalogOfFile(tool);
    assert.deepStrictEqual(leaves.map((leaf) => leaf.name).filter((name) => !told.has(name)), []);
  });

  Deno.test(`T15 the leaves of tools/${tool}.json work against the real program`, async () => {
    const catalog = await catalogOfFile(tool);
    const directory = await Deno.makeTempDir();
    try {
      for (const example of examples) await play(catalog, nameOf(tool, example.leaf), example, directory);
    } finally {
      await Deno.remove(directory, { recursive: true });
    }
  });
}

Deno.test("T15 the shipped tool files load together without any problem", async () => {
  assert.deepStrictEqual((await loadCatalog(TOOLS)).problems, []);
});

function nameOf(tool: string, leaf: string): string {
  return leaf === "" || leaf === tool ? tool : `${tool}_${leaf}`;
}

async function catalogOfFile(tool: string): Promise<Catalog> {
  const file = `${TOOLS}/${tool}.json`;
  return await loadCatalogFromTexts([{ file, text: await Deno.readTextFile(file) }]);
}

async function play(catalog: Catalog, name: string, example: Example, directory: string): Promise<void> {
  for (const [path, text] of Object.entries(example.files ?? {})) {
    await Deno.mkdir(`${directory}/${path}`.replace(/\/[^/]*$/, ""), { recursive: true });
    await Deno.writeTextFile(`${directory}/${path}`, text);
  }
  const leaf = catalog.byName.get(name);
  assert.ok(leaf, `There is no leaf "${name}"`);
  const checked = checkArguments(leaf, example.args ?? {});
  assert.ok(checked.ok, checked.ok ? "" : JSON.stringify(checked.problem));
  const { argv, environment, files, stdin } = prepareCommand(leaf, checked.value);
  const words = await Promise.all(argv.map(async (word) => {
    if (typeof word === "string") return word;
    const path = `${directory}/.git/argument`;
    await Deno.writeTextFile(path, files[word.file] ?? "");
    return path;
  }));
  const { code, text } = await runProgram(words, { directory, environment, stdin });
  const said = `${words.join(" ")} ended with ${code}:\n${text}`;
  assert.doesNotMatch(text, WRONG_USAGE, said);
  assert.ok(text.includes(example.says ?? ""), said);
  if (example.end !== "offline") assert.equal(code, example.end ?? 0, said);
}

interface Run {
  readonly directory: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly stdin: string | undefined;
}

async function runProgram(words: readonly string[], run: Run): Promise<{ code: number; text: string }> {
  const [program = "", ...args] = words;
  const child = new Deno.Command(program, {
    args,
    cwd: run.directory,
    stdin: run.stdin === undefined ? "null" : "piped",
    stdout: "piped",
    stderr: "piped",
    env: {
      ...ISOLATED,
      DENO_DIR: `${run.directory}/.deno`,
      npm_config_cache: `${run.directory}/.npm`,
      ...run.environment,
    },
  }).spawn();
  if (run.stdin !== undefined) {
    const writer = child.stdin.getWriter();
    await writer.write(new TextEncoder().encode(run.stdin));
    await writer.close();
  }
  const { code, stdout, stderr } = await child.output();
  const decoder = new TextDecoder();
  return { code, text: decoder.decode(stdout) + decoder.decode(stderr) };
}

const ISOLATED: Readonly<Record<string, string>> = {
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_AUTHOR_NAME: "A",
  GIT_AUTHOR_EMAIL: "a@invalid",
  GIT_COMMITTER_NAME: "A",
  GIT_COMMITTER_EMAIL: "a@invalid",
  NPM_CONFIG_REGISTRY: NOWHERE,
  npm_config_registry: NOWHERE,
  npm_config_fetch_retries: "0",
  npm_config_update_notifier: "false",
  HTTPS_PROXY: NOWHERE,
  HTTP_PROXY: NOWHERE,
  NO_COLOR: "1",
  LC_ALL: "C",
};
