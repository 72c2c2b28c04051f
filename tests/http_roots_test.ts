/** When a client says that its roots changed (H5): what ends its session, and what does not. */
import assert from "node:assert/strict";
import { EventReader } from "./_support/clients/event_reader.ts";
import { HttpClient } from "./_support/clients/http_client.ts";
import { HttpServerProcess } from "./_support/servers/http_server.ts";
import { sharing } from "./_support/sharing.ts";

const test = sharing((bench) =>
  HttpServerProcess.start(bench, { flags: ["--session-isolation", "--sandbox-scope", bench.scope] })
);
const CHANGED = "notifications/roots/list_changed";

test("H5 H3 a client without a root keeps what was given for such clients, until it has one", async ({ bench, server }) => {
  bench.write("inner/.keep", "");
  for (const options of [{ roots: [] }, {}]) {
    await using client = await HttpClient.connect(server, options);
    assert.match((await client.shell("pwd")).text, new RegExp(`^${bench.scope}$`, "m"));
    assert.strictEqual(await client.notify(CHANGED), 202);
    assert.match((await client.shell("pwd")).text, new RegExp(`^${bench.scope}$`, "m"));
  }
  await using client = await HttpClient.connect(server, { roots: [] });
  assert.match((await client.shell("pwd")).text, new RegExp(`^${bench.scope}$`, "m"));
  client.roots = [`${bench.scope}/inner`];
  assert.deepStrictEqual([await client.notify(CHANGED), await client.notify(CHANGED)], [403, 404]);
});

test("H3 roots that change while they are asked for are asked for again: the scope is the newest", async ({ bench, server }) => {
  for (const name of ["old", "new"]) bench.write(`${name}/.keep`, "");
  await using client = await HttpClient.connect(server, { roots: [], listens: false });
  await using stream = new EventReader(await client.fetch("GET", { accept: "text/event-stream" }));
  await client.notify("notifications/initialized");
  const ids = [];
  for (const name of ["old", "new"]) {
    const { message } = await stream.message(({ method }) => method === "roots/list");
    ids.push(message?.id);
    // It has looked, then its user changes the roots, then its answer goes out.
    if (name === "old") assert.strictEqual(await client.notify(CHANGED), 202);
    const result = { roots: [{ uri: `file://${bench.scope}/${name}` }] };
    await (await client.send({ jsonrpc: "2.0", id: message?.id, result })).body?.cancel();
  }
  assert.strictEqual(new Set(ids).size, 2);
  assert.match((await client.shell("pwd")).text, new RegExp(`^${bench.scope}/new$`, "m"));
});
