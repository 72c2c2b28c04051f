import assert from "node:assert/strict";
import { changedSince, changedSinceTag, toolsChanged, toolsToTry } from "./changed_tools.ts";

const TOOLS = ["git", "npm"];

Deno.test("T15 a tool is tried again when its file or its test changed, and all when what they share did", () => {
  assert.deepStrictEqual(toolsToTry([], TOOLS), []);
  assert.deepStrictEqual(toolsToTry(["README.md", "src/cli/program.ts", "tests/git_test.ts"], TOOLS), []);
  assert.deepStrictEqual(toolsToTry(["tools/git.json"], TOOLS), ["git"]);
  assert.deepStrictEqual(toolsToTry(["tests/tools/npm.ts"], TOOLS), ["npm"]);
  assert.deepStrictEqual(toolsToTry(["src/command/argv_test.ts", "src/catalog/format/leaf_test.ts"], TOOLS), []);
  for (const shared of ["src/command/argv.ts", "src/catalog/format/leaf.ts", "tests/tools/row.ts"]) {
    assert.deepStrictEqual(toolsToTry([shared], TOOLS), TOOLS, shared);
  }
  assert.deepStrictEqual(toolsToTry(undefined, TOOLS), TOOLS);
  assert.deepStrictEqual(toolsChanged(["src/command/argv.ts", "tools/git.json"], TOOLS), ["git"]);
});

Deno.test("T15 changes since the last tag are committed ones, those of the working tree and new files", async () => {
  const root = await Deno.makeTempDir({ prefix: "ahma-test-" });
  try {
    const run = async (...words: readonly string[]) => {
      const own = ["-C", root, "-c", "user.name=Test", "-c", "user.email=test@example.invalid"];
      const { success, stderr } = await new Deno.Command("git", { args: [...own, ...words] }).output();
      assert.ok(success, new TextDecoder().decode(stderr));
    };
    const commit = async (name: string) => {
      await Deno.writeTextFile(`${root}/${name}`, name);
      await run("add", ".");
      await run("commit", "-q", "-m", name);
    };
    assert.strictEqual(await changedSinceTag(root), undefined);
    await run("init", "-q");
    await commit("old");
    assert.strictEqual(await changedSinceTag(root), undefined);
    await run("tag", "v1");
    assert.deepStrictEqual(await changedSinceTag(root), []);
    await commit("committed");
    await Deno.writeTextFile(`${root}/old`, "changed");
    await Deno.writeTextFile(`${root}/new`, "new");
    assert.deepStrictEqual(await changedSinceTag(root), ["committed", "old", "new"]);
    assert.deepStrictEqual(await changedSince(root, "HEAD"), ["old", "new"]);
  } finally {
    await Deno.remove(root, { recursive: true });
  }
});
