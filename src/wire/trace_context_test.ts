import assert from "node:assert/strict";
import { type TraceContext, traceIn, traceMeta } from "./trace_context.ts";

const TRACE = "0af7651916cd43dd8448eb211c80319c";
const SPAN = "b7ad6b7169203331";
const PARENT = `00-${TRACE}-${SPAN}-01`;

Deno.test("V5 a trace context is read as W3C writes it and written again, later versions as the first", () => {
  const context: TraceContext = { traceId: TRACE, spanId: SPAN, flags: 1 };
  assert.deepStrictEqual(traceIn({ traceparent: PARENT, progressToken: 1 }), context);
  assert.deepStrictEqual(traceIn({ traceparent: PARENT, tracestate: "a=1,b=2" }), { ...context, state: "a=1,b=2" });
  assert.deepStrictEqual(traceIn({ traceparent: `cc-${TRACE}-${SPAN}-ff-more` }), { ...context, flags: 3 });
  assert.deepStrictEqual(traceMeta({ ...context, state: "a=1" }), { traceparent: PARENT, tracestate: "a=1" });
  assert.deepStrictEqual(traceMeta({ ...context, flags: 0 }), { traceparent: `00-${TRACE}-${SPAN}-00` });
});

Deno.test("V5 a malformed trace context is none, and its state goes with it", () => {
  const wrong = [
    undefined,
    1,
    "",
    `${PARENT}-more`,
    `ff-${TRACE}-${SPAN}-01`,
    `00-${"0".repeat(32)}-${SPAN}-01`,
    `00-${TRACE}-${"0".repeat(16)}-01`,
    `00-${TRACE.toUpperCase()}-${SPAN}-01`,
    `00-${TRACE}-${SPAN}-1`,
    ` ${PARENT}`,
    `${PARENT}\n`,
  ];
  for (const traceparent of wrong) assert.strictEqual(traceIn({ traceparent, tracestate: "a=1" }), undefined);
  assert.strictEqual(traceIn(undefined), undefined);
  for (const tracestate of ["", "a=1\n", "a=ä", "a".repeat(513), 1]) {
    assert.strictEqual(traceIn({ traceparent: PARENT, tracestate })?.state, undefined);
  }
});
