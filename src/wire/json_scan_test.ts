import assert from "node:assert/strict";
import fc from "fast-check";
import { encodeText } from "../base/text.ts";
import { JsonScan } from "./json_scan.ts";

interface Counts {
  readonly members: number;
  readonly deepest: number;
}

/** What the value holds that was parsed. */
function countsOf(value: unknown): Counts {
  if (typeof value !== "object" || value === null) return { members: 0, deepest: 0 };
  const inner = Object.values(value).map(countsOf);
  return {
    members: inner.reduce((sum, { members }) => sum + members, inner.length),
    deepest: 1 + Math.max(0, ...inner.map(({ deepest }) => deepest)),
  };
}

/** The value with nothing in the objects and lists that it holds. */
function outlineOf(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  const emptied = (one: unknown) => typeof one !== "object" || one === null ? one : Array.isArray(one) ? [] : {};
  if (Array.isArray(value)) return value.map(emptied);
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, emptied(one)]));
}

/** The text in parts that end after these numbers of bytes, again and again. */
function scanned(text: string, sizes: readonly number[]): JsonScan {
  const scan = new JsonScan();
  const bytes = encodeText(text);
  for (let [at, turn] = [0, 0]; at < bytes.length; turn++) {
    const size = sizes[turn % sizes.length] ?? bytes.length;
    scan.push(bytes.slice(at, at + size));
    at += size;
  }
  return scan;
}

const TEXT = fc.string({ unit: fc.constantFrom('"', "\\", "{", "}", "[", "]", ",", ":", " ", "a", "ü", "💚", "\n") });
const { value: VALUE } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 6, withCrossShrink: true },
    fc.oneof(TEXT, fc.double({ noNaN: true, noDefaultInfinity: true }), fc.boolean(), fc.constant(null)),
    fc.array(tie("value"), { maxLength: 6 }),
    fc.dictionary(TEXT, tie("value"), { maxKeys: 6, noNullPrototype: true }),
  ),
}));
const BLANKS = fc.constantFrom(undefined, 1, "\t", " \r\n ".slice(0, 4));
const SIZES = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 5 });

Deno.test("C2 JsonScan counts what JSON.parse finds, wherever the parts of the text end", () => {
  const most = { members: 0, deepest: 0 };
  fc.assert(
    fc.property(VALUE, BLANKS, SIZES, (value, blanks, sizes) => {
      const text = JSON.stringify(value, null, blanks);
      const parsed: unknown = JSON.parse(text);
      const { members, deepest, length, outline } = scanned(text, sizes);
      assert.deepStrictEqual({ members, deepest }, countsOf(parsed), text);
      assert.deepStrictEqual([length, outline], [encodeText(text).length, outlineOf(parsed)], text);
      most.members = Math.max(most.members, members);
      most.deepest = Math.max(most.deepest, deepest);
    }),
    { numRuns: 1_000 },
  );
  assert.ok(most.members > 20 && most.deepest > 3, JSON.stringify(most));
});

Deno.test("C2 JsonScan knows the outline of a value that has not ended, and none where there is none", () => {
  const long = "x".repeat(17_000);
  const rows: readonly (readonly [text: string, outline: unknown])[] = [
    ['{"id":7,"result":{"a":[1,', { id: 7, result: {} }],
    ['{"id":7,"result":[{"a":"', { id: 7, result: [] }],
    ['[1,{"a":', [1, {}]],
    [`{"result":{"a":"${long}"},"id":7}`, { result: {}, id: 7 }],
    [`{"result":{"${long}":[[]]},"id":7`, { result: {}, id: 7 }],
    ['{"id":7,"res', undefined],
    [`{"${long}":1,"id":7}`, undefined],
    ["[[".repeat(10_000), [[]]],
    ["}", undefined],
    ["nothing", undefined],
    ["", undefined],
  ];
  for (const [text, outline] of rows) {
    assert.deepStrictEqual(scanned(text, [11]).outline, outline, text.slice(0, 40));
  }
});

Deno.test("C2 JsonScan passes over long texts, and counts what is escaped in them", () => {
  const run = fc.oneof(
    fc.constantFrom('\\"', "\\\\", "\\n", "\\u65e5"),
    fc.nat({ max: 60 }).map((length) => "x,{[ü".repeat(length)),
  );
  fc.assert(
    fc.property(fc.array(run, { maxLength: 8 }), fc.integer({ min: 1, max: 300 }), (runs, size) => {
      const { members, deepest, escapes } = scanned(`["${runs.join("")}",{"a":"${runs.join("")}"}]`, [size]);
      const counts: readonly number[] = runs.map((one) => one.startsWith("\\u") ? 2 : one.startsWith("\\") ? 1 : 0);
      const escaped = 2 * counts.reduce((sum, count) => sum + count, 0);
      assert.deepStrictEqual({ members, deepest, escapes }, { members: 3, deepest: 2, escapes: escaped });
    }),
    { numRuns: 1_000 },
  );
});
