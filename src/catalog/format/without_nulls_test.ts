import assert from "node:assert/strict";
import { parseTool } from "../check/validate.ts";

/** Every kind of object a tool file may hold. */
const GOOD = {
  command: "x",
  description: "Runs in the background",
  timeout_seconds: 5,
  hints: { a: "b", custom: { c: "d" } },
  retry: { max: 1, backoff_ms: 5 },
  availability_check: { args: ["a"], success_exit_codes: [0] },
  subcommand: [{
    name: "s",
    description: "Runs in the background",
    options: [{ name: "o", type: "array", items: { type: "string" }, default: ["a"], enum: ["a"], alias: "o" }],
  }, {
    name: "t",
    description: "Runs in the background",
    sequence: [{ tool: "x", subcommand: "s", args: { keep: null, deep: { keep: null } } }],
  }],
};

type Path = readonly (string | number)[];

/** The ways to all members of objects, but for what is below a step's own arguments. */
function members(value: unknown, at: Path = []): readonly Path[] {
  if (typeof value !== "object" || value === null || at.at(-1) === "args") return [];
  if (Array.isArray(value)) return value.flatMap((one, index) => members(one, [...at, index]));
  return Object.entries(value).flatMap(([key, below]) => [[...at, key], ...members(below, [...at, key])]);
}

/** A copy whose member at `path` is `null`, or is not there. */
function changed(path: Path, to: "null" | "absent"): unknown {
  const copy = structuredClone(GOOD) as unknown;
  let at = copy as Record<string | number, unknown>;
  for (const key of path.slice(0, -1)) at = at[key] as Record<string | number, unknown>;
  const last = path.at(-1) ?? "";
  if (to === "null") at[last] = null;
  else delete at[last];
  return copy;
}

function parsed(file: unknown) {
  const { kind, ...rest } = parseTool(JSON.stringify(file));
  return kind === "accepted" ? rest : "refused";
}

Deno.test("T2 T4 null for an optional field is as good as the field left out, and refused for a required one", () => {
  const refused = members(GOOD).filter((path) => {
    const [withNull, without] = [parsed(changed(path, "null")), parsed(changed(path, "absent"))];
    assert.deepStrictEqual(withNull, without, path.join("/"));
    return withNull === "refused";
  });
  assert.deepStrictEqual(refused.map((path) => path.join("/")), [
    "command",
    "retry/max",
    "subcommand/0/name",
    "subcommand/0/options/0/name",
    "subcommand/0/options/0/type", // its default is a list
    "subcommand/1/name",
    "subcommand/1/sequence/0/tool",
  ]);
});

Deno.test("T14 null in the arguments of a step stays: they are the step's", () => {
  const parsed = parseTool(JSON.stringify({ ...GOOD, hints: null }));
  assert.ok(parsed.kind === "accepted");
  assert.deepStrictEqual<unknown>(parsed.definition.subcommand, GOOD.subcommand);
});
