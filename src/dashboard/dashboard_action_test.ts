import assert from "node:assert/strict";
import { readAction } from "./dashboard_action.ts";

Deno.test("V2 an action is read as the page wrote it, and anything else is told", () => {
  const server = "1-ab";
  for (
    const action of [
      { action: "kill", server, operation: "op_1" },
      { action: "answer", server, question: "q_1", answer: "session" },
      { action: "take_back", server, grant: "q_1" },
      { action: "undo", server, operation: "op_1" },
      { action: "undo", server, operation: "op_1", paths: ["a"] },
      { action: "size", stream: "s", columns: 80, rows: 24 },
      { action: "end_input", stream: "s" },
    ]
  ) {
    assert.deepStrictEqual(readAction(action), { ok: true, value: action });
  }
  assert.deepStrictEqual(readAction({ action: "input", stream: "s", data: "AAE=" }), {
    ok: true,
    value: { action: "input", stream: "s", bytes: new Uint8Array([0, 1]) },
  });
  for (
    const [value, problem] of [
      [[], /not a JSON object/],
      [null, /not a JSON object/],
      [{}, /action missing is unknown: known are kill, answer/],
      [{ action: "constructor" }, /action "constructor" is unknown/],
      [{ action: "answer", server, question: "q", answer: "all" }, /answer "all" is unknown/],
      [{ action: "undo", server, operation: "o", paths: "a" }, /not a list of texts/],
      [{ action: "input", stream: "s", data: "?" }, /not base64/],
      [{ action: "size", stream: "s", columns: 0, rows: 24 }, /from 1 to 999/],
      [{ action: "size", stream: "s", columns: 80, rows: 1e9 }, /from 1 to 999/],
    ] as const
  ) {
    const read = readAction(value);
    assert.match(read.ok ? "" : read.problem, problem);
  }
});
