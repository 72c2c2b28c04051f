import { strict as assert } from "node:assert";
import { type JSONRPCMessage, SERVER_INFO_META_KEY } from "@modelcontextprotocol/server";
import { VersionedServer } from "./versioned_server.ts";

Deno.test("C1 the first result that names the server keeps the name, later ones keep everything else", async () => {
  const answer = (id: number, rest: Record<string, unknown>): JSONRPCMessage => ({
    jsonrpc: "2.0",
    id,
    result: { tools: [], _meta: { [SERVER_INFO_META_KEY]: { name: "a", version: "1" }, ...rest } },
  });
  const error: JSONRPCMessage = { jsonrpc: "2.0", id: 4, error: { code: -32602, message: "no" } };
  const sent: JSONRPCMessage[] = [];
  const transport = {
    start: () => Promise.resolve(),
    close: () => Promise.resolve(),
    send: (message: JSONRPCMessage) => Promise.resolve(void sent.push(message)),
  };
  await new VersionedServer({ name: "a", version: "1" }, { capabilities: {} }).connect(transport);
  for (const one of [error, answer(1, {}), answer(2, {}), answer(3, { more: 1 })]) await transport.send(one);
  assert.deepStrictEqual(sent, [
    error,
    answer(1, {}),
    { jsonrpc: "2.0", id: 2, result: { tools: [] } },
    { jsonrpc: "2.0", id: 3, result: { tools: [], _meta: { more: 1 } } },
  ]);
});
