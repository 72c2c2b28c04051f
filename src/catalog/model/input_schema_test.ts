import assert from "node:assert/strict";
import { flatten } from "./flatten.ts";
import { inputSchemaOf } from "./input_schema.ts";
import { toolSchema } from "../format/mtdf.ts";

const META = {
  working_directory: {
    type: "string",
    description: "Directory to run in, inside the scope.",
  },
  timeout_seconds: {
    type: "number",
    exclusiveMinimum: 0,
    maximum: 86400,
  },
  execution_mode: {
    type: "string",
    description: "Wait for the result, or get an operation id at once.",
    enum: ["Synchronous", "AsyncResultPush"],
  },
};

function schemaOf(leaf: Readonly<Record<string, unknown>>): unknown {
  const [placed] = flatten(toolSchema().parse({ command: "x", ...leaf }), "x");
  assert.ok(placed);
  return inputSchemaOf(placed.leaf);
}

Deno.test("T6 inputSchemaOf() is exact and closed, with the meta-parameters last", () => {
  const schema = schemaOf({
    options: [
      { name: "mode", description: "How", enum: ["a", "b"], default: "a" },
      { name: "count", type: "integer", minimum: 1, maximum: 3, required: true },
      { name: "working_directory", description: "Mine", required: true },
    ],
    positional_args: [
      { name: "files", type: "array", required: true, items: { format: "path", description: "One" }, pattern: "^a" },
      { name: "rest", type: "array", items: { type: "number" }, minimum: 0 },
    ],
    allow_stdin: true,
  });
  assert.deepStrictEqual(schema, {
    type: "object",
    properties: {
      mode: { type: "string", description: "How", enum: ["a", "b"], default: "a" },
      count: { type: "integer", minimum: 1, maximum: 3 },
      files: { type: "array", items: { type: "string", description: "One", pattern: "^a" }, minItems: 1 },
      rest: { type: "array", items: { type: "number", minimum: 0 } },
      ...META,
      stdin: { type: "string", description: "Text for standard input." },
    },
    required: ["count", "files"],
    additionalProperties: false,
  });
});

Deno.test("T6 inputSchemaOf() offers args where the leaf takes raw arguments", () => {
  const args = {
    type: "array",
    description: "Further arguments, passed as they are after the options.",
    items: { type: "string" },
  };
  assert.deepStrictEqual(schemaOf({}), {
    type: "object",
    properties: { ...META, args },
    additionalProperties: false,
  });
});

Deno.test("T6 inputSchemaOf() leaves a declared args to the leaf", () => {
  const schema = schemaOf({ allow_args: true, options: [{ name: "args", type: "string" }] });
  assert.deepStrictEqual(schema, {
    type: "object",
    properties: { args: { type: "string" }, ...META },
    additionalProperties: false,
  });
});
