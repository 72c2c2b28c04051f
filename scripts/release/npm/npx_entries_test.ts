import assert from "node:assert/strict";
import { clientSettings } from "../../../src/cli/commands/clients/client_settings.ts";
import { PROJECT } from "../_support/assets.ts";
import { claudeMarketplace, claudePlugin, installLinks, npxEntry } from "./npx_entries.ts";

const NPX = { command: "npx", args: ["-y", `ahma_mcp@${PROJECT.version}`], environment: {} };

const SETTINGS = await clientSettings(NPX, "", []);

/** What `init` prints for a client, parsed. */
function printed(client: string): Record<string, Record<string, unknown>> {
  return JSON.parse(SETTINGS.find((one) => one.client === client)?.text ?? "");
}

Deno.test("D4 installLinks() hold what init prints for the client, and no other server", () => {
  const decoded = installLinks(PROJECT).map(({ client, url }) => {
    const { origin, pathname, searchParams } = new URL(url);
    const config = searchParams.get("config") ?? "";
    const json = client === "cursor" ? new TextDecoder().decode(Uint8Array.fromBase64(config)) : config;
    return [client, origin + pathname, searchParams.get("name"), JSON.parse(json)];
  });
  assert.deepStrictEqual(decoded, [
    ["vscode", "https://vscode.dev/redirect/mcp/install", "Ahma", printed("vscode")["servers"]?.["Ahma"]],
    ["cursor", "https://cursor.com/en/install-mcp", "Ahma", printed("cursor")["mcpServers"]?.["Ahma"]],
  ]);
});

Deno.test("D4 the plugin of Claude Code starts this version, as init says, and is the marketplace's only one", () => {
  const plugin = claudePlugin(PROJECT) as Readonly<Record<string, unknown>>;
  assert.deepStrictEqual(plugin["mcpServers"], printed("claude")["mcpServers"]);
  const { plugins } = claudeMarketplace(PROJECT) as { readonly plugins: readonly Record<string, unknown>[] };
  assert.deepStrictEqual(plugins.map(({ name, version, source }) => [name, version, source]), [
    [plugin["name"], plugin["version"], "./"],
  ]);
  assert.notStrictEqual(npxEntry(PROJECT, "claude"), undefined);
});
