import assert from "node:assert/strict";
import fc from "fast-check";
import { differences } from "./change.ts";
import { type Entry, holdsSame, type State } from "./entry.ts";
import { planUndo } from "./plan.ts";

const FACTS = { size: 1, modified: 1n, changed: 1n, file: "1:1", names: 1, owner: "0:0" };
const file = fc.constantFrom("x", "y").map((content): Entry => ({ ...FACTS, kind: "file", mode: 0o644, content }));
const link = fc.constantFrom("a", "b").map((target): Entry => ({ ...FACTS, kind: "link", mode: 0o777, target }));
const directory = fc.constantFrom(0o755, 0o700).map((mode): Entry => ({ ...FACTS, kind: "directory", mode }));

/** Trees with up to three names in each directory. */
const tree: fc.Arbitrary<ReadonlyMap<string, Entry>> = fc.letrec<
  { readonly node: readonly (readonly [string, Entry])[] }
>(
  (tie) => ({
    node: fc.oneof(
      { maxDepth: 3 },
      fc.oneof(file, link).map((entry) => [["", entry] as const]),
      fc.tuple(directory, fc.dictionary(fc.constantFrom("a", "b", "c"), tie("node"), { maxKeys: 3 })).map(
        ([entry, inside]) => [
          ["", entry] as const,
          ...Object.entries(inside).flatMap(([name, nodes]) =>
            nodes.map(([below, one]) => [`/${name}${below}`, one] as const)
          ),
        ],
      ),
    ),
  }),
).node.map((nodes) =>
  new Map([
    ["/p", { ...FACTS, kind: "directory", mode: 0o755 }],
    ...nodes.map(([below, entry]) => [`/p/r${below}`, entry] as const),
  ])
);

function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/"));
}

/** Does the steps as a file system would, which refuses what cannot be. */
function done(present: ReadonlyMap<string, Entry>, plan: ReturnType<typeof planUndo>): ReadonlyMap<string, Entry> {
  const now = new Map(present);
  const isEmpty = (path: string) => ![...now.keys()].some((other) => parentOf(other) === path);
  for (const { path, wanted, present: expected } of plan.steps) {
    const there = now.get(path);
    if (wanted === undefined) {
      assert.ok(there !== undefined, path);
      if (isEmpty(path)) now.delete(path);
    } else if (now.get(parentOf(path))?.kind === "directory" && !(expected === undefined && there !== undefined)) {
      now.set(path, wanted);
    }
  }
  return now;
}

Deno.test("S39 a plan takes a tree back to what it was, in an order in which each step is possible", () => {
  fc.assert(fc.property(tree, tree, (before, after) => {
    const plan = planUndo({
      changes: differences(before, after),
      present: (path) => after.get(path),
      chosen: undefined,
    });
    assert.deepStrictEqual(plan.left, []);
    assert.deepStrictEqual(differences(done(after, plan), before), []);
  }));
});

Deno.test("S39 a plan leaves alone all that was changed since, and nothing else", () => {
  fc.assert(fc.property(tree, tree, tree, (before, after, present) => {
    const changes = differences(before, after);
    const plan = planUndo({ changes, present: (path) => present.get(path), chosen: undefined });
    const same = (one: State, other: State) => holdsSame(one, other);
    const conflicts = changes.filter((one) =>
      !same(present.get(one.path), one.after) && !same(present.get(one.path), one.before)
    );
    assert.deepStrictEqual(plan.left.map(({ path }) => path), conflicts.map(({ path }) => path));
    const touched = new Set(plan.steps.map(({ path }) => path));
    const now = done(present, plan);
    for (const [path, entry] of present) if (!touched.has(path)) assert.deepStrictEqual(now.get(path), entry);
  }));
});
