import assert from "node:assert/strict";
import { measuredText, merge, readMeasured } from "./page.ts";

const BEFORE = {
  rows: [
    ["a call", "1.5 ms", "a floor", "2", "0.75", "N1: <= 1 x"],
    ["a call", "1.5 ms", "another", "1", "1.50", ""],
    ["a start", "48.5 ms", "", "", "", ""],
  ],
  curves: [
    {
      title: "Calls a second",
      axis: "calls in flight",
      unit: "calls/s",
      sizes: [1, 16],
      lines: [{ name: "ours", values: [564, 940] }, { name: "other, no sandbox", values: [519, 70.7] }],
    },
    { title: "With tools", axis: "tools", unit: "ms", sizes: [0, 9], lines: [{ name: "start", values: [1.589, 2] }] },
  ],
  loads: ["Load 5.25 on 2 cores, 5 rounds."],
};

Deno.test("readMeasured() reads what measuredText() wrote, padded or not", () => {
  const text = measuredText(BEFORE);
  assert.deepStrictEqual(readMeasured(text), BEFORE);
  assert.deepStrictEqual(readMeasured(`\n\n${text.replaceAll(" | ", "   |  ").replaceAll("---", "------")}\n`), BEFORE);
});

Deno.test("merge() keeps what a run did not measure", () => {
  const [calls, tools] = BEFORE.curves;
  assert.ok(calls !== undefined && tools !== undefined);
  const faster = { ...tools, sizes: [5], lines: [{ name: "start", values: [1] }] };
  const later = "`--only call`: Load 1.00 on 2 cores, 2 rounds.";
  const now = { rows: [["a call", "1 ms", "", "", "", ""], ["a stop", "", "", "", "", ""]], curves: [faster] };
  const merged = merge(BEFORE, { ...now, loads: [later] });
  assert.deepStrictEqual(merged, {
    rows: [["a call", "1 ms", "", "", "", ""], BEFORE.rows[2], ["a stop", "", "", "", "", ""]],
    curves: [calls, faster],
    loads: [...BEFORE.loads, later],
  });
  assert.deepStrictEqual(merge(merged, { ...now, loads: [later] }), merged);
});
