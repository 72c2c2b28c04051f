import assert from "node:assert/strict";
import fc from "fast-check";
import type { Entry } from "../model/entry.ts";
import { type JournalRecord, lineOf, recordsOf } from "./lines.ts";

/** As the journal makes them. */
function record<Row>(model: { [Name in keyof Row]: fc.Arbitrary<Row[Name]> }) {
  return fc.record(model, { noNullPrototype: true });
}
const text = fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom("\udcff", "a\nb", "\u2028"));
const entry: fc.Arbitrary<Entry> = fc.record({
  kind: fc.constantFrom("file", "directory", "link", "other"),
  mode: fc.nat(0o7777),
  size: fc.nat(),
  modified: fc.bigInt({ min: -(2n ** 62n), max: 2n ** 62n }),
  changed: fc.bigInt({ min: 0n, max: 2n ** 62n }),
  file: fc.constant("1:2"),
  names: fc.nat(9),
  owner: fc.constant("0:0"),
  target: text.filter((one) => one !== ""),
  content: fc.constant("abc"),
  unkept: fc.constant("it is too large"),
}, { noNullPrototype: true, requiredKeys: ["kind", "mode", "size", "modified", "changed", "file", "names", "owner"] });
const change = record({
  path: text,
  before: fc.option(entry, { nil: undefined }),
  after: fc.option(entry, { nil: undefined }),
});
const value = fc.option(fc.constant("ref: refs/heads/main"), { nil: undefined });
const ref = record({ repository: text, name: text, before: value, after: value });
const changed = { changes: fc.array(change, { maxLength: 3 }), refs: fc.array(ref, { maxLength: 2 }) };
const operation = { operation: text, at: fc.nat(), title: text };
const records: fc.Arbitrary<JournalRecord> = fc.oneof(
  record({ kind: fc.constant("seen" as const), path: text, entry }),
  record({ kind: fc.constant("ready" as const), at: fc.nat(), scopes: fc.array(text) }),
  record({ kind: fc.constant("begin" as const), ...operation }),
  record({ kind: fc.constant("changes" as const), operations: fc.array(text), ...changed }),
  record({ kind: fc.constant("end" as const), at: fc.nat(), operation: text }),
  record({
    kind: fc.constant("past" as const),
    operation: record({ ...operation, ...changed, shared: fc.array(text) }),
  }),
);

Deno.test("S39 records come back from their lines as they were, up to where the journal is torn or damaged", () => {
  fc.assert(fc.property(fc.array(records, { maxLength: 5 }), fc.nat(), fc.boolean(), (written, place, isTorn) => {
    const lines = written.map(lineOf);
    const whole = lines.join("");
    const pieces = [whole.slice(0, place % (whole.length + 1)), whole.slice(place % (whole.length + 1))];
    assert.deepEqual([...recordsOf(pieces)], written);
    if (whole === "") return;
    const at = place % whole.length;
    const damaged = isTorn
      ? whole.slice(0, at)
      : `${whole.slice(0, at)}${whole[at] === "~" ? "!" : "~"}${whole.slice(at + 1)}`;
    let end = 0;
    const untouched = lines.filter((line) => (end += line.length) <= at);
    assert.deepEqual([...recordsOf([damaged])], written.slice(0, untouched.length));
  }));
});
