import assert from "node:assert/strict";
import { findNestedRepositories } from "./nested_repositories.ts";

Deno.test("S8 findNestedRepositories() finds clones, worktrees and submodules near the top, not what is installed", async () => {
  const tree = await Deno.realPath(await Deno.makeTempDir());
  try {
    const directories = [
      ".git/modules/libs/part",
      ".git/worktrees/w",
      "a/.git",
      "a/b/c/.git",
      "a/b/c/d/.git",
      "node_modules/x/.git",
      "work",
    ];
    for (const name of directories) await Deno.mkdir(`${tree}/${name}`, { recursive: true });
    for (const bare of [".git/modules/libs/part", "mirror.git"]) {
      for (const name of ["HEAD", "objects", "refs"]) await Deno.mkdir(`${tree}/${bare}/${name}`, { recursive: true });
    }
    await Deno.writeTextFile(`${tree}/work/.git`, "gitdir: /x");
    await Deno.symlink(tree, `${tree}/loop`);
    const found = await findNestedRepositories(tree);
    const relative = (paths: readonly string[]) => paths.map((path) => path.slice(tree.length + 1)).sort();
    assert.deepStrictEqual(relative(found.directories), ["a", "a/b/c", "work"]);
    assert.deepStrictEqual(relative(found.bare), [".git/modules/libs/part", "mirror.git"]);
    assert.deepStrictEqual(relative(found.worktrees), [".git/worktrees/w"]);
    assert.ok(found.complete);
  } finally {
    await Deno.remove(tree, { recursive: true });
  }
});

Deno.test("S8 findNestedRepositories() knows a tree that is itself a repository's own directory", async () => {
  const tree = await Deno.realPath(await Deno.makeTempDir());
  try {
    const names = ["HEAD", "objects", "refs", "worktrees/w"];
    for (const name of names) await Deno.mkdir(`${tree}/${name}`, { recursive: true });
    const { bare, worktrees } = await findNestedRepositories(tree);
    assert.deepStrictEqual([bare, worktrees], [[tree], [`${tree}/worktrees/w`]]);
  } finally {
    await Deno.remove(tree, { recursive: true });
  }
});

Deno.test("S8 findNestedRepositories() says when there is more than it looks at", async () => {
  const tree = await Deno.realPath(await Deno.makeTempDir());
  try {
    for (let i = 0; i < 129; i++) await Deno.mkdir(`${tree}/${i}/.git`, { recursive: true });
    const { directories, complete } = await findNestedRepositories(tree);
    assert.deepStrictEqual([directories.length, complete], [128, false]);
  } finally {
    await Deno.remove(tree, { recursive: true });
  }
});

Deno.test("S8 findNestedRepositories() of a directory that is gone finds nothing", async () => {
  const nothing = { directories: [], bare: [], worktrees: [], others: [], complete: true };
  assert.deepStrictEqual(await findNestedRepositories("/nowhere/at/all"), nothing);
});
