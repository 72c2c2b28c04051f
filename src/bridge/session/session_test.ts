import assert from "node:assert/strict";
import type { JSONRPCMessage } from "@modelcontextprotocol/server";
import { ClientLogging } from "./session.ts";

function after(capabilities: object, level?: string): boolean {
  const logging = new ClientLogging();
  const asked: JSONRPCMessage = { jsonrpc: "2.0", id: 7, method: "initialize", params: {} };
  logging.asked(asked);
  logging.told({ jsonrpc: "2.0", id: 8, result: { capabilities: {} } });
  logging.told({ jsonrpc: "2.0", id: 7, result: { capabilities } });
  logging.told({ jsonrpc: "2.0", id: 7, result: { capabilities: {} } });
  if (level !== undefined) logging.asked({ jsonrpc: "2.0", id: 9, method: "logging/setLevel", params: { level } });
  return logging.takesWarnings;
}

Deno.test("H7 C3 ClientLogging takes warnings where the server declared a log and the client wants no less", () => {
  assert.deepStrictEqual([after({ logging: {} }), after({ tools: {} })], [true, false]);
  assert.deepStrictEqual(["debug", "warning", "error", "emergency"].map((level) => after({ logging: {} }, level)), [
    true,
    true,
    false,
    false,
  ]);
  assert.deepStrictEqual([new ClientLogging().takesWarnings], [false]);
});
