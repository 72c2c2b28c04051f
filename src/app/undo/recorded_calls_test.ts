import assert from "node:assert/strict";
import { errorResult } from "../../service/result/result_text.ts";
import { RecordedCalls } from "./recorded_calls.ts";

Deno.test("S39 RecordedCalls says once why neither look was recorded, without the names of its own calls", async () => {
  const calls = new RecordedCalls({
    call: (name) =>
      Promise.resolve(errorResult(`Cannot run "${name}": Cannot make "/h/undo": No space left on device`)),
  });
  assert.deepStrictEqual(await calls.around({ id: "op_1", title: "true" }, () => Promise.resolve(7)), {
    result: 7,
    notes: ['Not recorded for undo: Cannot make "/h/undo": No space left on device'],
  });
});
