import assert from "node:assert/strict";
import { checkArguments, type Parameter, schemaOf } from "./parameters.ts";

const TABLE: readonly Parameter[] = [
  { name: "path", type: { kind: "text" }, description: "A path.", required: true, aliases: ["file_path"] },
  { name: "limit", type: { kind: "integer", least: 1, most: 9 }, description: "" },
  { name: "all", type: { kind: "flag" }, description: "" },
  { name: "mode", type: { kind: "choice", values: ["a", "b"] }, description: "" },
  { name: "globs", type: { kind: "texts" }, description: "" },
  {
    name: "edits",
    type: { kind: "objects", of: [{ name: "old", type: { kind: "text" }, description: "", required: true }] },
    description: "",
  },
  { name: "variables", type: { kind: "object" }, description: "" },
];

const GOOD: readonly (readonly [given: Record<string, unknown>, read: Record<string, unknown>])[] = [
  [{ path: "x" }, { path: "x" }],
  [{ file_path: "x", limit: "7", all: "true" }, { path: "x", limit: 7, all: true }],
  [{ path: "x", limit: null, globs: "*.ts" }, { path: "x", globs: ["*.ts"] }],
  [{ path: "x", globs: '["a","b"]', edits: '[{"old":"1"}]' }, { path: "x", globs: ["a", "b"], edits: [{ old: "1" }] }],
  [{ path: "x", variables: '{"k":1}', mode: "b" }, { path: "x", variables: { k: 1 }, mode: "b" }],
];

for (const [given, read] of GOOD) {
  Deno.test(`K1 arguments ${JSON.stringify(given)} are understood`, () => {
    assert.deepEqual(checkArguments("t", TABLE, given), { ok: true, value: read });
  });
}

const BAD: readonly (readonly [given: Record<string, unknown>, problem: string])[] = [
  [{}, 'argument "path" is missing: A path'],
  [{ path: 1 }, 'argument "path" is 1, expected a string of valid Unicode'],
  [{ path: "x", file_path: "y" }, 'argument "path" is given twice, once as "file_path": give it once'],
  [{ path: "x", limit: 10 }, 'argument "limit" is 10, expected an integer from 1 to 9'],
  [{ path: "x", mode: "c" }, 'argument "mode" is "c", expected "a" or "b"'],
  [{ path: "x", edits: [{}] }, 'argument "edits" is [{}], expected other members of item 1: member "old" is missing'],
  [
    {
      path: "x",
      limits: 1,
    },
    'argument "limits" does not exist; did you mean "limit"? ' +
    "(arguments: path, limit, all, mode, globs, edits, variables)",
  ],
];

for (const [given, problem] of BAD) {
  Deno.test(`K1 arguments ${JSON.stringify(given)} are refused with the reason`, () => {
    assert.deepEqual(checkArguments("t", TABLE, given), { ok: false, problem: `Cannot run "t": ${problem}` });
  });
}

Deno.test("K1 the listed schema has documented names only", () => {
  assert.deepEqual(schemaOf(TABLE.slice(0, 2)), {
    type: "object",
    properties: {
      path: { type: "string", description: "A path." },
      limit: { type: "integer", minimum: 1, maximum: 9 },
    },
    required: ["path"],
    additionalProperties: false,
  });
});
