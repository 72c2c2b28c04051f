/** What a client does that few do: it repeats ids, probes the other era, cancels `initialize`, leaves while the SDK is loaded. */
import { strict as assert } from "node:assert";
import { InMemoryTransport } from "@modelcontextprotocol/client";
import type { JSONRPCRequest } from "@modelcontextprotocol/server";
import { delay } from "../../base/time.ts";
import { makeService } from "../_support/connection.ts";
import { INITIALIZE, RawConnection } from "../_support/raw_connection.ts";
import { DirectAnswers } from "./direct_answers.ts";
import { connectSdk } from "./sdk_connection.ts";

const PROBE = {
  id: "probe",
  method: "server/discover",
  params: {
    _meta: {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientCapabilities": {},
    },
  },
};
const READ = { id: "read", method: "resources/read", params: { uri: "ahma://operations" } };
const CANCEL = { method: "notifications/cancelled", params: { requestId: "begin" } };

Deno.test("O2 a plain call asks the client, also after a probe of the other era and a cancel of initialize", async () => {
  for (
    const [way, first, then] of [["layer", [], []], ["layer", [], [READ, CANCEL]], [
      "layer and sdk",
      [PROBE],
      [],
    ]] as const
  ) {
    await using past = new RawConnection(way);
    for (const message of first) await past.send(message).then(() => past.answer(message.id));
    await past.initialize();
    for (const message of then) await past.send(message);
    await past.send({ id: "call", method: "tools/call", params: { name: "asks" } });
    const asked = await past.message((one) => "method" in one && one.method === "elicitation/create");
    await past.send({ id: (asked as JSONRPCRequest).id, result: { action: "decline" } });
    assert.match(JSON.stringify(await past.answer("call")), /decline/);
  }
});

Deno.test("O2 a client is the same to servers behind ours, with and without the SDK", async () => {
  await using past = new RawConnection("layer");
  await past.initialize();
  for (const [id, more] of [{}, { more: 1 }, {}].entries()) {
    await past.send({ id, method: "tools/call", params: { name: "plain", ...more } });
    await past.answer(id);
  }
  assert.equal(past.callers.size, 1);
});

Deno.test("C3 a refused initialize begins no session, whatever has its id afterwards", async () => {
  const heard = await Promise.all((["sdk", "layer and sdk"] as const).map(async (way) => {
    await using past = new RawConnection(way);
    const wrong = { ...INITIALIZE, params: {} };
    for (
      const [index, request] of [wrong, { id: "begin", method: "ping" }, { id: 1, method: "tools/list" }].entries()
    ) {
      await past.send(request);
      while (past.messages.length <= index) await past.message((one) => one === past.messages[index]);
    }
    return past.messages.slice();
  }));
  assert.deepStrictEqual(heard[1], heard[0]);
  assert.ok(heard[1]?.[2] !== undefined && "error" in heard[1][2]);
});

Deno.test("C3 calls begin in the order in which they came, also while the SDK is loaded", async () => {
  const loaded = Promise.withResolvers<void>();
  await using past = new RawConnection("layer", {
    load: (service, session) => loaded.promise.then(() => connectSdk(service, session)),
  });
  await past.initialize();
  for (const [id, more] of [{ more: 1 }, {}, {}].entries()) {
    const args = { command: `true ${id}`, execution_mode: "Synchronous" };
    await past.send({ id, method: "tools/call", params: { name: "sandboxed_shell", arguments: args, ...more } });
  }
  await past.send({ method: "notifications/cancelled", params: { requestId: 1 } });
  loaded.resolve();
  await past.answer(2);
  await past.answer(0);
  const lines = past.runner.requests.map(({ run }) => "shell" in run ? run.shell : undefined);
  assert.deepStrictEqual([lines, past.messages.length], [["true 0", "true 2"], 2]);
});

Deno.test("X14 the SDK begins nothing when the connection has ended while it was loaded", async () => {
  const loaded = Promise.withResolvers<void>();
  const done = Promise.withResolvers<void>();
  const past = new RawConnection("layer", {
    load: async (service, session) => {
      await loaded.promise;
      queueMicrotask(done.resolve);
      return connectSdk(service, session);
    },
  });
  await past.initialize();
  for (const request of [READ, INITIALIZE]) await past.send(request);
  await past.end();
  loaded.resolve();
  await done.promise;
  await delay(0); // a rejection that has no handler fails the test
  assert.deepStrictEqual(past.messages, []);
});

Deno.test("C3 a connection that needs the SDK from the start fails where it cannot be loaded", async () => {
  const [, wire] = InMemoryTransport.createLinkedPair();
  const connect = () => Promise.reject(new Error("No such file"));
  const layer = new DirectAnswers(wire, { service: makeService(), answered: undefined, connect });
  await assert.rejects(layer.open(), { message: "No such file" });
});
