import assert from "node:assert/strict";
import { Libc } from "./libc.ts";
import { AbsenceWatch } from "./stat_watch.ts";

async function inTree(test: (tree: string, libc: Libc) => Promise<void>): Promise<void> {
  const tree = await Deno.realPath(await Deno.makeTempDir());
  const libc = new Libc();
  try {
    await Deno.mkdir(`${tree}/.git/hooks`, { recursive: true });
    await Deno.writeTextFile(`${tree}/.git/config`, "[core]");
    await test(tree, libc);
  } finally {
    libc[Symbol.dispose]();
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

Deno.test("S8 AbsenceWatch sees what comes into being, also within the tick of the look before", () =>
  inTree(async (tree, libc) => {
    let looks = 0;
    let now = (await Deno.stat(tree)).ctime?.getTime() ?? 0;
    const watching = (paths: readonly string[]) => {
      const watch = libc.watch(paths);
      const isUnchanged = watch.isUnchanged.bind(watch);
      watch.isUnchanged = () => {
        looks += paths.length;
        return isUnchanged();
      };
      return watch;
    };
    const names = [".vscode", ".idea", ".mcp.json", ".git/commondir", "nowhere/at/all"].map((name) =>
      `${tree}/${name}`
    );
    const watch = new AbsenceWatch(names, watching, () => now);
    const look = () => {
      looks = 0;
      return [watch.isUnchanged(), looks];
    };
    assert.deepStrictEqual(look(), [false, 8], "three directories and five names");
    assert.deepStrictEqual(look(), [true, 7], "the tree and .git have just been made");
    now += 86_400_000;
    assert.deepStrictEqual(look(), [true, 7], "it is not known what came since the last look");
    assert.deepStrictEqual(look(), [true, 3], "directories alone");
    await Deno.writeTextFile(`${tree}/other`, "");
    assert.deepStrictEqual(look(), [true, 6]);
    await Deno.mkdir(`${tree}/.idea`);
    assert.deepStrictEqual(look(), [false, 6]);
    assert.deepStrictEqual(look(), [true, 3]);
    await Deno.mkdir(`${tree}/nowhere/at/all`, { recursive: true });
    assert.deepStrictEqual(look(), [false, 7]);
  }));

Deno.test("S8 AbsenceWatch looks at names as long as a directory could change without another time", () =>
  inTree(async (tree, libc) => {
    const now = Date.now() - 60_000; // a clock behind that of the file system
    const watch = new AbsenceWatch([`${tree}/.idea`], (paths) => libc.watch(paths), () => now);
    const seen = [watch.isUnchanged(), watch.isUnchanged()];
    const { atime, mtime } = await Deno.stat(tree);
    await Deno.mkdir(`${tree}/.idea`);
    await Deno.utime(tree, atime ?? 0, mtime ?? 0);
    assert.deepStrictEqual([...seen, watch.isUnchanged()], [false, true, false]);
  }));
