/** Batches: part of 2025-03-26, which wants them taken (C2, C3); capabilities.ts holds that no other version takes them. */
import assert from "node:assert/strict";
import { EventReader } from "../_support/clients/event_reader.ts";
import { type RpcMessage, toolAnswer } from "../_support/json_rpc.ts";
import { HTTP, HttpWire, STDIO, StdioWire } from "./wires.ts";

function shell(id: string, command: string): object {
  const params = { name: "sandboxed_shell", arguments: { command, execution_mode: "Synchronous" } };
  return { jsonrpc: "2.0", id, method: "tools/call", params };
}

const PING = { jsonrpc: "2.0", id: "ping", method: "ping" };
const BATCH = [
  // Each waits for the other: they run at the same time.
  shell("one", "touch one; until [ -e two ]; do sleep 0.02; done; echo first"),
  { jsonrpc: "2.0", method: "notifications/none" },
  shell("two", "touch two; until [ -e one ]; do sleep 0.02; done; echo second"),
  PING,
];

function assertAnswers(answers: readonly RpcMessage[]): void {
  const byId = new Map(answers.map((answer) => [answer.id, answer]));
  assert.deepStrictEqual([...byId.keys()].sort(), ["one", "ping", "two"]);
  assert.strictEqual(answers.length, 3);
  assert.match(toolAnswer(byId.get("one") ?? {}).output, /^first\n$/);
  assert.match(toolAnswer(byId.get("two") ?? {}).output, /^second\n$/);
}

const testStdio = STDIO.tests["2025-03-26"];
const testHttp = HTTP.tests["2025-03-26"];

testStdio("C2 C3 2025-03-26: the messages of a batch are each served, over stdio", async (_, wire) => {
  assert.ok(wire instanceof StdioWire);
  const { server } = wire;
  const answers = ["one", "two", "ping"].map((id) => server.message((message) => message.id === id, { what: id }));
  await server.write(`${JSON.stringify(BATCH)}\n`);
  assertAnswers(await Promise.all(answers));
  await server.write(`${JSON.stringify([PING, [PING], 7])}\n`);
  const codes = [];
  for (let count = 0; count < 3; count++) {
    const { id, error } = await server.message((message) => message.method === undefined, { what: "an answer" });
    codes.push([id, error?.code]);
  }
  assert.deepStrictEqual(codes.sort(), [["ping", undefined], [null, -32600], [null, -32600]].sort());
});

testHttp(
  "C3 2025-03-26: a batch is answered by one list or one stream, and one with anything wrong by nothing else, over HTTP",
  async (bench, wire) => {
    assert.ok(wire instanceof HttpWire && wire.client !== undefined);
    const { client } = wire;
    const send = (batch: readonly unknown[], accept: string) => client.send(batch, { accept });
    assertAnswers(await (await send(BATCH, "application/json")).json());
    for (const file of ["one", "two"]) await Deno.remove(`${bench.scope}/${file}`);
    await using reader = new EventReader(await send(BATCH, "text/event-stream"));
    assertAnswers((await reader.rest()).flatMap(({ message }) => message === undefined ? [] : [message]));
    const told = await send(
      [{ jsonrpc: "2.0", method: "notifications/none" }, { jsonrpc: "2.0", id: 9, result: {} }],
      "*/*",
    );
    assert.deepStrictEqual([told.status, await told.text()], [202, ""]);
    const touch = shell("touch", "touch never");
    for (const batch of [[], [touch, 7], [touch, [PING]], Array(101).fill(PING)]) {
      const refused = await send(batch, "application/json");
      assert.deepStrictEqual([refused.status, (await refused.json()).error.code], [400, -32600]);
    }
    // Two requests of one id: the second is told so, in its place.
    const twice = await (await send([shell("same", "echo once"), { ...PING, id: "same" }], "application/json")).json();
    assert.deepStrictEqual(twice.map(({ error }: RpcMessage) => error?.code), [undefined, -32600]);
    assert.match(
      (await client.shell("ls one two never 2>/dev/null; echo end")).output,
      /^one\ntwo\nend\n$/,
      "what was refused ran nothing",
    );
  },
);
