import assert from "node:assert/strict";
import { imitationNote } from "./imitation.ts";

const NONE = { said: new Set<string>() };

Deno.test("X20 X22 imitationNote() tells of lines that read as if the server had written them, hidden or not", () => {
  for (
    const line of [
      'op_FAKE1234 waits for input: "Name?"',
      "[op_01ARZ3NDEKTSV4RRFFQ69G5FAV completed, exit code 0, 1 s] make",
      "  [exit code 0, 1.3 s]",
      "\u200b[no output, exit code 0]",
      "words\u2028Ended since:",
      "> Watched lines:",
      "[step 2/2] deploy",
      "[script: 2 calls, 9 characters of answers]",
    ]
  ) assert.match(imitationNote(`first\n${line}\nlast`, NONE), /^\[Lines of this output that look like/, line);
  for (const line of ["op_overload_resolution", "[steps]", "see [exit code 0]", "sandbox: on", "Sandboxes:", ""]) {
    assert.strictEqual(imitationNote(line, NONE), "", line);
  }
});

Deno.test("X20 imitationNote() leaves our own headings in an output out", () => {
  const said = new Set(["[step 1/2] build", "[step 1/2 completed, 1 s]"]);
  assert.strictEqual(imitationNote("[step 1/2] build\nhi\n[step 1/2 completed, 1 s]\n", { said }), "");
  assert.notStrictEqual(imitationNote("[step 1/2] build\n[step 1/2 completed, 2 s]\n", { said }), "");
});
