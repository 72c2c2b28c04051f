import assert from "node:assert/strict";
import { Libc } from "./libc.ts";

async function inTree(test: (tree: string, libc: Libc) => Promise<void>): Promise<void> {
  const tree = await Deno.realPath(await Deno.makeTempDir());
  const libc = new Libc(Deno.build.arch);
  try {
    await Deno.mkdir(`${tree}/.git/hooks`, { recursive: true });
    await Deno.writeTextFile(`${tree}/.git/config`, "[core]");
    await test(tree, libc);
  } finally {
    libc.close();
    await Deno.remove(tree, { recursive: true });
  }
}

/** What may happen to a guarded path between two looks. */
const CHANGES: Readonly<Record<string, (tree: string) => Promise<unknown>>> = {
  "a file that is written to": (tree) => Deno.writeTextFile(`${tree}/.git/config`, "[core]", { append: true }),
  "a file that is exchanged for one that looks alike": async (tree) => {
    await Deno.copyFile(`${tree}/.git/config`, `${tree}/copy`);
    await Deno.rename(`${tree}/copy`, `${tree}/.git/config`);
  },
  "a file whose mode changes": (tree) => Deno.chmod(`${tree}/.git/config`, 0o600),
  "a directory that appears": (tree) => Deno.mkdir(`${tree}/.vscode`),
  "a link that appears and leads nowhere": (tree) => Deno.symlink("nowhere", `${tree}/.vscode`),
  "a directory on the way that is exchanged for a link": async (tree) => {
    await Deno.rename(`${tree}/.git`, `${tree}/git`);
    await Deno.symlink("git", `${tree}/.git`);
  },
  "a file that goes": (tree) => Deno.remove(`${tree}/.git/config`),
};

Deno.test("S8 PathWatch.isUnchanged() sees whatever happens to a path, and nothing where nothing happened", async () => {
  for (const [name, change] of Object.entries(CHANGES)) {
    await inTree(async (tree, libc) => {
      const watch = libc.watch([`${tree}/.git`, `${tree}/.git/config`, `${tree}/.git/hooks`, `${tree}/.vscode`]);
      const before = [watch.isUnchanged(), watch.isUnchanged(), watch.isUnchanged()];
      await Deno.writeTextFile(`${tree}/beside`, "");
      const beside = watch.isUnchanged();
      await change(tree);
      assert.deepStrictEqual(
        [...before, beside, watch.isUnchanged(), watch.isUnchanged()],
        [false, true, true, true, false, true],
        name,
      );
    });
  }
});
