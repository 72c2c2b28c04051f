import assert from "node:assert/strict";
import { lookAtGuarded, protectedChanges } from "./path_snapshot.ts";
import type { GuardPlan, GuardView } from "./guard_view.ts";
import { Libc } from "../../system/libc.ts";

const MOUNTED = { mounted: true };
const BARE = { mounted: false };

interface Place {
  readonly tree: string;
  plan(names: readonly string[], hidden?: readonly string[]): GuardPlan;
  look(plan: GuardPlan, how: { readonly mounted: boolean }): ReturnType<typeof lookAtGuarded>;
}

async function inTree(test: (place: Place) => Promise<void>): Promise<void> {
  const tree = await Deno.realPath(await Deno.makeTempDir());
  const libc = new Libc();
  try {
    await Deno.mkdir(`${tree}/.git/hooks`, { recursive: true });
    await Deno.writeTextFile(`${tree}/.git/config`, "[core]");
    await test({
      tree,
      plan: (names, hidden = []) => ({
        protected: names.map((name) => ({ path: `${tree}/${name}`, tree, fileOnly: name === ".git" })),
        trees: [{ path: tree, ...libc.identityOf(tree) ?? assert.fail("no tree") }],
        open: [],
        hidden: hidden.map((name) => ({ path: `${tree}/${name}`, tree })),
        home: undefined,
        git: undefined,
        covers: { directory: "/empty", file: "/nothing" },
      }),
      look: (plan, how) => lookAtGuarded(plan, libc, how),
    });
  } finally {
    libc[Symbol.dispose]();
    await Deno.remove(tree, { recursive: true });
  }
}

Deno.test("S8 lookAtGuarded() mounts what exists, after pinning the directories on the way", () =>
  inTree(({ tree, plan, look }) => {
    const { guarded } = look(plan([".git/hooks", ".git/config", ".git", ".vscode"]), MOUNTED);
    const seen = guarded.map(({ path, treatment, cover }) => [path.slice(tree.length + 1), treatment, cover === path]);
    assert.deepStrictEqual(seen, [
      [".git", "pin", true],
      [".git/hooks", "read_only", true],
      [".git/config", "read_only", true],
    ]);
    return Promise.resolve();
  }));

Deno.test("S8 lookAtGuarded() makes a directory on the way read-only where that is protected as a whole", () =>
  inTree(({ tree, plan, look }) => {
    const whole = { path: `${tree}/.git`, tree, fileOnly: false };
    const both = plan([".git/hooks"]);
    const { guarded } = look({ ...both, protected: [...both.protected, whole] }, MOUNTED);
    const seen = guarded.map(({ path, treatment }) => [path.slice(tree.length + 1), treatment]);
    assert.deepStrictEqual(seen, [[".git", "read_only"], [".git/hooks", "read_only"]]);
    return Promise.resolve();
  }));

Deno.test("S8 lookAtGuarded() leaves named directories in a protected one writable, but no links, and nothing that is protected itself", () =>
  inTree(async ({ tree, plan, look }) => {
    await Deno.mkdir(`${tree}/.ahma/issues`, { recursive: true });
    await Deno.mkdir(`${tree}/.ahma/memos`);
    await Deno.symlink("../.git", `${tree}/.ahma/state`);
    const own = { path: `${tree}/.ahma`, tree, fileOnly: false, writable: ["issues", "memos", "state"] };
    const all = { ...plan([]), protected: [own, { path: `${tree}/.ahma/memos`, tree, fileOnly: false }] };
    const before = look(all, MOUNTED);
    assert.deepStrictEqual(treatmentsOf(before, tree), [
      [".ahma", "read_only"],
      [".ahma/issues", "writable"],
      [".ahma/memos", "read_only"],
      [".git", "read_only"],
    ]);
    await Deno.writeTextFile(`${tree}/.ahma/issues/a.md`, "");
    assert.deepStrictEqual(protectedChanges(before, look(all, MOUNTED)), []);
    await Deno.writeTextFile(`${tree}/.ahma/memos/a.md`, "");
    assert.deepStrictEqual(protectedChanges(before, look(all, MOUNTED)).map(({ path }) => path), [
      `${tree}/.ahma/memos`,
    ]);
  }));

