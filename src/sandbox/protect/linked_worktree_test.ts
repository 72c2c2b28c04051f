import assert from "node:assert/strict";
import { linkedRepository, worktreeHints } from "./linked_worktree.ts";

async function git(directory: string, ...args: readonly string[]): Promise<void> {
  const identity = ["-c", "user.name=Test", "-c", "user.email=test@example.invalid"];
  const { success, stderr } = await new Deno.Command("git", { args: ["-C", directory, ...identity, ...args] }).output();
  assert.ok(success, new TextDecoder().decode(stderr));
}

Deno.test("S15 linkedRepository() believes a worktree's file only where the repository knows of the worktree", async () => {
  const base = await Deno.realPath(await Deno.makeTempDir());
  try {
    await Deno.mkdir(`${base}/main`);
    await git(`${base}/main`, "init", "-q");
    await git(`${base}/main`, "commit", "-q", "--allow-empty", "-m", "x");
    await git(`${base}/main`, "worktree", "add", "-q", `${base}/tree`);
    const repository = `${base}/main/.git`;
    assert.strictEqual(linkedRepository(`${base}/tree`), repository);
    assert.deepStrictEqual(worktreeHints([`${base}/tree`, `${base}/main`], [`${base}/tree`, `${base}/main`]), []);
    assert.deepStrictEqual(worktreeHints([`${base}/tree`], [`${base}/tree`]), [
      `The repository of "${base}/tree" is "${repository}", which lies outside the scope: git does not work in commands. ` +
      `Start the server with --write ${repository}`,
    ]);
    await Deno.mkdir(`${base}/forged`);
    await Deno.copyFile(`${base}/tree/.git`, `${base}/forged/.git`); // it leads there, and nothing leads back
    await Deno.mkdir(`${base}/nowhere`);
    await Deno.writeTextFile(`${base}/nowhere/.git`, "gitdir: /no/such/place\n");
    for (const other of ["main", "forged", "nowhere", "missing"]) {
      assert.strictEqual(linkedRepository(`${base}/${other}`), undefined, other);
    }
  } finally {
    await Deno.remove(base, { recursive: true });
  }
});

Deno.test("S15 linkedRepository() believes a submodule's file only where its repository names it as its work tree", async () => {
  const base = await Deno.realPath(await Deno.makeTempDir());
  try {
    for (const name of ["part", "main"]) {
      await Deno.mkdir(`${base}/${name}`);
      await git(`${base}/${name}`, "init", "-q");
      await git(`${base}/${name}`, "commit", "-q", "--allow-empty", "-m", "x");
    }
    await git(`${base}/main`, "-c", "protocol.file.allow=always", "submodule", "add", "-q", `${base}/part`, "lib/part");
    const [tree, repository] = [`${base}/main/lib/part`, `${base}/main/.git/modules/lib/part`];
    assert.strictEqual(linkedRepository(tree), repository);
    assert.deepStrictEqual(worktreeHints([tree], [tree, repository]), []);
    assert.deepStrictEqual(worktreeHints([tree], [tree]), [
      `The repository of "${tree}" is "${repository}", which lies outside the scope: git does not work in commands. ` +
      `Start the server with --write ${repository}`,
    ]);
    await Deno.mkdir(`${base}/forged`);
    await Deno.writeTextFile(`${base}/forged/.git`, `gitdir: ${repository}\n`);
    assert.strictEqual(linkedRepository(`${base}/forged`), undefined);
  } finally {
    await Deno.remove(base, { recursive: true });
  }
});
