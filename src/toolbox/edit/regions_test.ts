import assert from "node:assert/strict";
import fc from "fast-check";
import { composed, difference, type Region, type Splice, spliced } from "./regions.ts";

const SHORT = fc.string({ unit: fc.constantFrom("a", "b", "\n"), maxLength: 30 });

/** Splices in order: cuts of a text of this length, and what comes there. */
function splicesOf(length: number, cuts: readonly number[], text: string): Splice[] {
  const sorted = [...new Set(cuts.map((cut) => cut % (length + 1)))].sort((one, other) => one - other);
  return Array.from({ length: Math.floor(sorted.length / 2) }, (_, at) => {
    return { start: sorted[2 * at] ?? 0, end: sorted[2 * at + 1] ?? 0, text: text.slice(0, at) };
  });
}

/** The new text, made of the old one and what the regions say. */
function rebuilt(old: string, next: string, regions: readonly Region[]): string {
  let [from, made] = [0, ""];
  for (const { oldStart, oldEnd, newStart, newEnd } of regions) {
    made += old.slice(from, oldStart);
    assert.equal(made.length, newStart);
    made += next.slice(newStart, newEnd);
    from = oldEnd;
  }
  return made + old.slice(from);
}

Deno.test("K3 the regions of two changes one after the other say all that differs", () => {
  const cuts = fc.array(fc.nat(40), { maxLength: 8 });
  fc.assert(fc.property(SHORT, cuts, cuts, SHORT, (old, first, second, text) => {
    const one = spliced(old, splicesOf(old.length, first, text));
    const two = spliced(one.units, splicesOf(one.units.length, second, text));
    const regions = composed(one.regions, two.regions);
    assert.equal(rebuilt(old, two.units, regions), two.units);
    assert.ok(regions.every(({ oldStart }, at) => oldStart > (regions[at - 1]?.oldEnd ?? -1)));
  }));
});

Deno.test("K3 the difference of two texts is one region, as small as it can be", () => {
  fc.assert(fc.property(SHORT, SHORT, (old, next) => {
    const regions = difference(old, next);
    assert.equal(rebuilt(old, next, regions), next);
    for (const { oldStart, oldEnd, newStart, newEnd } of regions) {
      assert.ok(oldStart === oldEnd || newStart === newEnd || old[oldStart] !== next[newStart]);
    }
  }));
  assert.deepEqual(difference("a".repeat(200_000) + "x", "a".repeat(200_000) + "y"), [
    { oldStart: 200_000, oldEnd: 200_001, newStart: 200_000, newEnd: 200_001 },
  ]);
});
