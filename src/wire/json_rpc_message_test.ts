import { strict as assert } from "node:assert";
import {
  isJSONRPCErrorResponse,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
} from "@modelcontextprotocol/server";
import fc from "fast-check";
import { encodeText } from "../base/text.ts";
import { readWireMessage } from "./message_reader.ts";

const ID = fc.oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }), fc.string(), fc.constant(null));
const META = fc.record({
  progressToken: ID,
  "io.modelcontextprotocol/related-task": fc.constantFrom({}, { taskId: "a" }, { taskId: 1 }, null, 1),
  other: fc.jsonValue({ maxDepth: 0 }),
}, { requiredKeys: [] });
const OBJECT = fc.oneof(
  fc.constantFrom({}, [], null, "text", { _meta: {} }, { _meta: 1 }, { _meta: [] }),
  fc.dictionary(fc.string(), fc.jsonValue()),
  META.map((_meta) => ({ _meta })),
);
const ERROR = fc.record({
  code: fc.constantFrom(-32_000, 1.5, "1"),
  message: fc.constantFrom("text", 1),
  data: fc.jsonValue({ maxDepth: 0 }),
  more: fc.constant(1),
}, { requiredKeys: [] });
/** Members by chance, most often those of one kind of message. */
const ALMOST_MESSAGE = fc.tuple(
  fc.constantFrom(["id", "method", "params"], ["method", "params"], ["id", "result"], ["id", "error"], ["error"], []),
  fc.record({
    jsonrpc: fc.oneof({ arbitrary: fc.constant("2.0"), weight: 9 }, {
      arbitrary: fc.constantFrom("1.0", 2),
      weight: 1,
    }),
    id: ID,
    method: fc.constantFrom("tools/call", "", 1),
    params: OBJECT,
    result: OBJECT,
    error: fc.oneof(ERROR, OBJECT),
    more: fc.constant(1),
  }),
  fc.subarray(["id", "method", "params", "result", "error", "more"], { maxLength: 1 }),
).map(([members, all, extra]) =>
  Object.fromEntries(Object.entries(all).filter(([name]) => ["jsonrpc", ...members, ...extra].includes(name)))
);

function kindOfSdk(value: unknown): string {
  if (isJSONRPCRequest(value)) return "request";
  if (isJSONRPCNotification(value)) return "notification";
  return isJSONRPCResultResponse(value) || isJSONRPCErrorResponse(value) ? "response" : "invalid";
}

Deno.test("C2 readWireMessage() takes each message for what the SDK takes it for", () => {
  const seen = new Set<string>();
  fc.assert(
    fc.property(ALMOST_MESSAGE, (value) => {
      const text = JSON.stringify(value);
      const { kind } = readWireMessage(encodeText(text));
      seen.add(kind);
      assert.strictEqual(kind, kindOfSdk(JSON.parse(text)), text);
    }),
    { numRuns: 500 },
  );
  assert.deepStrictEqual([...seen].sort(), ["invalid", "notification", "request", "response"]);
});
