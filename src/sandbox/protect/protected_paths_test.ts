import assert from "node:assert/strict";
import {
  HOME_NAMES,
  nestedRepositoryPaths,
  PROTECTED_NAMES,
  protectedPaths,
  type ProtectionQuestion,
  withTargets,
} from "./protected_paths.ts";

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
  const outcome = protectedPaths({
    trees: [tree],
    home: undefined,
    protect: [],
    allowProtected: [],
    own: [],
    ...change,
  });
  return outcome.ok ? outcome.value.map(({ path }) => path.slice(tree.length + 1)) : outcome.problem;
}

Deno.test("S8 protectedPaths() names what programs outside obey, whether it exists or not", () =>
  inTree((tree) => {
    const all = paths(tree);
    const wanted = [".git/hooks", ".git/config", ".vscode", ".idea", ".mcp.json", ".cursor", ".claude", ".envrc"];
    const later = [".hg/hgrc", "mise.local.toml", "lefthook-local.yml", ".config/lefthook.jsonc"];
    assert.deepStrictEqual([...wanted, ".husky", ".ahma", ...later].filter((name) => !all.includes(name)), []);
    assert.ok(!paths(tree, { allowProtected: ["lefthook-local.yml"] }).includes("lefthook-local.yml"));
    assert.ok(!all.includes(".bashrc"));
    return Promise.resolve();
  }));

Deno.test("S8 protectedPaths() adds shell profiles where home itself can be written to, and what is ours", () =>
  inTree((tree) => {
    assert.ok(paths(tree, { home: tree }).includes(".bashrc"));
    assert.ok(paths(tree, { home: `${tree}/u` }).includes("u/.bashrc"));
    assert.ok(paths(`${tree}/.config`, { home: tree }).includes("fish"));
    assert.ok(!paths(`${tree}/project`, { home: tree }).includes(".bashrc"));
    assert.ok(paths(tree, { own: [`${tree}/tools`, "/elsewhere"] }).includes("tools"));
    return Promise.resolve();
  }));

Deno.test("S8 protectedPaths() adds --protect, seen from every tree, and ignores what no command can change", () =>
  inTree((tree) => {
    const base = paths(tree);
    const all = paths(tree, { protect: ["ci/./x/..", `${tree}/keys/`, "/etc/passwd", "../out"] });
    assert.deepStrictEqual(new Set(all).difference(new Set(base)), new Set(["ci", "keys"]));
    return Promise.resolve();
  }));

Deno.test("S8 protectedPaths() refuses to protect a whole writable tree, which would protect nothing", () => {
  for (const protect of [".", "/nowhere/at/all/", "/nowhere", "x/.."]) {
    assert.match(
      String(paths("/nowhere/at/all", { protect: [protect] })),
      /^Cannot protect ".*the whole tree "\/nowhere\/at\/all"/,
    );
  }
});

Deno.test("S8 protectedPaths() leaves out --allow-protected with all that lies in it, and refuses a wrong one", () =>
  inTree((tree) => {
    const base = paths(tree);
    const left = (allow: string) => new Set(base).difference(new Set(paths(tree, { allowProtected: [allow] })));
    assert.deepStrictEqual(left(".git/config"), new Set([".git/config"]));
    assert.deepStrictEqual(left(`${tree}/.vscode`), new Set([".vscode"]));
    const ofRepository = ["hooks", "config", "config.worktree", "commondir", "remotes/origin", "branches/origin"];
    const ofGit = [...ofRepository.map((name) => `.git/${name}`), ".git"];
    assert.deepStrictEqual(left(".git"), new Set(ofGit));
    assert.match(String(paths(tree, { allowProtected: [".vscode/tasks.json"] })), /is protected as a whole/);
    assert.match(String(paths(tree, { allowProtected: ["src"] })), /it is not protected/);
    return Promise.resolve();
  }));

Deno.test("S21 protectedPaths() takes --allow-protected for what is there, because git may name it later", () =>
  inTree(async (tree) => {
    const base = paths(tree);
    await Deno.mkdir(`${tree}/tools`);
    assert.deepStrictEqual(paths(tree, { allowProtected: ["tools"] }), base);
    assert.match(String(paths(tree, { allowProtected: ["../elsewhere"] })), /it is not protected/);
    assert.match(String(paths(tree, { allowProtected: ["/etc/passwd"] })), /it is not protected/);
  }));

Deno.test("S8 withTargets() adds what protected links lead to in the tree", () =>
  inTree(async (tree) => {
    await Deno.mkdir(`${tree}/shared`);
    await Deno.symlink(`${tree}/shared`, `${tree}/.vscode`);
    await Deno.symlink("/etc", `${tree}/.idea`);
    const links = [".vscode", ".idea"].map((name) => ({ path: `${tree}/${name}`, tree, fileOnly: false }));
    const target = { path: `${tree}/shared`, tree, fileOnly: false };
    assert.deepStrictEqual(withTargets(links, [tree]), [...links, target]);
  }));

Deno.test("S8 nestedRepositoryPaths() protects .git itself only where it is a file, and nothing that is opened", () => {
  const found = { directories: ["/t/a"], bare: ["/t/.git/modules/b/c"], worktrees: ["/t/.git/worktrees/w"] };
  const wanted = [
    "/t/a/.git/hooks",
    "/t/a/.git/config.worktree",
    "/t/a/.git/commondir",
    "/t/a/.git/remotes/origin",
    "/t/a/.git/branches/origin",
    "/t/a/.git",
    "/t/.git/modules/b/c/hooks",
    "/t/.git/modules/b/c/config",
    "/t/.git/modules/b/c/config.worktree",
    "/t/.git/modules/b/c/commondir",
    "/t/.git/modules/b/c/remotes/origin",
    "/t/.git/modules/b/c/branches/origin",
    "/t/.git/worktrees/w/config.worktree",
    "/t/.git/worktrees/w/commondir",
  ];
  assert.deepStrictEqual(
    nestedRepositoryPaths(found, { tree: "/t", open: ["/t/a/.git/config"], home: undefined }),
    wanted.map((path) => ({ path, tree: "/t", fileOnly: path === "/t/a/.git" })),
  );
});

