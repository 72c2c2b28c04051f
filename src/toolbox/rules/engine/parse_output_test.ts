import assert from "node:assert/strict";
import fc from "fast-check";
import { failure, success } from "../../../base/outcome.ts";
import { parseOutput } from "./parse_output.ts";

const PLACE = { path: "src/a b.ts", line: 3, column: 5, message: "Wrong: x" };

Deno.test("K8 the output of linters is read in each form, whatever the names of the members", () => {
  const lines = "src/a b.ts:3:5: Wrong: x\n\nFound 1 error.\nb.ts:7: Late\n";
  const late = { path: "b.ts", line: 7, column: 1, message: "Late" };
  assert.deepEqual(parseOutput(lines, "file:line:col: message"), success([PLACE, late]));
  const region = { startLine: 3, startColumn: 5 };
  const location = { physicalLocation: { artifactLocation: { uri: "src/a%20b.ts" }, region } };
  const sarif = { runs: [{ results: [{ message: { text: "Wrong: x" }, locations: [location] }, {}] }] };
  assert.deepEqual(parseOutput(JSON.stringify(sarif), "sarif"), success([PLACE]));
  const plain = { file: "src/a b.ts", line: 3, col: 5, text: "Wrong: x" };
  const nested = { filename: "src/a b.ts", location: { row: 3, column: 5 }, message: "Wrong: x" };
  const eslint = [{ filePath: "src/a b.ts", messages: [{ line: 3, column: 5, message: "Wrong: x" }], fatal: [] }];
  const forms = [[plain], { issues: [nested] }, eslint].map((value) => JSON.stringify(value));
  for (const text of [...forms, `${JSON.stringify(plain)}\n`]) {
    assert.deepEqual(parseOutput(text, "json"), success([PLACE]), text);
  }
  assert.deepEqual(parseOutput("no", "sarif"), failure('it is not SARIF: an object with "runs" is expected'));
  assert.deepEqual(parseOutput("no", "json"), failure("it is not JSON"));
});

Deno.test("K8 no output of a program breaks the reading of it", () => {
  fc.assert(fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
    for (const form of ["file:line:col: message", "sarif", "json"] as const) {
      const read = parseOutput(text, form);
      if (read.ok) assert.ok(read.value.every(({ line, column }) => line > 0 && column > 0));
    }
  }));
});
