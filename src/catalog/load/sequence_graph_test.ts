import assert from "node:assert/strict";
import fc from "fast-check";
import type { Catalog, Leaf } from "../model/leaf.ts";
import { loadCatalogFromTexts } from "./load.ts";
import { SequenceGraph } from "./sequence_graph.ts";

const LEAF = { description: "d", synchronous: true };

/** A tool of one file: each level but the last calls the next so many times. */
function ladder(levels: number, calls: number): string {
  const names = Array.from({ length: levels }, (_, level) => `l${level}`);
  const step = (level: number) => ({ tool: "s", subcommand: `l${level + 1}` });
  const last = { tool: "sandboxed_shell", args: { command: "true" } };
  return JSON.stringify({
    name: "s",
    command: "sequence",
    ...LEAF,
    subcommand: names.map((name, level) => ({
      name,
      ...LEAF,
      sequence: level === levels - 1 ? [last] : Array.from({ length: calls }, () => step(level)),
    })),
  });
}

async function load(text: string): Promise<Catalog> {
  return await loadCatalogFromTexts([{ file: "s.json", text }]);
}

// To walk every way of the last ones would not end: there are 14^7 and 1000^7 of them.
Deno.test("T4 T14 a file with more ways through its sequences than can be walked is refused at once", async () => {
  const served = await load(ladder(4, 7));
  assert.deepStrictEqual([served.leaves.length, served.diagnostics], [4, []]);
  const refused = async (levels: number, calls: number) =>
    (await load(ladder(levels, calls))).diagnostics.map(({ pointer, message }) => `${pointer} ${message}`);
  const long = (level: number, steps: number) =>
    `/subcommand/${level}/sequence Sequence "s_l${level}" runs ${steps} steps with those of the sequences it calls, ` +
    "at most 1000: shorten it";
  assert.deepStrictEqual(await refused(4, 8), [long(0, 8 + 8 ** 2 + 8 ** 3 + 8 ** 3)]);
  const ways = [1, 2, 3, 4, 5, 6, 7, 7].reduce((sum, level) => sum + 14 ** level, 0);
  assert.equal((await refused(8, 14))[0], long(0, ways));
  assert.match((await refused(8, 900))[0] ?? "", /runs 957125832146850500000 steps/);
  assert.match((await refused(9, 1)).join(), /goes more than 8 sequences deep: s_l0 > s_l1 > .* > s_l8: flatten them/);
});

Deno.test("T14 SequenceGraph tells the size of each sequence as a walk along every way does", () => {
  const edges = fc.array(fc.array(fc.nat(3), { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 6 });
  return fc.assert(fc.asyncProperty(edges, async (calls) => {
    const subcommand = [
      ...calls.map((targets, at) => ({
        name: `q${at}`,
        ...LEAF,
        // Only to later ones, so without a circle; beyond the last there is the program.
        sequence: targets.map((by) => ({
          tool: "s",
          subcommand: at + 1 + by < calls.length ? `q${at + 1 + by}` : "end",
        })),
      })),
      { name: "end", ...LEAF },
    ];
    const catalog = await load(JSON.stringify({ name: "s", command: "x", ...LEAF, subcommand }));
    const graph = new SequenceGraph(catalog);
    const walk = (leaf: Leaf): { levels: number; steps: number } => {
      const below = leaf.sequence.map(({ subcommand }) => catalog.byName.get(`s_${subcommand}`))
        .filter((one) => one !== undefined && one.sequence.length > 0).map((one) => walk(one as Leaf));
      return {
        levels: 1 + Math.max(0, ...below.map(({ levels }) => levels)),
        steps: leaf.sequence.length + below.reduce((sum, { steps }) => sum + steps, 0),
      };
    };
    const sequences = catalog.leaves.filter(({ sequence }) => sequence.length > 0);
    assert.deepStrictEqual(sequences.map((leaf) => graph.sizeOf(leaf)), sequences.map(walk));
    assert.equal(sequences.length, calls.length);
  }));
});

Deno.test("T14 a sequence that calls a circle is refused with the names on the way, and the circle too", async () => {
  const sequence = (name: string, ...targets: readonly string[]) => ({
    name,
    ...LEAF,
    sequence: targets.map((subcommand) => ({ tool: "s", subcommand })),
  });
  const subcommand = [sequence("a", "b"), sequence("b", "c"), sequence("c", "b"), sequence("d", "d")];
  const { diagnostics } = await load(JSON.stringify({ name: "s", command: "sequence", ...LEAF, subcommand }));
  assert.deepStrictEqual(diagnostics.map(({ message }) => message.replace(": remove one of these steps", "")), [
    'Step 0 of "s_a" forms a cycle: s_a > s_b > s_c > s_b',
    'Step 0 of "s_b" forms a cycle: s_b > s_c > s_b',
    'Step 0 of "s_c" forms a cycle: s_c > s_b > s_c',
    'Step 0 of "s_d" forms a cycle: s_d > s_d',
  ]);
});
