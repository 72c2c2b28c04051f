/** The page of operations as an MCP App: for hosts that show pages, and nothing for other clients (V4). */
import assert from "node:assert/strict";
import { MODERN_META, type RpcMessage } from "../_support/json_rpc.ts";
import { type Era, ERAS, ServerProcess } from "../_support/server_process.ts";
import { startAppHost } from "./app_host.ts";
import { Browser } from "./browser.ts";
import { Workbench } from "../_support/workbench.ts";

const PAGE = "ui://ahma/operations";
const SHOWS_APPS = { extensions: { "io.modelcontextprotocol/ui": { mimeTypes: ["text/html;profile=mcp-app"] } } };

interface Listed {
  readonly name: string;
  readonly _meta?: object;
}

/** A client of that era, with these capabilities. */
class Host {
  readonly #server: ServerProcess;
  readonly #meta: object;

  private constructor(server: ServerProcess, meta: object) {
    this.#server = server;
    this.#meta = meta;
  }

  static async of(server: ServerProcess, era: Era, capabilities: object): Promise<Host> {
    if (era === "2026-07-28") {
      const envelope = { ...MODERN_META, "io.modelcontextprotocol/clientCapabilities": capabilities };
      return new Host(server, { _meta: envelope });
    }
    const clientInfo = { name: "host", version: "1" };
    await server.request("initialize", { protocolVersion: era, capabilities, clientInfo });
    await server.send({ jsonrpc: "2.0", method: "notifications/initialized" });
    return new Host(server, {});
  }

  async ask(method: string, params: object = {}): Promise<RpcMessage> {
    return await this.#server.request(method, { ...params, ...this.#meta });
  }

  async tools(): Promise<readonly Listed[]> {
    const { result } = await this.ask("tools/list");
    return result?.["tools"] as readonly Listed[];
  }

  /** The one text of a resource. */
  async read(uri: string): Promise<{ readonly mimeType: string; readonly text: string }> {
    const { result, error } = await this.ask("resources/read", { uri });
    const [content] = result?.["contents"] as readonly { readonly mimeType: string; readonly text: string }[] ??
      assert.fail(JSON.stringify(error));
    return content ?? assert.fail(uri);
  }
}

/** What clients without pages see. Each request of 2026-07-28 says what its client can show. */
async function plainLists(bench: Workbench, era: Era): Promise<readonly (readonly Listed[])[]> {
  await using server = await ServerProcess.start(bench, { era: "none" });
  const clients = era === "2025-11-25" ? [{ extensions: {} }] : [{}, { extensions: {} }];
  return await Promise.all(clients.map(async (one) => await (await Host.of(server, era, one)).tools()));
}

for (const era of ERAS) {
  Deno.test(`V4 ${era} a host that shows pages finds that of operations at status, and reads it with its data; other clients see no difference`, async () => {
    using bench = new Workbench();
    const lists = await plainLists(bench, era);
    await using server = await ServerProcess.start(bench, { era: "none" });
    const host = await Host.of(server, era, SHOWS_APPS);
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
  });
}

Deno.test("V4 the page works in a host of another origin, without a network of its own, and ends an operation there", async () => {
  using bench = new Workbench();
  await using server = await ServerProcess.start(bench, { era: "none" });
  const host = await Host.of(server, "2025-11-25", SHOWS_APPS);
  const { text: html } = await host.read(PAGE);
  const command = 'echo "<img src=x onerror=alert(1)>"; sleep 307';
  await host.ask("tools/call", {
    name: "sandboxed_shell",
    arguments: { command, execution_mode: "AsyncResultPush" },
  });
  await bench.processesAppear("sleep 307");
  await using shown = startAppHost(html, (method, params) => host.ask(method, params));
  await using browser = await Browser.start();
  const outer = await browser.open(shown.url);
  const page = await browser.frame();
  await page.click(".rows a", "sleep 307");
  await page.seeText(".console .line", "<img src=x onerror=alert(1)>");
  assert.strictEqual(await page.read("getComputedStyle(document.documentElement).colorScheme"), "dark");
  await page.click(".actions button", "Cancel");
  await page.click(".asked button", "End it");
  await bench.processesGone("sleep 307");
  await page.seeText(".facts dd", "cancelled");
  const methods = new Set(await outer.read<readonly string[]>("window.methods"));
  assert.deepStrictEqual([...methods].toSorted(), [
    "resources/read",
    "tools/call",
    "ui/initialize",
    "ui/notifications/initialized",
    "ui/notifications/size-changed",
  ]);
  assert.deepStrictEqual([outer.problems, page.problems], [[], []]);
});
