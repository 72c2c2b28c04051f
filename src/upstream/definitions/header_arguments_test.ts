import assert from "node:assert/strict";
import { headerArguments } from "./header_arguments.ts";

function text(name: unknown): object {
  return { type: "string", "x-mcp-header": name };
}

function argumentsOf(properties: object): object {
  return { type: "object", properties };
}

/** What is found in each schema; a text: a part of the problem. */
const CASES: readonly (readonly [object, readonly string[] | string])[] = [
  [argumentsOf({ a: { type: "string" } }), []],
  [argumentsOf({ a: text("Region"), b: argumentsOf({ c: text("Zone") }) }), ["region", "zone"]],
  [argumentsOf({ "x-mcp-header": { type: "string", default: { "x-mcp-header": "Data" } } }), []],
  [argumentsOf({ a: text("") }), "not a name of a header"],
  [argumentsOf({ a: text(7) }), "not a name of a header"],
  [argumentsOf({ a: text("My Region") }), "not a name of a header"],
  [argumentsOf({ a: { type: "number", "x-mcp-header": "A" } }), "not a string, integer or boolean"],
  [argumentsOf({ a: text("Region"), b: text("region") }), "used twice"],
  [argumentsOf({ a: { type: "array", items: text("A") } }), "not that of an argument"],
  [{ ...argumentsOf({}), "x-mcp-header": "A" }, "not that of an argument"],
  [{ ...argumentsOf({}), anyOf: [argumentsOf({ a: text("A") })] }, "not that of an argument"],
];

Deno.test("O2 headers of arguments are found, and those that the specification forbids are told", () => {
  for (const [schema, expected] of CASES) {
    const found = headerArguments(schema);
    const said = found.ok ? found.value : typeof expected === "string" && found.problem.includes(expected) && expected;
    assert.deepStrictEqual([schema, said], [schema, expected]);
  }
});
