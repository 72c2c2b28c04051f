import { strict as assert } from "node:assert";
import { InMemoryTransport } from "@modelcontextprotocol/client";
import type { JSONRPCMessage } from "@modelcontextprotocol/server";
import { makeService } from "../_support/connection.ts";
import { buildServer } from "../connection/server.ts";
import { WORK_CAPABILITY, WORK_METHOD } from "./notifier.ts";

/** Two operations that overlap and a third one later; gives what a client with these capabilities heard of them. */
async function heardBy(capabilities: Record<string, unknown>): Promise<readonly unknown[]> {
  const service = makeService();
  const [clientSide, serverSide] = InMemoryTransport.createLinkedPair();
  const server = buildServer(service, { revision: "2025-11-25" });
  const heard: unknown[] = [];
  const initialized = Promise.withResolvers<void>();
  clientSide.onmessage = (message: JSONRPCMessage) => {
    if ("result" in message) initialized.resolve();
    else if ("method" in message && message.method === WORK_METHOD) heard.push(message.params);
  };
  await server.connect(serverSide);
  const clientInfo = { name: "test", version: "1" };
  const params = { protocolVersion: "2025-11-25", capabilities, clientInfo };
  await clientSide.send({ jsonrpc: "2.0", id: 1, method: "initialize", params });
  await initialized.promise;
  const [long, short] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const start = (until: Promise<void>) =>
    service.registry.start("make", "make", () => until.then(() => ({ kind: "exited", code: 0 })));
  const overlapping = [start(long.promise).id, start(short.promise).id];
  short.resolve();
  long.resolve();
  await service.registry.wait(overlapping);
  await service.registry.wait([start(Promise.resolve()).id]);
  await server.close();
  return heard;
}

Deno.test("H8 the bridge is told when operations begin and when the last one is over, and no other client is", async () => {
  const [active, over] = [{ active: true }, { active: false }];
  assert.deepStrictEqual(await heardBy({ experimental: { [WORK_CAPABILITY]: {} } }), [active, over, active, over]);
  assert.deepStrictEqual(await heardBy({ experimental: { another: {} } }), []);
  assert.deepStrictEqual(await heardBy({}), []);
});
