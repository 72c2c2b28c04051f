import { strict as assert } from "node:assert";
import { isJSONRPCRequest } from "@modelcontextprotocol/server";
import fc from "fast-check";
import { encodeText } from "../base/text.ts";
import { readWireMessage } from "./json_rpc_message.ts";

const ALMOST_REQUEST = fc.record({
  jsonrpc: fc.constantFrom("2.0", "1.0", 2),
  id: fc.oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }), fc.string(), fc.constant(null)),
  method: fc.constantFrom("tools/call", "", 1),
  params: fc.oneof(
    fc.constantFrom({}, [], null, "text", { _meta: {} }, { _meta: 1 }, { _meta: { progressToken: 1.5 } }),
    fc.dictionary(fc.string(), fc.jsonValue()),
  ),
  more: fc.constant(1),
}, { requiredKeys: [] });

Deno.test("C2 readWireMessage() takes for a request exactly what the SDK takes for one", () => {
  fc.assert(fc.property(ALMOST_REQUEST, (value) => {
    const text = JSON.stringify(value);
    const { kind } = readWireMessage(encodeText(text));
    assert.strictEqual(kind === "request", isJSONRPCRequest(JSON.parse(text)));
  }));
});
