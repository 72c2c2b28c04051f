/** What clients find of their work over HTTP, with and without a session, and prompts, which each hears of. */
import assert from "node:assert/strict";
import { EventReader } from "../_support/clients/event_reader.ts";
import { HttpClient } from "../_support/clients/http_client.ts";
import { type RpcMessage, toolAnswer } from "../_support/json_rpc.ts";
import { keepsItsWork, namesIn, NO_RESOURCE, outcome } from "./own_work.ts";
import { test } from "./servers.ts";

const SHELL = "sandboxed_shell";

test("H2 H3 X5a C4 tasks and resources of one session are found by its client, and in no way by another, shared", async ({ bench, server }) => {
  await using one = await HttpClient.connect(server);
  await using other = await HttpClient.connect(server);
  await keepsItsWork({ bench, one, other });
});

test(
  "H2 H4 a client without a session finds its task and its resource by their id, and no list names them",
  async ({ server }) => {
    await using session = await HttpClient.connect(server);
    const ask = async (method: string, params: Readonly<Record<string, unknown>>) => {
      const response = await server.modern(method, params, { accept: "application/json" });
      return await response.json() as RpcMessage;
    };
    const started = toolAnswer(
      await ask("tools/call", {
        name: SHELL,
        arguments: { command: "echo the secret", execution_mode: "AsyncResultPush" },
      }),
    );
    const id = started.operation?.operation_id ?? "";
    await ask("tools/call", { name: "await", arguments: { operation_id: id } });
    assert.match(outcome(await ask("resources/read", { uri: `ahma://operations/${id}/output` })), /the secret/);
    for (
      const [method, params] of [["resources/list", {}], ["resources/read", { uri: "ahma://operations" }]] as const
    ) {
      assert.doesNotMatch(outcome(await ask(method, params)), new RegExp(id), method);
    }
    // Nor do the eras meet.
    const own = (await session.start("echo mine")).operation?.operation_id ?? "";
    assert.strictEqual(
      outcome(await ask("resources/read", { uri: `ahma://operations/${own}` })),
      outcome(await ask("resources/read", { uri: "ahma://operations/op_00000000000000000000000000" })),
    );
    assert.strictEqual(
      outcome(await session.request("resources/read", { uri: `ahma://operations/${id}` })),
      String(NO_RESOURCE),
    );
  },
);

const CHANGED = "notifications/prompts/list_changed";

test(
  "Q2 Q3 H4 sessions and stateless requests get prompts, and each hears once of a change",
  async ({ bench, server }) => {
    await using one = await HttpClient.connect(server);
    await using other = await HttpClient.connect(server);
    const listed = await server.modern("prompts/list", {}, { accept: "application/json" });
    assert.deepStrictEqual(namesIn(await listed.json()), ["a"]);
    assert.deepStrictEqual(namesIn(await one.request("prompts/list")), ["a"]);
    await using stream = new EventReader(
      await server.modern("subscriptions/listen", { notifications: { promptsListChanged: true } }, { id: "sub" }),
    );
    await stream.message(({ method }) => method === "notifications/subscriptions/acknowledged");
    bench.write(".ahma/prompts/b.md", "B");
    await stream.message(({ method }) => method === CHANGED);
    for (const client of [one, other]) {
      await client.hears(CHANGED);
      assert.deepStrictEqual(namesIn(await client.request("prompts/list")), ["a", "b"]);
      assert.deepStrictEqual(client.heard.filter(({ method }) => method === CHANGED).length, 1);
    }
  },
);
