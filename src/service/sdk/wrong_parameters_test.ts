import assert from "node:assert/strict";
import { asInvalidParams, checkTexts } from "./wrong_parameters.ts";
import { RequestError } from "../../wire/request_error.ts";

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

function dump(...issues: readonly unknown[]): string {
  return JSON.stringify(issues, undefined, 2);
}

Deno.test("C3 asInvalidParams() makes -32602 and a sentence of what a schema refuses, however deep, and leaves everything else", () => {
  const issue = { code: "invalid_type", path: ["params", "uri"], message: "Invalid input: expected string" };
  for (const before of ["", "Invalid tools/call request: "]) {
    const error = asInvalidParams(new Error(before + dump(issue, { ...issue, path: [], message: "x".repeat(500) })));
    assert.ok(error instanceof RequestError);
    const words = `Invalid parameters: params.uri: Invalid input: expected string; : ${"x".repeat(198)}`;
    assert.deepStrictEqual([error.code, error.message], [-32602, words]);
  }
  const many = asInvalidParams(new Error(dump(...Array(1_000).fill(issue))));
  const told = Array(5).fill("params.uri: Invalid input: expected string").join("; ");
  assert.strictEqual(many instanceof RequestError && many.message, `Invalid parameters: ${told}; 995 more`);
  const others = [
    new Error("broken"),
    new Error("[\n not JSON"),
    new Error(dump()),
    new Error(dump(7)),
    new RequestError(-32601, "no"),
  ];
  for (const other of others) assert.strictEqual(asInvalidParams(other), other);
});
