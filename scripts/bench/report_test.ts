import assert from "node:assert/strict";
import { judge, type Row, table } from "./report.ts";

const ROW: Row = {
  measure: "a call",
  unit: "ms",
  ours: [2, 3, 1],
  floor: { name: "the floor", samples: [4] },
  target: { text: "at most 1 x", met: ({ ratio }) => ratio <= 1 },
};

Deno.test("judge() compares medians with the floor and the target", () => {
  assert.deepStrictEqual(judge(ROW), {
    measure: "a call",
    unit: "ms",
    ours: { count: 3, p50: 2, p99: 3 },
    floor: { name: "the floor", count: 1, p50: 4, p99: 4 },
    ratio: 0.5,
    target: "at most 1 x",
    verdict: "meets",
    note: "",
  });
});

Deno.test("judge() says what misses its target", () => {
  assert.equal(judge({ ...ROW, ours: [5] }).verdict, "MISSES");
});

Deno.test("judge() never calls a target met that was not measured", () => {
  assert.equal(judge({ ...ROW, ours: [] }).verdict, "not measured");
  const unfloored: Row = {
    measure: "a call",
    unit: "ms",
    ours: [1],
    target: { text: "", met: ({ ratio }) => ratio <= 1 },
  };
  assert.equal(judge(unfloored).verdict, "MISSES");
});

Deno.test("table() aligns its columns", () => {
  assert.equal(
    table([judge(ROW)]),
    [
      "measure  p50    p99    unit  n  floor      floor p50  ratio   target       verdict",
      "-------  -----  -----  ----  -  ---------  ---------  ------  -----------  -------",
      "a call   2.000  3.000  ms    3  the floor  4.000      0.50 x  at most 1 x  meets",
    ].join("\n"),
  );
});
