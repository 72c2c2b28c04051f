/** Many clients at once: nothing is lost, and what they took is given back (N5). */
import assert from "node:assert/strict";
import { until } from "../_support/deadline.ts";
import { EventReader } from "../_support/clients/event_reader.ts";
import { HttpClient } from "../_support/clients/http_client.ts";
import { HttpServerProcess } from "../_support/servers/http_server.ts";
import { holdingsOf, lowestResident, processesWith } from "../_support/processes.ts";
import { toolAnswer } from "../_support/json_rpc.ts";
import { Workbench } from "../_support/workbench.ts";

const SHELL = "sandboxed_shell";
const SESSIONS = 32;
/** Of each session, in each of two rounds: every kind of call at least once. */
const CALLS = 41;
/** What the allocator may not have given back after a round; the rounds themselves move far more than that. */
const UNSETTLED_MIB = 64;

async function descriptors(pid: number): Promise<number> {
  return (await Array.fromAsync(Deno.readDir(`/proc/${pid}/fd`))).length;
}

function shellMessage(id: string, command: string): object {
  const params = { name: SHELL, arguments: { command, execution_mode: "Synchronous" }, _meta: { progressToken: id } };
  return { jsonrpc: "2.0", id, method: "tools/call", params };
}

/** A client that leaves in the middle of a call, and comes back for the answer. */
async function leaveAndReturn(client: HttpClient, word: string): Promise<void> {
  const id = `left ${word}`;
  const reader = new EventReader(await client.send(shellMessage(id, `echo ${word}`)));
  let lastEventId: string | undefined;
  while (lastEventId === undefined) lastEventId = (await reader.next())?.id;
  await reader[Symbol.asyncDispose]();
  const again = await client.fetch("GET", { accept: "text/event-stream", "last-event-id": lastEventId });
  await using resumed = new EventReader(again);
  const answer = await resumed.message((message) => message.id === id);
  assert.match(toolAnswer(answer.message ?? {}).text, new RegExp(`^${word}\n`, "m"));
}

/** A client that does not read while a flood of output comes, and does other things first. */
async function readLate(client: HttpClient, word: string): Promise<void> {
  const id = `late ${word}`;
  await using reader = new EventReader(await client.send(shellMessage(id, `seq 100000; echo end of ${word}`)));
  for (let other = 0; other < 10; other++) await client.request("ping");
  const answer = await reader.message((message) => message.id === id && message.method === undefined);
  assert.match(toolAnswer(answer.message ?? {}).text, new RegExp(`\n100000\nend of ${word}\n`));
}

/** A client whose connection breaks in the middle of a message. */
async function breakOff(server: HttpServerProcess, session: string): Promise<void> {
  using connection = await Deno.connect({ hostname: "127.0.0.1", port: server.port });
  const head = `POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\nMcp-Session-Id: ${session}\r\n` +
    `Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"jsonrpc"`;
  await connection.write(new TextEncoder().encode(head));
}

/** Makes the calls of one session, ends it, and gives how many were answered as they should be. */
async function useAndEnd(client: HttpClient, name: number): Promise<number> {
  let answered = 0;
  for (let call = 0; call < CALLS; call++, answered++) {
    const word = `${name}-${call}`;
    if (call % 30 === 7) await leaveAndReturn(client, word);
    else if (call % 50 === 25) await readLate(client, word);
    else if (call % 10 === 3) assert.match((await client.shell(`echo ${word}`)).text, new RegExp(`^${word}\n`, "m"));
    else {
      const answer = await client.request("tools/call", { name: "status", arguments: {} }, { id: word });
      assert.deepStrictEqual([answer.id, /^0 running, 0 queued/.test(toolAnswer(answer).text)], [word, true]);
    }
    if (call % 40 === 39) await breakOff(client.server, client.session);
  }
  const { status, body } = await client.fetch("DELETE");
  await body?.cancel();
  assert.strictEqual(status, 204);
  await client[Symbol.asyncDispose]();
  return answered;
}

Deno.test("N5 H8 32 sessions, 2,624 calls, late readers, broken connections: each is answered, and what it took is given back", async () => {
  using bench = new Workbench();
  await using server = await HttpServerProcess.start(bench);
  const connectAll = () => Promise.all(Array.from({ length: SESSIONS }, () => HttpClient.connect(server)));
  const round = async () => {
    const { residentMiB: before } = await holdingsOf(server.pid);
    const clients = await connectAll();
    const taken = await lowestResident(server.pid, before + SESSIONS) - before;
    const answered = await Promise.all(clients.map(useAndEnd));
    return { taken, answered: answered.reduce((sum, count) => sum + count, 0) };
  };
  const first = await round();
  const [files, { residentMiB: memory }] = [await descriptors(server.pid), await holdingsOf(server.pid)];
  const processes = (await processesWith(bench.marker)).length;
  const second = await round();
  assert.deepStrictEqual([first.answered, second.answered], [SESSIONS * CALLS, SESSIONS * CALLS]);
  const taken = Math.max(first.taken, second.taken);
  assert.ok(taken < SESSIONS, `${SESSIONS} sessions took ${taken.toFixed(0)} MiB, more than one each`);
  const grown = await lowestResident(server.pid, memory + UNSETTLED_MIB) - memory;
  assert.ok(grown < UNSETTLED_MIB, `the second round left ${grown.toFixed(0)} MiB behind`);
  // The runtime of this test keeps some connections open for reuse, more or less of them in each round. A descriptor that
  // each session left would be as many as there are sessions.
  await until(async () => await descriptors(server.pid) < files + SESSIONS, 10_000, "the descriptors to be given back");
  const left = async () => (await processesWith(bench.marker)).length;
  // Spare processes are made meanwhile; one that each session left would be as many as there are sessions.
  await until(async () => await left() < processes + SESSIONS, 10_000, "the processes to be gone");
});
