/** A body that is compressed is told so, and not taken for broken JSON (H8). */
import assert from "node:assert/strict";
import { HttpServerProcess, initializeMessage } from "./_support/http_server.ts";
import { Workbench } from "./_support/workbench.ts";

Deno.test("H8 C3 a compressed POST is refused with 415 and what the server takes, and the same one as it is gets a session", async () => {
  using bench = new Workbench();
  await using server = await HttpServerProcess.start(bench);
  const text = JSON.stringify(initializeMessage("2025-11-25"));
  const post = (body: BodyInit, headers: Readonly<Record<string, string>> = {}) =>
    fetch(server.url, {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json", ...headers },
      body,
    });
  for (const coding of ["gzip", "deflate"] as const) {
    const packed = await new Response(new Blob([text]).stream().pipeThrough(new CompressionStream(coding))).bytes();
    const response = await post(packed, { "content-encoding": coding });
    const { error } = await response.json();
    assert.deepStrictEqual([response.status, response.headers.get("accept-encoding"), error.message], [
      415,
      "identity",
      `Unsupported content encoding "${coding}": send the body of a POST as it is`,
    ]);
  }
  for (const headers of [{}, { "content-encoding": "identity" }]) {
    const response = await post(text, headers);
    assert.deepStrictEqual([response.status, (await response.json()).result.protocolVersion], [200, "2025-11-25"]);
  }
});
