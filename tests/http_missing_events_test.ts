/** A client that comes back after more was sent than is kept is told so, and waits for nothing in vain (H7). */
import assert from "node:assert/strict";
import { EventReader } from "./_support/clients/event_reader.ts";
import { HttpClient } from "./_support/clients/http_client.ts";
import { HttpServerProcess } from "./_support/servers/http_server.ts";
import { sharing } from "./_support/sharing.ts";

const test = sharing((bench) => HttpServerProcess.start(bench));

/** More events than a session keeps: each request has two. */
async function sayMuch(client: HttpClient): Promise<void> {
  for (let id = 0; id < 600; id++) {
    await (await client.send({ jsonrpc: "2.0", id: `much ${id}`, method: "ping" })).text();
  }
}

async function resume(client: HttpClient, lastEventId: string): Promise<EventReader> {
  return new EventReader(
    await client.fetch("GET", { accept: "text/event-stream", "last-event-id": lastEventId }),
  );
}

test("H7 an answer that is no longer kept is an error to who comes back for it, and one that is kept is itself", async ({ server }) => {
  await using client = await HttpClient.connect(server, { listens: false });
  await using reader = new EventReader(await client.send({ jsonrpc: "2.0", id: "mine", method: "ping" }));
  const priming = (await reader.next())?.id ?? (await reader.next())?.id ?? "";
  const answer = (await reader.rest()).at(-1);
  await using kept = await resume(client, priming);
  assert.deepStrictEqual((await kept.rest()).map(({ message }) => message), [
    { jsonrpc: "2.0", id: "mine", result: {} },
  ]);
  await sayMuch(client);
  await using late = await resume(client, priming);
  const [lost, ...more] = await late.rest();
  assert.deepStrictEqual([lost?.id, lost?.message?.id, more], [undefined, "mine", []]);
  assert.match(lost?.message?.error?.message ?? "", /was sent and is no longer kept/);
  await using seen = await resume(client, answer?.id ?? "");
  assert.deepStrictEqual(await seen.rest(), []);
});

test("H7 C3 an event stream of which something is no longer kept goes on with a warning, where those are wanted", async ({ server }) => {
  for (const level of ["debug", "error"]) {
    await using client = await HttpClient.connect(server, { listens: false });
    let stream = new EventReader(await client.fetch("GET", { accept: "text/event-stream" }));
    const priming = (await stream.next())?.id ?? (await stream.next())?.id ?? "";
    await client.notify("notifications/initialized");
    await client.request("logging/setLevel", { level });
    await stream.message(({ method }) => method === "notifications/sandbox/configured");
    await stream[Symbol.asyncDispose]();
    await sayMuch(client);
    stream = await resume(client, priming);
    const [opening, comment] = [await stream.next(), await stream.next()];
    assert.deepStrictEqual([opening?.data, comment?.data], [undefined, undefined]);
    // Something new, which comes after.
    await client.request("resources/subscribe", { uri: "ahma://operations" });
    await client.start("true");
    const next = await stream.message(({ method }) => method !== "notifications/progress");
    if (level === "debug") {
      assert.deepStrictEqual([next.id, next.message?.method], [undefined, "notifications/message"]);
      assert.match(String(next.message?.params?.["data"]), /no longer kept: read again/);
    } else {
      assert.deepStrictEqual([typeof next.id, next.message?.method], ["string", "notifications/resources/updated"]);
    }
    await stream[Symbol.asyncDispose]();
  }
});
