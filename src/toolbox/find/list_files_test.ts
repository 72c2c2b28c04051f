import assert from "node:assert/strict";
import fc from "fast-check";
import { type Files, IGNORING_TREES, TestTree, WITHOUT_RG } from "./_support/trees.ts";
import { listByRg, listByWalk } from "./list_files.ts";

async function listed(
  bench: TestTree,
  list: typeof listByWalk,
  { respectIgnore = true, path = "." } = {},
): Promise<readonly string[]> {
  using tree = await bench.project.tree(path);
  return (await Array.fromAsync(list(tree, { respectIgnore, signal: new AbortController().signal }))).flat().sort();
}

Deno.test("K3 a walk leaves out what the ignore files of each directory name", async () => {
  const files: Files = {
    ".gitignore": "*.log\nbuild/\n",
    "a/.gitignore": "!build/\n/only-here\n",
    "a/build/kept": "",
    "a/only-here": "",
    "a/b/only-here": "",
    "build/gone": "",
    "x.log": "",
    "a/y.log": "",
    ".ignore": "!x.log\n",
    ".git/config": "",
    "link-free": "",
  };
  const kept = [".gitignore", ".ignore", "a/.gitignore", "a/b/only-here", "a/build/kept", "link-free", "x.log"];
  using bench = new TestTree(files);
  assert.deepEqual(await listed(bench, listByWalk), kept);
  const all = Object.keys(files).filter((path) => !path.startsWith(".git/")).sort();
  assert.deepEqual(await listed(bench, listByWalk, { respectIgnore: false }), all);
  assert.deepEqual(await listed(bench, listByWalk, { path: "a" }), [".gitignore", "b/only-here", "build/kept"]);
});

Deno.test({
  name: `K3 a walk finds the files that rg finds${WITHOUT_RG}`,
  ignore: WITHOUT_RG !== "",
  fn: () =>
    fc.assert(
      fc.asyncProperty(IGNORING_TREES, fc.boolean(), async (files, respectIgnore) => {
        using bench = new TestTree(files);
        assert.deepEqual(
          await listed(bench, listByWalk, { respectIgnore }),
          await listed(bench, listByRg, { respectIgnore }),
        );
      }),
      { numRuns: 40 },
    ),
});
