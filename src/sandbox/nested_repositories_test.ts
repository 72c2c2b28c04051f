import assert from "node:assert/strict";
import { findNestedRepositories } from "./nested_repositories.ts";

Deno.test("S8 findNestedRepositories() finds clones, worktrees and submodules near the top, not what is installed", async () => {
  const tree = await Deno.realPath(await Deno.makeTempDir());
  try {
    const directories = [".git/modules/part", "a/.git", "a/b/c/.git", "a/b/c/d/.git", "node_modules/x/.git", "work"];
    for (const name of directories) await Deno.mkdir(`${tree}/${name}`, { recursive: true });
    await Deno.writeTextFile(`${tree}/work/.git`, "gitdir: /x");
    await Deno.symlink(tree, `${tree}/loop`);
    const found = await findNestedRepositories(tree);
    const relative = (paths: readonly string[]) => paths.map((path) => path.slice(tree.length + 1)).sort();
    assert.deepStrictEqual(relative(found.directories), ["a", "a/b/c", "work"]);
    assert.deepStrictEqual(relative(found.submodules), [".git/modules/part"]);
  } finally {
    await Deno.remove(tree, { recursive: true });
  }
});

Deno.test("S8 findNestedRepositories() of a directory that is gone finds nothing", async () => {
  assert.deepStrictEqual(await findNestedRepositories("/nowhere/at/all"), { directories: [], submodules: [] });
});