/** Treatments by path, seen from the tree. */
function treatmentsOf({ guarded }: GuardView, tree: string): readonly (readonly [string, string])[] {
  return guarded.map(({ path, treatment }) => [path.slice(tree.length + 1), treatment]);
}

Deno.test("S21 lookAtGuarded() keeps links from being exchanged, and protects what they lead to", () =>
  inTree(async ({ tree, plan, look }) => {
    await Deno.mkdir(`${tree}/shared/vs`, { recursive: true });
    await Deno.symlink("shared/vs", `${tree}/.vscode`);
    await Deno.symlink("/etc", `${tree}/.idea`);
    await Deno.symlink("nowhere/yet", `${tree}/.husky`);
    await Deno.mkdir(`${tree}/other/git`, { recursive: true });
    await Deno.symlink("git", `${tree}/other/.git`);
    await Deno.writeTextFile(`${tree}/other/git/config`, "");
    const names = [".vscode", ".idea", ".husky", "other/.git/config"];
    const view = look(plan(names), MOUNTED);
    assert.deepStrictEqual(treatmentsOf(view, tree), [
      [".vscode", "pin"],
      ["shared", "pin"],
      ["shared/vs", "read_only"],
      [".idea", "pin"],
      [".husky", "pin"],
      ["other", "pin"],
      ["other/.git", "pin"],
      ["other/git", "pin"],
      ["other/git/config", "read_only"],
    ]);
    const found = [".vscode", "shared/vs", ".idea", ".husky", "other/.git", "other/git/config"];
    assert.deepStrictEqual([...view.seen.keys()], found.map((name) => `${tree}/${name}`));
    await Deno.mkdir(`${tree}/nowhere/yet`, { recursive: true });
    assert.deepStrictEqual(protectedChanges(view, look(plan(names), MOUNTED)), [
      { path: `${tree}/nowhere/yet`, change: "created" },
    ]);
  }));

Deno.test("S21 lookAtGuarded() follows links in protected directories, and only tells of what tools generate", () =>
  inTree(async ({ tree, plan, look }) => {
    await Deno.mkdir(`${tree}/scripts`);
    await Deno.mkdir(`${tree}/node_modules/.bin`, { recursive: true });
    await Deno.writeTextFile(`${tree}/scripts/hook`, "");
    await Deno.writeTextFile(`${tree}/node_modules/.bin/lint`, "");
    await Deno.symlink("../../scripts/hook", `${tree}/.git/hooks/pre-commit`);
    await Deno.symlink("../../node_modules/.bin/lint", `${tree}/.git/hooks/pre-push`);
    const view = look(plan([".git/hooks"]), MOUNTED);
    assert.deepStrictEqual(
      new Set(treatmentsOf(view, tree).map(String)),
      new Set([
        ".git,pin",
        ".git/hooks,read_only",
        "scripts,pin",
        "scripts/hook,read_only",
      ]),
    );
    await Deno.writeTextFile(`${tree}/node_modules/.bin/lint`, "evil");
    assert.deepStrictEqual(protectedChanges(view, look(plan([".git/hooks"]), MOUNTED)), [
      { path: `${tree}/node_modules/.bin/lint`, change: "changed" },
    ]);
  }));

Deno.test("S21 lookAtGuarded() watches all of a tree that a protected link leads to, and ends where links do not", () =>
  inTree(async ({ tree, plan, look }) => {
    await Deno.symlink(".", `${tree}/.vscode`);
    await Deno.symlink(".husky", `${tree}/.husky`);
    const names = plan([".vscode", ".husky"]);
    const view = look(names, MOUNTED);
    assert.deepStrictEqual(treatmentsOf(view, tree), [[".vscode", "pin"], [".husky", "pin"]]);
    await Deno.writeTextFile(`${tree}/tasks.json`, "evil");
    assert.deepStrictEqual(protectedChanges(view, look(names, MOUNTED)), [{ path: tree, change: "changed" }]);
  }));

