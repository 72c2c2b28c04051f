/** The page of operations as an MCP App: for hosts that show pages, and nothing for other clients (V4). */
import assert from "node:assert/strict";
import { type Era, ServerProcess } from "../_support/server_process.ts";
import { Host, type Listed, PAGE, SHOWS_APPS } from "./app_host.ts";
import { Workbench } from "../_support/workbench.ts";

/** What clients without pages see. Each request of 2026-07-28 says what its client can show, so that one server does. */
async function plainLists(server: ServerProcess, era: Era): Promise<readonly (readonly Listed[])[]> {
  const clients = era === "2025-11-25" ? [{ extensions: {} }] : [{}, { extensions: {} }];
  return await Promise.all(clients.map(async (one) => await (await Host.of(server, era, one)).tools()));
}

/** A connection of 2025-11-25 has one client. */
export async function plainListsOfAnother(bench: Workbench): Promise<readonly (readonly Listed[])[]> {
  await using server = await ServerProcess.start(bench, { era: "none" });
  return await plainLists(server, "2025-11-25");
}

/** It finds the page of operations at status, and reads it with its data; `lists`: of clients without pages. */
export async function findsPage(
  bench: Workbench,
  host: Host,
  lists: readonly (readonly Listed[])[],
): Promise<void> {
  const tools = await host.tools();
  for (const plain of lists) {
    assert.deepStrictEqual(
      tools,
      plain.map((tool) => tool.name === "status" ? { ...tool, _meta: { ui: { resourceUri: PAGE } } } : tool),
    );
  }
  const page = await host.read(PAGE);
  assert.strictEqual(page.mimeType, "text/html;profile=mcp-app");
  assert.match(page.text, /^<!doctype html>[^]*<script type="module">[^]*<\/html>\n$/i);
  await host.ask("tools/call", { name: "sandboxed_shell", arguments: { command: "echo '<b>seen</b>'" } });
  const state = JSON.parse((await host.read(`${PAGE}/state`)).text);
  const [{ scopes, operations: [operation] }] = state.servers;
  assert.deepStrictEqual([state.kind, scopes, operation.state], ["state", [bench.scope], "completed"]);
  const output = JSON.parse((await host.read(`${PAGE}/output/${operation.id}`)).text);
  assert.strictEqual(atob(output.data), "<b>seen</b>\n");
  assert.match(output.end, /completed, exit code 0/);
  for (const uri of [`${PAGE}/output/op_00000000`, `${PAGE}/`, `${PAGE}/state/x`, "ui://ahma/other"]) {
    assert.match((await host.ask("resources/read", { uri })).error?.message ?? "", /not found/i, uri);
  }
  const { result } = await host.ask("resources/list");
  assert.ok(!JSON.stringify(result).includes("ui://"), "the list of resources is as before");
}

Deno.test("V4 2026-07-28 a host that shows pages finds that of operations at status, and reads it with its data; other clients see no difference", async () => {
  using bench = new Workbench();
  await using server = await ServerProcess.start(bench, { era: "none" });
  const lists = await plainLists(server, "2026-07-28");
  await findsPage(bench, await Host.of(server, "2026-07-28", SHOWS_APPS), lists);
});
