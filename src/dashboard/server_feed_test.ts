import assert from "node:assert/strict";
import type { FoundServer } from "../control/client/running_servers.ts";
import type { ListedOperation } from "../control/protocol/messages.ts";
import { EventStream } from "../http/event_stream.ts";
import { ServerFeed } from "./server_feed.ts";

const SERVER: FoundServer = {
  entry: { socket: "/x/1-a.sock", tokenFile: "/x/1-a.token" },
  server: { pid: 1, version: "0", mode: "stdio", scopes: ["/p"], operations: [], sessions: [] },
};

function operation(id: string, elapsedMs: number): ListedOperation {
  return { id, tool: "t", title: "t", state: "running", elapsedMs };
}

/** The next event of a stream. */
async function next(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<Record<string, unknown>> {
  for (;;) {
    const { value } = await reader.read();
    const data = /^data: (.+)$/m.exec(new TextDecoder().decode(value))?.[1];
    if (data !== undefined) return JSON.parse(data);
  }
}

Deno.test("V2 a page that reads slowly gets the last state of each operation once, and never more than that is kept", async () => {
  const stream = new EventStream({ keepAliveMs: 60_000, onGone: () => {} });
  const feed = new ServerFeed(stream, () => new Map([["1-a", SERVER]]));
  const running = feed.run();
  const reader = stream.body.getReader();
  const { now: _, ...first } = await next(reader);
  assert.deepStrictEqual(first, { kind: "state", servers: [{ key: "1-a", ...SERVER.server }] });
  for (let ms = 0; ms < 10_000; ms++) {
    feed.changed({ key: "1-a", operation: operation(`op_${ms % 2}`, ms), isNewState: false });
  }
  const second = await next(reader);
  assert.deepStrictEqual(second["operations"], [
    { server: "1-a", ...operation("op_0", 9_998) },
    { server: "1-a", ...operation("op_1", 9_999) },
  ]);
  feed.changed({ key: "1-a", isNewState: false });
  assert.strictEqual((await next(reader))["kind"], "state");
  feed.end();
  await running;
  stream.close();
});
