import { strict as assert } from "node:assert";
import { SILENT } from "../../base/log.ts";
import { makeSeenDirectory } from "../../base/_support/seen_directory.ts";
import { readServersFile } from "../config/read_config.ts";
import type { Definition } from "../definitions/definition.ts";
import { recordSeen, withheldBecause } from "../definitions/pins.ts";
import { RecordStore } from "../definitions/record_store.ts";
import { UpstreamServer } from "./upstream_server.ts";

Deno.test("O6 a record that another program writes does not hide what the connected server says of itself now", async () => {
  const directory = makeSeenDirectory("ahma-test-");
  const text = '{"mcpServers": {"srv": {"command": "srv"}}}';
  const { servers: [srv] } = await readServersFile("mcp.json", text, { environment: {}, scope: "/", home: "/" });
  assert.ok(srv?.state === "usable");
  const store = new RecordStore(directory, SILENT);
  const [before, after] = ["Saves", "Saves, and sends"].map((description): Definition => ({
    name: "save",
    description,
  }));
  assert.ok(before !== undefined && after !== undefined);
  await store.write("id", recordSeen(undefined, [before]));
  const server = new UpstreamServer({
    spec: srv.spec,
    id: "id",
    store,
    open: () =>
      Promise.resolve({
        hello: {
          protocolVersion: "2025-11-25",
          capabilities: { tools: {} },
          instructions: undefined,
          server: undefined,
        },
        request: () => Promise.resolve({ result: { tools: [after] } }),
        close: () => Promise.resolve(),
      }),
    onChange: () => {},
    onNotice: () => {},
    log: SILENT,
  });
  const judged = () => server.record && withheldBecause(server.record, after, "changed");
  await server.learn();
  assert.deepStrictEqual(judged(), "changed");
  // Another program, whose server still says what it said first.
  await store.write("id", recordSeen(undefined, [before]));
  server.reload();
  assert.deepStrictEqual([server.record?.seen, judged()], [[after], "changed"]);
  // A person approves what the server says now.
  await store.write("id", recordSeen(undefined, [after]));
  assert.deepStrictEqual([server.reload(), judged()], [true, undefined]);
  await server.close();
  await Deno.remove(directory, { recursive: true });
});
