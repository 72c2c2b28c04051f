/** Prompts over HTTP (Q2, Q3): sessions, stateless requests, and sessions with a process and a project of their own. */
import assert from "node:assert/strict";
import { EventReader } from "./_support/clients/event_reader.ts";
import { HttpClient } from "./_support/clients/http_client.ts";
import { HttpServerProcess } from "./_support/servers/http_server.ts";
import type { RpcMessage } from "./_support/json_rpc.ts";
import { Workbench } from "./_support/workbench.ts";

const CHANGED = "notifications/prompts/list_changed";

/** Names of the prompts in an answer. */
function namesIn({ result }: RpcMessage): readonly string[] {
  // The answer to prompts/list.
  return ((result?.["prompts"] ?? []) as readonly { readonly name: string }[]).map(({ name }) => name);
}

Deno.test("Q2 Q3 H4 sessions and stateless requests get prompts, and each hears once of a change", async () => {
  using bench = new Workbench();
  bench.write(".ahma/prompts/a.md", "A");
  await using server = await HttpServerProcess.start(bench);
  await using one = await HttpClient.connect(server);
  await using other = await HttpClient.connect(server);
  const listed = await server.modern("prompts/list", {}, { accept: "application/json" });
  assert.deepStrictEqual(namesIn(await listed.json()), ["a"]);
  assert.deepStrictEqual(namesIn(await one.request("prompts/list")), ["a"]);
  await using stream = new EventReader(
    await server.modern("subscriptions/listen", { notifications: { promptsListChanged: true } }, { id: "sub" }),
  );
  await stream.message(({ method }) => method === "notifications/subscriptions/acknowledged");
  bench.write(".ahma/prompts/b.md", "B");
  await stream.message(({ method }) => method === CHANGED);
  for (const client of [one, other]) {
    await client.hears(CHANGED);
    assert.deepStrictEqual(namesIn(await client.request("prompts/list")), ["a", "b"]);
    assert.deepStrictEqual(client.heard.filter(({ method }) => method === CHANGED).length, 1);
  }
});

Deno.test("Q1 H3 K2 an isolated session has the prompts and files of its own project, and no others", async () => {
  using bench = new Workbench();
  const roots = ["first", "second"].map((name) => {
    bench.write(`${name}/.ahma/prompts/${name}.md`, `Prompt of ${name}`);
    bench.write(`${name}/a.txt`, `File of ${name}`);
    return `${bench.scope}/${name}`;
  });
  await using server = await HttpServerProcess.start(bench, {
    flags: ["--session-isolation", "--no-pool", "--bundles", "files", "--inline-wait", "60000"],
  });
  for (const root of roots) {
    await using client = await HttpClient.connect(server, { roots: [root] });
    assert.match(JSON.stringify(client.initialized.result?.capabilities), /"prompts":\{"listChanged":true\}/);
    const name = root.slice(root.lastIndexOf("/") + 1);
    assert.deepStrictEqual(namesIn(await client.request("prompts/list")), [name]);
    const { result } = await client.request("prompts/get", { name });
    assert.deepStrictEqual(result?.messages, [{ role: "user", content: { type: "text", text: `Prompt of ${name}` } }]);
    const read = async (path: string) => {
      const answer = await client.request("tools/call", { name: "files_read", arguments: { path } });
      return JSON.stringify(answer.result?.content);
    };
    assert.match(await read("a.txt"), new RegExp(`1\\\\tFile of ${name}`));
    for (const other of roots.filter((one) => one !== root)) {
      assert.match(await read(`${other}/a.txt`), /it is outside the scope/);
    }
  }
});
