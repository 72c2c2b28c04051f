import assert from "node:assert/strict";
import { DEEPEST, nestsDeeper } from "./json_depth.ts";
import { readWireMessage } from "./json_rpc_message.ts";

function inLists(depth: number): string {
  return "[".repeat(depth) + "]".repeat(depth);
}

function inObjects(depth: number): string {
  return '{"1":'.repeat(depth) + "1" + "}".repeat(depth);
}

Deno.test("C2 values are as deep as their brackets", () => {
  const rows: readonly (readonly [json: string, depth: number])[] = [
    ["1", 0],
    ["null", 0],
    ["{}", 1],
    [inLists(7), 7],
    [inObjects(7), 7],
    [`[1, "[[[[", ${inLists(3)}, ${inObjects(5)}, {}]`, 6],
  ];
  for (const [json, depth] of rows) {
    const value: unknown = JSON.parse(json);
    assert.deepStrictEqual(
      [nestsDeeper(value, depth), depth > 0 && nestsDeeper(value, depth - 1)],
      [false, depth > 0],
      json,
    );
  }
});

Deno.test("C2 a message that nests too deep is refused under its id, and the deepest that is allowed can be written again", () => {
  const message = (depth: number) =>
    new TextEncoder().encode(`{"jsonrpc":"2.0","id":7,"method":"x","params":{"a":${inObjects(depth)}}}`);
  const allowed = readWireMessage(message(DEEPEST - 2));
  assert.strictEqual(allowed.kind, "request");
  assert.match(JSON.stringify(allowed), /"1":1/);
  for (const depth of [DEEPEST - 1, 100_000]) {
    assert.deepStrictEqual(readWireMessage(message(depth)), {
      kind: "invalid",
      id: 7,
      code: -32600,
      problem: `Invalid request: it nests more than ${DEEPEST} objects and lists`,
      expectsNone: false,
    });
  }
});
