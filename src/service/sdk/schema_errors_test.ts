import assert from "node:assert/strict";
import { RequestError } from "../../wire/request_error.ts";
import { asInvalidParams } from "./schema_errors.ts";

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
