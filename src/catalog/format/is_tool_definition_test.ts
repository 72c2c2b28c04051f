import assert from "node:assert/strict";
import fc from "fast-check";
import { isToolDefinition } from "./is_tool_definition.ts";
import { toolSchema } from "./mtdf.ts";

/** A file that touches every kind of rule the format has. */
const GOOD = {
  command: "x",
  timeout_seconds: 5,
  hints: { a: "b", custom: { c: "d" } },
  retry: { max: 1 },
  availability_check: { args: ["a"], success_exit_codes: [0] },
  sequence: [{ tool: "a", args: { b: 1 } }],
  subcommand: [{
    name: "s",
    argv: ["-c"],
    options: [{ name: "o", type: "array", items: { type: "string" }, default: ["a"], enum: ["a"], alias: "o" }],
    subcommand: [{ name: "t", positional_args: [{ name: "p", default: 1 }] }],
  }],
};

type Path = readonly (string | number)[];

function pathsIn(value: unknown, at: Path = []): readonly Path[] {
  if (typeof value !== "object" || value === null) return [at];
  return [at, ...Object.entries(value).flatMap(([key, below]) => pathsIn(below, [...at, key]))];
}

/** A copy with the value at `path` replaced; undefined: taken out. */
function changed(value: unknown, path: Path, replacement: unknown): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return replacement;
  if (Array.isArray(value)) {
    return value.map((one, index) => String(index) === key ? changed(one, rest, replacement) : one);
  }
  const entries = Object.entries(Object(value));
  return Object.fromEntries(
    entries.map(([name, below]) => [name, name === key ? changed(below, rest, replacement) : below]),
  );
}

Deno.test("T3 isToolDefinition() agrees with the schemas the published one is made from", () => {
  const path = fc.constantFrom(...pathsIn(GOOD));
  const odd: readonly unknown[] = [
    "",
    " ",
    "a b",
    "-",
    "a\0",
    0,
    -1,
    1.5,
    1e300,
    true,
    null,
    [],
    {},
    ["a"],
    [""],
    undefined,
  ];
  const replacement = fc.oneof(
    fc.constantFrom(...odd),
    fc.jsonValue({ maxDepth: 2 }),
    fc.constantFrom({ tool: "a" }, { x: "y" }),
  );
  const seen = { true: 0, false: 0 };
  fc.assert(
    fc.property(path, replacement, fc.boolean(), (at, value, wrap) => {
      const file = JSON.parse(
        JSON.stringify(changed(GOOD, at, wrap ? { ...Object(value), extra: 1 } : value)) ?? "null",
      );
      const verdict = isToolDefinition(file);
      seen[`${verdict}`]++;
      assert.equal(verdict, toolSchema().safeParse(file).success, JSON.stringify(file));
    }),
    { numRuns: 3000 },
  );
  assert.ok(isToolDefinition(GOOD) && seen.true > 30 && seen.false > 30, JSON.stringify(seen));
});
