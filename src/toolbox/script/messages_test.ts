import assert from "node:assert/strict";
import { readScriptMessage } from "./messages.ts";

Deno.test("K11 what a script sends is a message of a known kind with members of their types, or refused", () => {
  const call = { kind: "call", id: 1, name: "files_read", args: { path: "a" } };
  assert.deepStrictEqual(readScriptMessage({ ...call, more: 1 }), call);
  assert.deepStrictEqual(readScriptMessage({ kind: "log", text: "a", more: 1 }), { kind: "log", text: "a" });
  assert.deepStrictEqual(readScriptMessage({ kind: "end", value: 1, problem: "why" }), { kind: "end", problem: "why" });
  const wrong: readonly unknown[] = [
    ...[null, [], "call", {}, { kind: "other" }, { kind: "log", text: 1 }],
    ...[{ ...call, id: null }, { ...call, id: "1" }, { ...call, name: {} }, { ...call, args: [] }],
    JSON.parse(`{"__proto__":${JSON.stringify(call)}}`),
  ];
  for (const message of wrong) {
    assert.throws(() => readScriptMessage(message), /^Error: The script wrote a message of no known kind$/);
  }
});
