import assert from "node:assert/strict";
import { checkTexts } from "./text_values.ts";

Deno.test("C3 checkTexts() refuses the first value that is not a text, where a request has texts by name", () => {
  const rows: readonly (readonly [method: string, params: unknown, problem: string | undefined])[] = [
    ["prompts/get", { arguments: { a: "x", b: 1, c: 2 } }, "params.arguments.b"],
    ["completion/complete", { context: { arguments: { a: null } } }, "params.context.arguments.a"],
    ["prompts/get", { arguments: { a: "x" } }, undefined],
    ["prompts/get", { arguments: 7 }, undefined],
    ["prompts/get", undefined, undefined],
    ["completion/complete", { arguments: { a: 1 } }, undefined],
    ["tools/call", { arguments: { a: 1 } }, undefined],
  ];
  for (const [method, params, problem] of rows) {
    const check = () => checkTexts(method, params);
    if (problem === undefined) check();
    else {assert.throws(check, {
        code: -32602,
        message: `Invalid parameters: ${problem}: Invalid input: expected string`,
      });}
  }
});
