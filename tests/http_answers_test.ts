/** What an answer says reaches the client unchanged, in every form and era. */
import assert from "node:assert/strict";
import { EventReader } from "./_support/event_reader.ts";
import { HttpServerProcess } from "./_support/http_server.ts";
import { toolAnswer } from "./_support/json_rpc.ts";
import { Workbench } from "./_support/workbench.ts";

/** What has a meaning in an event stream, or ends a line for somebody. */
const TRICKY = "some data: here\nid: 7\n\ndata: {}\nevent: x\u2028data: y\u2029end";

Deno.test("H7 C3 output that looks like an event is the same in one body and in a stream, in the newest era too", async () => {
  using bench = new Workbench();
  bench.write("tricky", TRICKY);
  await using server = await HttpServerProcess.start(bench);
  const params = { name: "sandboxed_shell", arguments: { command: "cat tricky", execution_mode: "Synchronous" } };
  const json = await (await server.modern("tools/call", params, { accept: "application/json" })).json();
  await using reader = new EventReader(await server.modern("tools/call", params, { accept: "text/event-stream" }));
  const stream = (await reader.rest()).at(-1)?.message ?? {};
  for (const answer of [json, stream]) {
    assert.strictEqual(toolAnswer(answer).output.trimEnd(), TRICKY);
  }
});

Deno.test("H8 a Host that makes no URL is refused as any that is not ours", async () => {
  using bench = new Workbench();
  await using server = await HttpServerProcess.start(bench);
  for (const host of ["[::1", "a b", "127.0.0.1:x"]) {
    const answer = await server.raw(`GET /health HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
    assert.match(answer, /^HTTP\/1\.1 403 /, host);
  }
  const own = `127.0.0.1:${server.port}`;
  assert.match(
    await server.raw(`GET /health HTTP/1.1\r\nHost: ${own}\r\nConnection: close\r\n\r\n`),
    /^HTTP\/1\.1 200 /,
  );
});
