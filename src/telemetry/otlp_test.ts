import assert from "node:assert/strict";
import { metricsBody, type Origin, tracesBody } from "./otlp.ts";

const ORIGIN: Origin = { resource: { "service.name": "a" }, scope: { name: "s", version: "1" } };
const TRACE = { traceId: "0af7651916cd43dd8448eb211c80319c", spanId: "b7ad6b7169203331", flags: 1 };
const RESOURCE = { attributes: [{ key: "service.name", value: { stringValue: "a" } }] };

Deno.test("V5 tracesBody() writes long integers as strings, kinds as numbers, and leaves out what is not there", () => {
  const span = { name: "n", startMs: 1_795_000_000_000.25, endMs: 1_795_000_000_001, isError: false } as const;
  const attributes = { a: "x", b: 2, c: 0.5, d: true, e: undefined };
  const body = tracesBody(ORIGIN, [
    { ...span, trace: TRACE, kind: "server", attributes },
    {
      ...span,
      trace: { ...TRACE, parentId: "00f067aa0ba902b7", state: "v=1" },
      kind: "client",
      attributes: {},
      isError: true,
    },
  ]);
  const times = { startTimeUnixNano: "1795000000000250000", endTimeUnixNano: "1795000000001000000" };
  assert.deepStrictEqual(JSON.parse(body), {
    resourceSpans: [{
      resource: RESOURCE,
      scopeSpans: [{
        scope: ORIGIN.scope,
        spans: [{
          ...TRACE,
          name: "n",
          kind: 2,
          ...times,
          attributes: [
            { key: "a", value: { stringValue: "x" } },
            { key: "b", value: { intValue: "2" } },
            { key: "c", value: { doubleValue: 0.5 } },
            { key: "d", value: { boolValue: true } },
          ],
          status: {},
        }, {
          ...TRACE,
          parentSpanId: "00f067aa0ba902b7",
          traceState: "v=1",
          name: "n",
          kind: 3,
          ...times,
          attributes: [],
          status: { code: 2 },
        }],
      }],
    }],
  });
});

Deno.test("V5 metricsBody() writes sums and histograms since the start, and no metric without values", () => {
  const described = { description: "d", unit: "1" };
  const body = metricsBody(ORIGIN, [
    { ...described, name: "sum", data: { isMonotonic: false, points: [{ attributes: { a: 1 }, value: -2 }] } },
    { ...described, name: "empty", data: { isMonotonic: true, points: [] } },
    {
      ...described,
      name: "times",
      data: { bounds: [1, 2], points: [{ attributes: {}, sum: 3.5, min: 0.5, max: 3, counts: [1, 0, 1] }] },
    },
  ], { startMs: 1, nowMs: 2 });
  const times = { startTimeUnixNano: "1000000", timeUnixNano: "2000000" };
  assert.deepStrictEqual(JSON.parse(body).resourceMetrics[0].scopeMetrics[0].metrics, [
    {
      name: "sum",
      ...described,
      sum: {
        aggregationTemporality: 2,
        isMonotonic: false,
        dataPoints: [{ ...times, attributes: [{ key: "a", value: { intValue: "1" } }], asInt: "-2" }],
      },
    },
    {
      name: "times",
      ...described,
      histogram: {
        aggregationTemporality: 2,
        dataPoints: [{
          ...times,
          attributes: [],
          count: "2",
          sum: 3.5,
          min: 0.5,
          max: 3,
          bucketCounts: ["1", "0", "1"],
          explicitBounds: [1, 2],
        }],
      },
    },
  ]);
});
