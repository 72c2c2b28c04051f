/** Nothing is served before the handshake, over HTTP: raw requests. */
import assert from "node:assert/strict";
import { withDeadline } from "../_support/deadline.ts";
import { initializeMessage } from "../_support/servers/http_server.ts";
import { testCeiling } from "./servers.ts";

testCeiling(
  "H4 C3 fault 6: nothing is served before initialize, and nothing asked before initialized, over HTTP",
  async ({ server }) => {
    const codeOf = async (answer: Response) => [answer.status, (await answer.json()).error?.code];
    for (const method of ["tools/list", "ping", "tools/call", "no/such/method"]) {
      assert.deepStrictEqual(await codeOf(await server.post({ jsonrpc: "2.0", id: 1, method })), [400, -32000], method);
    }
    const opening = await server.post(initializeMessage("2025-11-25", { hasRoots: true }), {
      accept: "application/json",
    });
    const headers = { "mcp-session-id": opening.headers.get("mcp-session-id") ?? "" };
    await opening.body?.cancel();
    const listening = await server.post({ jsonrpc: "2.0", id: 2, method: "tools/list" }, { headers });
    const reader = (listening.body ?? new ReadableStream<Uint8Array>()).pipeThrough(new TextDecoderStream())
      .getReader();
    // Whatever the server had to ask would come before the answer to this.
    const ping = await server.post({ jsonrpc: "2.0", id: 3, method: "ping" }, { headers, accept: "application/json" });
    assert.deepStrictEqual((await ping.json()).result, {});
    let text = "";
    const read = async (until: RegExp) => {
      while (!until.test(text)) text += (await withDeadline(reader.read(), 20_000, String(until))).value ?? "";
    };
    await read(/\n\n/);
    assert.doesNotMatch(text, /roots\/list/, "not before initialized");
    const accepted = await server.post({ jsonrpc: "2.0", method: "notifications/initialized" }, { headers });
    assert.deepStrictEqual([accepted.status, await accepted.text()], [202, ""]);
    await read(/roots\/list/);
    await reader.cancel();
  },
);
