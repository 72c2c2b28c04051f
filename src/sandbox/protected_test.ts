import assert from "node:assert/strict";
import { nestedRepositoryPaths, protectedPaths, type ProtectionQuestion } from "./protected.ts";

async function inTree(test: (tree: string) => Promise<void>): Promise<void> {
  const tree = await Deno.realPath(await Deno.makeTempDir());
  try {
    await test(tree);
  } finally {
    await Deno.remove(tree, { recursive: true });
  }
}

/** Without the tree; or the problem. */
function paths(tree: string, change: Partial<ProtectionQuestion> = {}): readonly string[] | string {
  const outcome = protectedPaths({ trees: [tree], home: undefined, protect: [], allow: [], own: [], ...change });
  return outcome.ok ? outcome.value.map(({ path }) => path.slice(tree.length + 1)) : outcome.problem;
}

Deno.test("S8 protectedPaths() names what programs outside obey, whether it exists or not", () =>
  inTree((tree) => {
    const all = paths(tree);
    const wanted = [".git/hooks", ".git/config", ".vscode", ".idea", ".mcp.json", ".cursor", ".claude", ".envrc"];
    assert.deepStrictEqual([...wanted, ".husky", ".ahma"].filter((name) => !all.includes(name)), []);
    assert.ok(!all.includes(".bashrc"));
    return Promise.resolve();
  }));

Deno.test("S8 protectedPaths() adds shell profiles where home itself can be written to, and what is ours", () =>
  inTree((tree) => {
    assert.ok(paths(tree, { home: tree }).includes(".bashrc"));
    assert.ok(paths(tree, { home: `${tree}/u` }).includes("u/.bashrc"));
    assert.ok(paths(tree, { own: [`${tree}/tools`, "/elsewhere"] }).includes("tools"));
    return Promise.resolve();
  }));

Deno.test("S8 protectedPaths() adds --protect, seen from every tree, and ignores what nobody can change", () =>
  inTree((tree) => {
    const base = paths(tree);
    const all = paths(tree, { protect: ["ci/./x/..", `${tree}/keys/`, "/etc/passwd", "../out"] });
    assert.deepStrictEqual(new Set(all).difference(new Set(base)), new Set(["ci", "keys"]));
    return Promise.resolve();
  }));

Deno.test("S8 protectedPaths() leaves out --allow-protected with all that lies in it, and refuses a wrong one", () =>
  inTree((tree) => {
    const base = paths(tree);
    const left = (allow: string) => new Set(base).difference(new Set(paths(tree, { allow: [allow] })));
    assert.deepStrictEqual(left(".git/config"), new Set([".git/config"]));
    assert.deepStrictEqual(left(`${tree}/.vscode`), new Set([".vscode"]));
    const ofGit = [".git/hooks", ".git/config", ".git/config.worktree", ".git/commondir", ".git"];
    assert.deepStrictEqual(left(".git"), new Set(ofGit));
    assert.match(String(paths(tree, { allow: [".vscode/tasks.json"] })), /is protected as a whole/);
    assert.match(String(paths(tree, { allow: ["src"] })), /it is not protected/);
    return Promise.resolve();
  }));

Deno.test("S8 protectedPaths() follows a protected link to another place in the tree", () =>
  inTree(async (tree) => {
    await Deno.mkdir(`${tree}/shared`);
    await Deno.symlink(`${tree}/shared`, `${tree}/.vscode`);
    await Deno.symlink("/etc", `${tree}/.idea`);
    assert.deepStrictEqual(new Set(paths(tree)).difference(new Set(paths("/nowhere/at/all"))), new Set(["shared"]));
  }));

Deno.test("S8 nestedRepositoryPaths() protects .git itself only where it is a file", () => {
  assert.deepStrictEqual(nestedRepositoryPaths("/t/a", "/t"), [
    { path: "/t/a/.git/hooks", tree: "/t", fileOnly: false },
    { path: "/t/a/.git/config", tree: "/t", fileOnly: false },
    { path: "/t/a/.git", tree: "/t", fileOnly: true },
  ]);
});

Deno.test("S8 protectedPaths() adds hooks and configuration that the repository's own configuration names", () =>
  inTree(async (tree) => {
    const base = new Set(paths(tree));
    await Deno.mkdir(`${tree}/.git`);
    const text = '[core]\n\thooksPath = .githooks\n[include]\n\tpath = "../.gitconfig"\n[include] path = ~/x\n' +
      '[includeIf "onbranch:a"]\n\tPath = /etc/gitconfig\n[submodule "p"]\n\turl = x\n';
    await Deno.writeTextFile(`${tree}/.git/config`, text);
    assert.deepStrictEqual(new Set(paths(tree)).difference(base), new Set([".githooks", ".gitconfig"]));
  }));
