import assert from "node:assert/strict";
import { Durations, Sum } from "./instruments.ts";

const MOST = 1000;

Deno.test("V5 a sum counts each combination of attributes, and all beyond a thousand as one", () => {
  const sum = new Sum({ name: "n", description: "d", unit: "1" }, { isMonotonic: true });
  for (let index = 0; index < MOST + 5; index++) sum.add(1, { index });
  sum.add(2, { index: 0 });
  const { data } = sum.read();
  assert.ok("isMonotonic" in data);
  assert.deepStrictEqual([data.points.length, data.points[0], data.points.at(-1)], [
    MOST + 1,
    { attributes: { index: 0 }, value: 3 },
    { attributes: { "otel.metric.overflow": true }, value: 5 },
  ]);
});

Deno.test("V5 durations go to the bucket whose upper bound they do not exceed", () => {
  const durations = new Durations({ name: "n", description: "d" });
  for (const seconds of [0, 0.01, 0.011, 300, 301]) durations.record(seconds, {});
  const { data } = durations.read();
  assert.ok("bounds" in data);
  const [point] = data.points;
  assert.deepStrictEqual(point, {
    attributes: {},
    sum: 601.021,
    min: 0,
    max: 301,
    counts: [2, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1],
  });
  assert.strictEqual(data.bounds.length, (point?.counts.length ?? 0) - 1);
});