Deno.test("S21 lookAtGuarded() refuses a link that leads to a name it cannot write down", () =>
  inTree(async ({ tree, plan, look }) => {
    const line = "ln -s $'vs\\xff' .vscode";
    await new Deno.Command("bash", { args: ["-c", line], cwd: tree }).output();
    const { unreadable } = look(plan([".vscode", ".idea"]), MOUNTED);
    assert.deepStrictEqual(unreadable, [`${tree}/.vscode`]);
  }));

Deno.test("S21 lookAtGuarded() finds second names of protected files, in protected directories too", () =>
  inTree(async ({ tree, plan, look }) => {
    await Deno.mkdir(`${tree}/.husky/_`, { recursive: true });
    await Deno.writeTextFile(`${tree}/.husky/_/h`, "");
    await Deno.writeTextFile(`${tree}/.husky/single`, "");
    const names = plan([".git/config", ".husky"]);
    assert.deepStrictEqual(look(names, MOUNTED).shared, []);
    await Deno.link(`${tree}/.git/config`, `${tree}/keep`);
    await Deno.link(`${tree}/.husky/_/h`, `${tree}/h`);
    const view = look(names, MOUNTED);
    assert.deepStrictEqual(view.shared.map(({ path }) => path), [`${tree}/.git/config`, `${tree}/.husky/_/h`]);
    await Deno.writeTextFile(`${tree}/keep`, "evil");
    await Deno.writeTextFile(`${tree}/h`, "evil");
    assert.deepStrictEqual(protectedChanges(view, look(names, MOUNTED)), [
      { path: `${tree}/.git/config`, change: "changed" },
      { path: `${tree}/.husky`, change: "changed" },
    ]);
  }));

Deno.test("S7 lookAtGuarded() covers places of credentials last, and names those it cannot cover", () =>
  inTree(async ({ tree, plan, look }) => {
    await Deno.mkdir(`${tree}/.ssh`);
    await Deno.writeTextFile(`${tree}/.netrc`, "");
    const both = plan([".git/config"], [".netrc", ".ssh", ".aws"]);
    const covers = look(both, MOUNTED).guarded.map(({ treatment, cover }) => [treatment, cover.replace(tree, "")]);
    assert.deepStrictEqual(covers, [
      ["pin", "/.git"],
      ["read_only", "/.git/config"],
      ["hidden", "/nothing"],
      ["hidden", "/empty"],
    ]);
    assert.deepStrictEqual(look(both, MOUNTED).exposed, []);
    assert.deepStrictEqual(look(both, BARE).exposed, [`${tree}/.netrc`, `${tree}/.ssh`]);
  }));

Deno.test("S7 lookAtGuarded() pins the directories on the way to what it covers, where they could be renamed", () =>
  inTree(async ({ tree, plan, look }) => {
    await Deno.mkdir(`${tree}/.config/gh`, { recursive: true });
    const written = plan([], [".config/gh"]);
    const read = { ...written, hidden: [{ path: `${tree}/.config/gh` }] };
    const treatments = (of: GuardPlan) => look(of, MOUNTED).guarded.map(({ path, treatment }) => [path, treatment]);
    const gh = [`${tree}/.config/gh`, "hidden"];
    assert.deepStrictEqual(treatments(written), [[`${tree}/.config`, "pin"], gh]);
    assert.deepStrictEqual(treatments(read), [gh]);
  }));

Deno.test("S7 lookAtGuarded() covers what is protected as well", () =>
  inTree(async ({ tree, plan, look }) => {
    await Deno.mkdir(`${tree}/.ssh`);
    const { guarded } = look(plan([".ssh"], [".ssh"]), MOUNTED);
    assert.deepStrictEqual(guarded.map(({ treatment }) => treatment), ["hidden"]);
  }));