Deno.test("S8 nestedRepositoryPaths() follows the configuration of each", () =>
  inTree(async (tree) => {
    await Deno.mkdir(`${tree}/a/.git`, { recursive: true });
    await Deno.writeTextFile(`${tree}/a/.git/config`, "[core]\nhooksPath = .githooks ; ours\n");
    const found = { directories: [`${tree}/a`], bare: [], worktrees: [] };
    const all = nestedRepositoryPaths(found, { tree, open: [], home: undefined }).map(({ path }) => path);
    assert.ok(all.includes(`${tree}/a/.githooks`), all.join());
  }));

Deno.test("S8 protectedPaths() lets --allow-protected name what a repository below has", () => {
  assert.ok(Array.isArray(paths("/nowhere/at/all", { allowProtected: ["libs/a/.git/config"] })));
  assert.match(String(paths("/nowhere/at/all", { allowProtected: ["libs/a/.git/index"] })), /it is not protected/);
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

Deno.test("S21 protectedPaths() reads what else git reads: below home, of the work tree, over two lines", () =>
  inTree(async (tree) => {
    const home = `${tree}/home`;
    const base = new Set(paths(tree, { home }));
    for (const directory of [".git", "home"]) await Deno.mkdir(`${tree}/${directory}`);
    await Deno.writeTextFile(`${tree}/.git/config`, "[core]\n\thooksPath = \\\ntwo\n");
    await Deno.writeTextFile(`${tree}/.git/config.worktree`, "[core]\n\thooksPath = ~/below\n");
    await Deno.writeTextFile(`${home}/.gitconfig`, "[core]\n\thooksPath = global\n[include]\n\tpath = more\n");
    await Deno.writeTextFile(`${home}/more`, "[core]\n\thooksPath = included\n");
    const wanted = new Set(["two", "home/below", "global", "home/more", "included"]);
    assert.deepStrictEqual(new Set(paths(tree, { home })).difference(base), wanted);
  }));

Deno.test("S21 protectedPaths() protects workspaces of an editor that are there", () =>
  inTree(async (tree) => {
    const base = new Set(paths(tree));
    await Deno.writeTextFile(`${tree}/my.code-workspace`, "{}");
    assert.deepStrictEqual(new Set(paths(tree)).difference(base), new Set(["my.code-workspace"]));
  }));

Deno.test("S8 protectedPaths() adds what included configuration names, however they include each other", () =>
  inTree(async (tree) => {
    const base = new Set(paths(tree));
    await Deno.mkdir(`${tree}/.git`);
    await Deno.mkdir(`${tree}/settings`);
    await Deno.writeTextFile(`${tree}/.git/config`, "[include]\n\tpath = ../.gitconfig\n");
    await Deno.writeTextFile(
      `${tree}/.gitconfig`,
      "[core]\n\thooksPath = .githooks\n[include]\n\tpath = settings/git\n",
    );
    await Deno.writeTextFile(
      `${tree}/settings/git`,
      "[include]\n\tpath = ../.gitconfig\n\tpath = more\n\tpath = /etc/passwd\n",
    );
    assert.deepStrictEqual(
      new Set(paths(tree)).difference(base),
      new Set([".githooks", ".gitconfig", "settings/git", "settings/more"]),
    );
  }));

Deno.test("S8 S10 protectedPaths() reads git configuration that is made to stop the server, and soon", () =>
  inTree(async (tree) => {
    const base = paths(tree);
    await Deno.mkdir(`${tree}/.git`);
    const size = 1_000_000;
    const texts = [
      `a =${" ".repeat(size)}x`,
      `hooksPath =${" ".repeat(size)}x#`,
      "[".repeat(size),
      `path = ${"x ".repeat(size / 2)}`,
      `hooksPath = ${"x/".repeat(size / 2)}`,
      `hooksPath = ${"y".repeat(300)}`,
      `path = a\0b`,
      `[include] path = "${'"'.repeat(size)}`,
    ];
    const began = performance.now();
    for (const text of texts) {
      await Deno.writeTextFile(`${tree}/.git/config`, text);
      assert.deepStrictEqual(
        new Set(paths(tree)).difference(new Set(base)),
        new Set(text.includes("#") ? ["x"] : text.includes("yyy") ? ["y".repeat(300)] : []),
      );
    }
    assert.ok(performance.now() - began < 600_000, "and not hours");
    await Deno.writeTextFile(
      `${tree}/.git/config`,
      Array.from({ length: 10_000 }, (_, i) => `path = p${i}`).join("\n"),
    );
    assert.strictEqual(paths(tree).length - base.length, 64);
  }));

Deno.test("S8 docs/security.md names everything that is protected in every tree and in home", async () => {
  const text = await Deno.readTextFile(new URL("../../../docs/security.md", import.meta.url));
  const names = [...PROTECTED_NAMES.filter((name) => name !== ".git"), ...HOME_NAMES];
  assert.deepStrictEqual(names.filter((name) => !text.includes(`\`${name}\``)), []);
});
