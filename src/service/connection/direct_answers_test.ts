import { strict as assert } from "node:assert";
import type { JSONRPCMessage, JSONRPCRequest, Result } from "@modelcontextprotocol/server";
import fc from "fast-check";
import { INITIALIZE, RawConnection } from "../_support/raw_connection.ts";
import { connectSdk } from "./sdk_connection.ts";

/** The same messages to all three. */
async function together(
  use: (all: readonly [RawConnection, RawConnection, RawConnection]) => Promise<void>,
): Promise<void> {
  await using sdk = new RawConnection("sdk");
  await using both = new RawConnection("layer and sdk");
  await using layer = new RawConnection("layer");
  for (const one of [sdk, both, layer]) await one.initialize();
  await use([sdk, both, layer]);
}

/** A request, its id included. */
type Request = Pick<JSONRPCRequest, "id" | "method"> & { readonly params?: unknown };

/** Answers and their progress, without what no two have in common; other notifications come when their timers say. */
function stable(messages: readonly JSONRPCMessage[]): unknown {
  const own = messages.filter((one) => !("method" in one) || one.method === "notifications/progress");
  const text = JSON.stringify(own).replaceAll(/op_[0-9A-Z]+|\d{4}-[-\d]+T[\d:.]+Z|\d+ ms/g, "ANY");
  return JSON.parse(text.replaceAll(/(duration_ms\\*": )\d+/g, "$1"));
}

/** What each sends until it has answered. */
async function sentFor(connections: readonly RawConnection[], request: Request): Promise<readonly unknown[]> {
  return await Promise.all(connections.map(async (one) => {
    const before = one.messages.length;
    await one.send(request);
    await one.answer(request.id);
    return stable(one.messages.slice(before));
  }));
}

const SHELL = { name: "sandboxed_shell", arguments: { command: "true", execution_mode: "Synchronous" } };
const META = { progressToken: "t", "a/b": {} };

/** Requests that need no SDK. */
const PLAIN: readonly (readonly [method: string, params?: unknown])[] = [
  ["ping"],
  ["ping", {}],
  ["ping", { _meta: META }],
  ["tools/list"],
  ["tools/list", { _meta: META }],
  ["tools/list", { cursor: "x" }],
  ["prompts/list", {}],
  ["prompts/list", { cursor: "x" }],
  ["resources/list", {}],
  ["resources/list", { cursor: "ahma://operations" }],
  ["resources/list", { cursor: "no" }],
  ["resources/templates/list"],
  ["resources/templates/list", { cursor: "x" }],
  ["logging/setLevel", { level: "warning" }],
  ["logging/setLevel", { level: "loud" }],
  ["logging/setLevel", {}],
  ["tools/call", SHELL],
  ["tools/call", { ...SHELL, _meta: META }],
  ["tools/call", { ...SHELL, arguments: { command: 7 } }],
  ["tools/call", { name: "sandboxed_shel" }],
  ["tools/call", { name: "plain" }],
  ...["plain", "empty", "refused", "broken"].map((name) => ["tools/call", { name, _meta: META }] as const),
];
/** Requests for which it is loaded. */
const OTHER: readonly (readonly [method: string, params?: unknown])[] = [
  ...["image", "structured", "without", "wrong"].map((name) => ["tools/call", { name, arguments: {} }] as const),
  ["tools/call", { ...SHELL, task: {} }],
  ["tools/call", { ...SHELL, more: 1 }],
  ["tools/call", { ...SHELL, _meta: { "io.modelcontextprotocol/related-task": { taskId: "a" } } }],
  ["tools/call", { name: 7, arguments: {} }],
  ["tools/call", { name: "plain", arguments: [] }],
  ["tools/call", {}],
  ["tools/call"],
  ["tools/list", { cursor: 7 }],
  ["tools/list", { more: 1 }],
  ["ping", { more: 1 }],
  ["logging/setLevel", { level: "warning", more: 1 }],
  ["resources/read", { uri: "ahma://operations" }],
  ["resources/read", { uri: "ahma://no" }],
  ["resources/subscribe", { uri: "ahma://operations" }],
  ["prompts/get", { name: "a" }],
  ["completion/complete", {}],
  ["tasks/list", {}],
  ["initialize", INITIALIZE.params],
  ["no/such", {}],
];

Deno.test("C3 X4 N3 plain requests are answered as by the SDK, and do not load it", () =>
  together(async (connections) => {
    for (const [id, [method, params]] of PLAIN.entries()) {
      const [sdk, both, layer] = await sentFor(connections, { id, method, params });
      assert.deepStrictEqual([both, layer], [sdk, sdk]);
    }
    assert.ok(!connections[2].isLoaded);
  }));

Deno.test("C3 N3 each other request loads the SDK, which answers it", async () => {
  for (const [method, params] of OTHER) {
    await together(async (connections) => {
      const [sdk, both, layer] = await sentFor(connections, { id: 1, method, params });
      assert.deepStrictEqual([both, layer], [sdk, sdk]);
      assert.ok(connections[2].isLoaded, JSON.stringify([method, params]));
    });
  }
});

Deno.test("C3 N3 plain and other requests in any order are answered as by the SDK", async () => {
  const request = fc.constantFrom(...PLAIN, ...OTHER);
  await fc.assert(
    fc.asyncProperty(fc.array(request, { minLength: 2, maxLength: 6 }), (requests) =>
      together(async (connections) => {
        for (const [id, [method, params]] of requests.entries()) {
          const [sdk, both, layer] = await sentFor(connections, { id, method, params });
          assert.deepStrictEqual([both, layer], [sdk, sdk]);
        }
      })),
    { numRuns: 40 },
  );
});

Deno.test("C3 N3 what comes while the SDK is loaded is answered, each once", () =>
  together(async (connections) => {
    const requests = [...OTHER.slice(0, 6), ...PLAIN].map(([method, params], id) => ({ id, method, params }));
    const answers = await Promise.all(connections.map(async (one) => {
      for (const request of requests) await one.send(request);
      return stable(await Promise.all(requests.map(({ id }) => one.answer(id))));
    }));
    assert.deepStrictEqual(answers, [answers[0], answers[0], answers[0]]);
    const ids = connections[2].messages.flatMap((one) => "method" in one ? [] : [one.id]);
    assert.deepStrictEqual(ids.toSorted(), requests.map(({ id }) => id).toSorted());
  }));

Deno.test("C3 a tool whose results are not objects is listed by the SDK", async () => {
  const listed = [{ name: "a", inputSchema: { type: "object" }, outputSchema: { type: "string" } }];
  const answers: unknown[] = [];
  for (const way of ["sdk", "layer"] as const) {
    await using one = new RawConnection(way, { listed });
    await one.initialize();
    answers.push(...await sentFor([one], { id: 1, method: "tools/list" }));
    assert.equal(one.isLoaded, way === "layer");
  }
  assert.deepStrictEqual(answers[0], answers[1]);
  assert.match(JSON.stringify(answers[0]), /"outputSchema":\{"type":"object"/);
});

Deno.test("B6 a call that the client cancels ends, and is never answered", async () => {
  for (const way of ["layer and sdk", "layer"] as const) {
    await using past = new RawConnection(way);
    await past.initialize();
    const params = { ...SHELL, arguments: { ...SHELL.arguments, command: "wait" } };
    await past.send({ id: "one", method: "tools/call", params });
    const command = await past.runner.next();
    await past.send({ method: "notifications/cancelled", params: { requestId: "one", reason: "enough" } });
    assert.deepStrictEqual(await command.ended, { kind: "signalled", signal: "SIGTERM" });
    await past.send({ id: "two", method: "tools/call", params: SHELL });
    await past.answer("two");
    const early = await Promise.race([past.answer("one").then(() => "answered"), Promise.resolve("not")]);
    assert.strictEqual(early, "not");
  }
});

Deno.test("C3 a call before the end of the handshake is left to the order of a connection", async () => {
  await using past = new RawConnection("layer and sdk");
  await past.send({ id: 1, method: "tools/call", params: SHELL });
  assert.ok("error" in await past.answer(1));
  assert.deepStrictEqual(past.runner.requests, []);
});

Deno.test("X5 a client that has sent plain requests alone hears of a call that ended in the background", async () => {
  await using past = new RawConnection("layer");
  await past.initialize();
  const later = { command: "wait", execution_mode: "AsyncResultPush" };
  await past.send({ id: 1, method: "tools/call", params: { ...SHELL, arguments: later } });
  await past.answer(1);
  (await past.runner.next()).exit(3);
  const told = await past.message((one) => "method" in one && one.method === "notifications/message");
  assert.match(JSON.stringify(told), /"level":"warning".*exit code 3/);
  assert.ok(!past.isLoaded);
});

Deno.test("C3 where the SDK cannot be loaded, requests for it are told so, and the next one tries again", async () => {
  let isBroken = true;
  await using past = new RawConnection("layer", {
    load: (service, session) => {
      if (isBroken) throw new Error("No such file");
      return connectSdk(service, session);
    },
  });
  await past.initialize();
  const read = { method: "resources/read", params: { uri: "ahma://operations" } };
  await past.send({ id: 1, ...read });
  assert.deepStrictEqual(await past.answer(1), {
    jsonrpc: "2.0",
    id: 1,
    error: {
      code: -32603,
      message: "Cannot answer: No such file. If the program was replaced since this server started, restart the server",
    },
  });
  await past.send({ id: 2, method: "tools/call", params: { name: "plain" } });
  assert.ok("result" in await past.answer(2));
  isBroken = false;
  await past.send({ id: 3, ...read });
  const { result } = await past.answer(3) as { readonly result: Result };
  assert.ok("contents" in result);
});
