import assert from "node:assert/strict";
import fc from "fast-check";
import { outerTrees } from "./policy.ts";
import { isWithin } from "../../system/paths.ts";

function tree(path: string) {
  return { path, device: 1n, inode: BigInt(path.length) };
}

Deno.test("S20 outerTrees() leaves out trees in other ones, and the second of two that are the same", () => {
  const kept = outerTrees(["/s/x/y", "/s", "/sx", "/cache", "/s", "/cache/a"].map(tree)).map(({ path }) => path);
  assert.deepStrictEqual(kept, ["/s", "/sx", "/cache"]);
});

Deno.test("S20 outerTrees() keeps a tree for every path that was writable, and adds none", () => {
  const paths = fc.array(fc.array(fc.constantFrom("a", "b", "ab"), { minLength: 1, maxLength: 4 }), { minLength: 1 });
  fc.assert(fc.property(paths, (names) => {
    const trees = names.map((parts) => tree(`/${parts.join("/")}`));
    const outer = outerTrees(trees);
    assert.ok(outer.every((one) => trees.includes(one)));
    for (const { path } of trees) {
      assert.equal(outer.filter((one) => isWithin(path, one.path)).length, 1, path);
    }
  }));
});
