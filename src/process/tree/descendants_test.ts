import assert from "node:assert/strict";
import { descendantsOf, killDescendants, type ProcessTree } from "./descendants.ts";

function treeOf(parents: readonly (readonly [number, number])[]): Pick<ProcessTree, "childrenOf"> {
  return { childrenOf: (pid) => parents.filter(([, parent]) => parent === pid).map(([child]) => child) };
}

Deno.test("X10 descendantsOf() finds children and their children, and no others", () => {
  const tree = treeOf([[2, 1], [3, 2], [4, 3], [5, 1], [6, 9]]);
  assert.deepStrictEqual(descendantsOf(2, tree), [3, 4]);
  assert.deepStrictEqual(descendantsOf(1, tree), [2, 5, 3, 4]);
  assert.deepStrictEqual(descendantsOf(7, tree), []);
});

Deno.test("X10 killDescendants() stops all, also those that are born meanwhile, before it kills the first", () => {
  const children = new Map([[1, [2]], [2, [3]]]);
  const signals: string[] = [];
  killDescendants(1, {
    childrenOf: (pid) => children.get(pid) ?? [],
    signal(pid, signal) {
      signals.push(`${signal} ${pid}`);
      if (signal === "SIGSTOP" && pid === 2) children.set(3, [4]);
    },
  });
  assert.deepStrictEqual(signals, ["SIGSTOP 2", "SIGSTOP 3", "SIGSTOP 4", "SIGKILL 2", "SIGKILL 3", "SIGKILL 4"]);
});

Deno.test("X10 killDescendants() ends with a tree that grows faster than it is stopped", () => {
  let born = 1;
  const killed: number[] = [];
  killDescendants(1, {
    childrenOf: (pid) => pid === 1 ? [++born] : [],
    signal: (pid, signal) => void (signal === "SIGKILL" && killed.push(pid)),
  });
  assert.deepStrictEqual(killed, [born]);
});
