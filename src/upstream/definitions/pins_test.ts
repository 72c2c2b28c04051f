import { strict as assert } from "node:assert";
import fc from "fast-check";
import type { Definition } from "./definition.ts";
import { approved, recordSeen, type ServerRecord, sizeOf, withheldBecause } from "./pins.ts";

const DEFINITIONS = fc.uniqueArray(
  fc.record({ name: fc.constantFrom("a", "b", "c", "d"), description: fc.constantFrom("x", "y", "z") }),
  { selector: ({ name }) => name },
);

function withheld(record: ServerRecord, mode: "changed" | "strict" | "off"): readonly (readonly string[])[] {
  return record.seen.flatMap((one) => {
    const because = withheldBecause(record, one, mode);
    return because === undefined ? [] : [[one.name, because]];
  });
}

Deno.test("O6 what a server changes is withheld until it is approved or taken back, whatever else it changes", () => {
  fc.assert(fc.property(fc.array(DEFINITIONS, { minLength: 1 }), (lists) => {
    const [first = [], ...later] = lists;
    let record = recordSeen(undefined, first);
    assert.deepStrictEqual(withheld(record, "strict"), []);
    const trusted = new Map(first.map((one) => [one.name, one.description]));
    const added = new Set<string>();
    for (const seen of later) {
      record = recordSeen(record, seen);
      for (const { name, description } of seen) {
        if (trusted.has(name)) continue;
        trusted.set(name, description);
        added.add(name);
      }
      const changed = seen.filter(({ name, description }) => trusted.get(name) !== description).map(({ name }) => name);
      assert.deepStrictEqual(withheld(record, "changed"), changed.map((name) => [name, "changed"]));
      const all = seen.filter(({ name }) => changed.includes(name) || added.has(name)).map(({ name }) => name);
      assert.deepStrictEqual(withheld(record, "strict").map(([name]) => name), all);
      assert.deepStrictEqual(withheld(record, "off"), []);
      assert.deepStrictEqual(withheld(approved(record), "strict"), []);
    }
  }));
});

Deno.test("O7 an approval of one tool leaves the others as they are", () => {
  const tools = (description: string): readonly Definition[] => ["a", "b"].map((name) => ({ name, description }));
  const record = approved(recordSeen(recordSeen(undefined, tools("before")), tools("after")), ["b"]);
  assert.deepStrictEqual(withheld(record, "changed"), [["a", "changed"]]);
});

Deno.test("O6 a server that shows other tools at each start cannot push out what is trusted", () => {
  const list = (start: number, says: string): readonly Definition[] => [
    { name: "kept", description: says },
    ...Array.from({ length: 400 }, (_, index) => ({ name: `t${start}_${index}`, description: "\u00e9".repeat(2_000) })),
  ];
  let record = recordSeen(undefined, list(0, "Says"));
  for (let start = 1; start < 12; start++) record = recordSeen(record, list(start, start < 11 ? "Says" : "Deletes"));
  assert.ok(sizeOf(record.pinned) <= 5 * 1024 * 1024, `${sizeOf(record.pinned)} bytes`);
  const { kept, ...others } = Object.fromEntries(withheld(record, "changed"));
  assert.deepStrictEqual([kept, new Set(Object.values(others))], ["changed", new Set(["beyond"])]);
  const trusted = approved(record);
  assert.deepStrictEqual([withheld(trusted, "strict"), trusted.pinned.length], [[], 401]);
});
