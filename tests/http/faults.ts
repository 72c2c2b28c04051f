/** The faults of servers (see nineteen.ts) over HTTP that no other test here is about: raw requests, no SDK. */
import assert from "node:assert/strict";
import { HttpClient } from "../_support/clients/http_client.ts";
import { initializeMessage } from "../_support/servers/http_server.ts";
import { test } from "./servers.ts";

test("H4 C3 fault 10: ids of sessions and operations are random and never the same, over HTTP", async ({ server }) => {
  const opened = await Promise.all(Array.from({ length: 50 }, async () => {
    const response = await server.post(initializeMessage("2025-11-25"), { accept: "application/json" });
    await response.body?.cancel();
    return response.headers.get("mcp-session-id") ?? "";
  }));
  assert.strictEqual(new Set(opened).size, 50);
  for (const id of opened) assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  // No part that may vary is the same in all of them, and none counts up.
  for (const [from, to] of [[0, 8], [9, 13], [15, 18], [24, 36]] as const) {
    assert.ok(new Set(opened.map((id) => id.slice(from, to))).size > 40);
  }
  const parts = opened.map((id) => parseInt(id.slice(0, 8), 16));
  assert.ok(parts.some((part, index) => part < (parts[index - 1] ?? 0)), "they do not rise");
});

test("X5 C3 fault 16: a hundred operations are few announcements, in a session and to who listens, over HTTP", async ({ server }) => {
  await using client = await HttpClient.connect(server);
  await client.request("resources/list");
  const begin = performance.now();
  for (let turn = 0; turn < 25; turn++) {
    await Promise.all(Array.from({ length: 4 }, () => client.shell("true")));
  }
  await client.hears("notifications/resources/list_changed");
  const seconds = (performance.now() - begin) / 1000;
  const heard = client.heard.filter(({ method }) => method === "notifications/resources/list_changed").length;
  assert.ok(heard <= Math.ceil(seconds) + 1, `${heard} in ${seconds} s`);
});