Deno.test("S8 the key of a view changes exactly when other mounts are needed", () =>
  inTree(async ({ tree, plan, look }) => {
    const names = plan([".git/config", ".vscode"]);
    const key = () => look(names, MOUNTED).key;
    const first = key();
    await Deno.writeTextFile(`${tree}/.git/index`, "");
    assert.equal(key(), first, "git at work");
    await Deno.writeTextFile(`${tree}/.git/config.lock`, "[core]");
    await Deno.rename(`${tree}/.git/config.lock`, `${tree}/.git/config`);
    const second = key();
    assert.notEqual(second, first, "another file has taken its place, which no mount covers");
    await Deno.mkdir(`${tree}/.vscode`);
    assert.notEqual(key(), second, "one more exists");
  }));

Deno.test("S8 protectedChanges() tells what was created, changed deep inside, and removed", () =>
  inTree(async ({ tree, plan, look }) => {
    await Deno.mkdir(`${tree}/.husky/_`, { recursive: true });
    await Deno.writeTextFile(`${tree}/.husky/_/h`, "1");
    const names = plan([".git/hooks", ".git/config", ".vscode", ".husky", ".envrc"]);
    const before = look(names, BARE);
    assert.deepStrictEqual(protectedChanges(before, look(names, BARE)), []);
    await Deno.mkdir(`${tree}/.vscode`);
    await Deno.writeTextFile(`${tree}/.husky/_/h`, "2");
    await Deno.chmod(`${tree}/.git/config`, 0o600);
    await Deno.remove(`${tree}/.git/hooks`);
    const changes = protectedChanges(before, look(names, BARE));
    assert.deepStrictEqual(changes.map(({ path, change }) => [path.slice(tree.length + 1), change]), [
      [".git/config", "changed"],
      [".git/hooks", "removed"],
      [".husky", "changed"],
      [".vscode", "created"],
    ]);
  }));

Deno.test("S8 S21 protectedChanges() tells of what is mounted as of what is not", () =>
  inTree(async ({ tree, plan, look }) => {
    const names = plan([".git/hooks", ".git/config", ".mcp.json"]);
    const before = look(names, MOUNTED);
    await Deno.writeTextFile(`${tree}/.git/config`, "by the user");
    await Deno.remove(`${tree}/.git/hooks`);
    await Deno.writeTextFile(`${tree}/.mcp.json`, "{}");
    assert.deepStrictEqual(protectedChanges(before, look(names, MOUNTED)), [
      { path: `${tree}/.git/config`, change: "changed" },
      { path: `${tree}/.git/hooks`, change: "removed" },
      { path: `${tree}/.mcp.json`, change: "created" },
    ]);
  }));

/** With names of one symbolic link. */
function fillWithLinks(directory: string, count: number): void {
  Deno.symlinkSync("nowhere", `${directory}/0`);
  for (let entry = 1; entry < count; entry++) Deno.linkSync(`${directory}/0`, `${directory}/${entry}`);
}

Deno.test("S21 lookAtGuarded() sees second names in one directory, whatever fills another", () =>
  inTree(async ({ tree, plan, look }) => {
    await Deno.mkdir(`${tree}/.claude`);
    await Deno.mkdir(`${tree}/.zed`);
    fillWithLinks(`${tree}/.claude`, 4_200);
    await Deno.writeTextFile(`${tree}/.zed/tasks.json`, "[]");
    await Deno.link(`${tree}/.zed/tasks.json`, `${tree}/second`);
    const { shared, behind, overfull } = look(plan([".claude", ".zed"]), MOUNTED);
    assert.deepStrictEqual(shared.map(({ path }) => path), [`${tree}/.zed/tasks.json`]);
    assert.ok(behind.everything.includes(`${tree}/.zed/tasks.json`), "it is looked at again");
    assert.deepStrictEqual(overfull, [`${tree}/.claude`]);
  }));
