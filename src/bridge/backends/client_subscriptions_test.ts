import { strict as assert } from "node:assert";
import type { JSONRPCMessage } from "@modelcontextprotocol/server";
import type { ClientCall } from "./client_calls.ts";
import { ClientSubscriptions } from "./client_subscriptions.ts";
import type { Answer, CallRequest } from "../../child_server/pending_calls.ts";

const DONE: Answer = { result: {} };
const REFUSED: Answer = { error: { code: -32002, message: "no" } };

function request(method: string, params: Record<string, unknown>): ClientCall {
  const message: JSONRPCMessage = { jsonrpc: "2.0", id: 1, method, params };
  return { kind: "request", id: 1, method, message };
}

async function replayed(subscriptions: ClientSubscriptions, answer: (request: CallRequest) => Answer = () => DONE) {
  const asked: unknown[] = [];
  const lost: string[] = [];
  await subscriptions.replay((one) => {
    asked.push([one.method, one.params]);
    return Promise.resolve(answer(one));
  }, (uri) => lost.push(uri));
  return { asked, lost };
}

Deno.test("H6 ClientSubscriptions sends a restarted server the last level and the subscriptions that still hold, and no more", async () => {
  const subscriptions = new ClientSubscriptions();
  assert.deepStrictEqual(await replayed(subscriptions), { asked: [], lost: [] });
  for (const level of ["debug", "warning"]) subscriptions.note(request("logging/setLevel", { level }), DONE);
  subscriptions.note(request("logging/setLevel", { level: "loud" }), REFUSED);
  for (const uri of ["a", "b", "c"]) subscriptions.note(request("resources/subscribe", { uri }), DONE);
  subscriptions.note(request("resources/subscribe", { uri: "none" }), REFUSED);
  subscriptions.note(request("resources/unsubscribe", { uri: "b" }), DONE);
  subscriptions.note(request("resources/unsubscribe", { uri: "c" }), REFUSED);
  assert.deepStrictEqual(await replayed(subscriptions), {
    asked: [
      ["resources/subscribe", { uri: "a" }],
      ["resources/subscribe", { uri: "c" }],
      ["logging/setLevel", { level: "warning" }],
    ],
    lost: [],
  });
});

Deno.test("H6 ClientSubscriptions reports once what a restarted server does not have", async () => {
  const subscriptions = new ClientSubscriptions();
  for (const uri of ["here", "gone"]) subscriptions.note(request("resources/subscribe", { uri }), DONE);
  const answer = ({ params }: CallRequest) => params?.["uri"] === "gone" ? REFUSED : DONE;
  assert.deepStrictEqual((await replayed(subscriptions, answer)).lost, ["gone"]);
  assert.deepStrictEqual((await replayed(subscriptions, answer)).asked, [["resources/subscribe", { uri: "here" }]]);
});

Deno.test("H6 only a list that the client has can be outdated", () => {
  const subscriptions = new ClientSubscriptions();
  subscriptions.note(request("resources/list", {}), REFUSED);
  assert.ok(!subscriptions.hasListed);
  subscriptions.note(request("resources/list", {}), DONE);
  assert.ok(subscriptions.hasListed);
});
