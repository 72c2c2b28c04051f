/** Many clients at once: nothing is lost, and what they took is given back (N5). */
import assert from "node:assert/strict";
import { until } from "./_support/deadline.ts";
import { EventReader } from "./_support/event_reader.ts";
import { HttpClient } from "./_support/http_client.ts";
import { HttpServerProcess } from "./_support/http_server.ts";
import { ServerProcess } from "./_support/server_process.ts";
import { Workbench } from "./_support/workbench.ts";

const SESSIONS = 32;
const CALLS = 60;
const MEBIBYTE = 1024 * 1024;

async function residentBytes(pid: number): Promise<number> {
  return Number((await Deno.readTextFile(`/proc/${pid}/statm`)).split(" ")[1]) * 4096;
}

async function descriptors(pid: number): Promise<number> {
  return (await Array.fromAsync(Deno.readDir(`/proc/${pid}/fd`))).length;
}

async function medianOf(count: number, once: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let index = 0; index < count; index++) {
    const start = performance.now();
    await once();
    times.push(performance.now() - start);
  }
  return times.toSorted((a, b) => a - b)[Math.floor(count / 2)] ?? 0;
}

/** Somebody who leaves in the middle of a call, and comes back for the answer. */
async function leaveAndReturn(client: HttpClient, word: string): Promise<void> {
  const id = `left ${word}`;
  const params = { name: "sandboxed_shell", arguments: { command: `echo ${word}`, execution_mode: "Synchronous" } };
  const reader = new EventReader(await client.send({ jsonrpc: "2.0", id, method: "tools/call", params }));
  let lastEventId: string | undefined;
  while (lastEventId === undefined) lastEventId = (await reader.next())?.id;
  await reader[Symbol.asyncDispose]();
  const again = await client.fetch("GET", { accept: "text/event-stream", "last-event-id": lastEventId });
  await using resumed = new EventReader(again);
  const answer = await resumed.message((message) => message.id === id);
  assert.match(JSON.stringify(answer.message), new RegExp(`\\\\n${word}\\\\n`));
}

async function useAndEnd(client: HttpClient, name: number): Promise<void> {
  for (let call = 0; call < CALLS; call++) {
    if (call % 20 === 7) await leaveAndReturn(client, `${name}-${call}`);
    const answer = await client.request("ping", {}, { id: `${name}/${call}` });
    assert.deepStrictEqual([answer.id, answer.result], [`${name}/${call}`, {}]);
  }
  const { status, body } = await client.fetch("DELETE");
  await body?.cancel();
  assert.strictEqual(status, 204);
  await client[Symbol.asyncDispose]();
}

Deno.test("N5 H8 32 sessions at once, with clients that leave: every call is answered, and what they took is given back", async () => {
  using bench = new Workbench();
  await using server = await HttpServerProcess.start(bench);
  const round = async () => {
    const before = await residentBytes(server.pid);
    const clients = await Promise.all(Array.from({ length: SESSIONS }, () => HttpClient.connect(server)));
    const perSession = (await residentBytes(server.pid) - before) / SESSIONS;
    await Promise.all(clients.map(useAndEnd));
    return perSession;
  };
  await round();
  const files = await descriptors(server.pid);
  const perSession = await round();
  assert.ok(perSession < MEBIBYTE, `a session took ${Math.round(perSession / 1024)} KiB`);
  // The runtime of this test keeps some connections open for reuse; there are no more of them than after the first round.
  await until(async () => await descriptors(server.pid) <= files + 8, 10_000, "the descriptors to be given back");
});

Deno.test("N5 HTTP adds little to a call over stdio", async () => {
  using bench = new Workbench();
  using other = new Workbench();
  await using stdio = await ServerProcess.start(other);
  await using server = await HttpServerProcess.start(bench);
  await using client = await HttpClient.connect(server);
  const call = async () => await client.call("status");
  const local = async () => await stdio.call("status");
  await Promise.all([medianOf(100, call), medianOf(100, local)]);
  // In turns, so that a busy machine is as busy for both. The bound is wide for such a machine; alone it is about 0.5 ms.
  const rounds: number[] = [];
  for (let round = 0; round < 5; round++) rounds.push(await medianOf(60, call) - await medianOf(60, local));
  const added = Math.min(...rounds);
  assert.ok(added < 1.5, `HTTP adds ${added.toFixed(2)} ms at the median`);
});
