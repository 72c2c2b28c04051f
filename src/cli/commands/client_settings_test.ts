import assert from "node:assert/strict";
import { clientSettings } from "./client_settings.ts";

const PROGRAM = { command: '/opt/a "b"/ahma_mcp', args: [] };

Deno.test("L6 clientSettings() starts the program in the project, in each client's own words", () => {
  const settings = clientSettings(PROGRAM, "/home/me/my project");
  const entry = (...args: string[]) => ({ command: PROGRAM.command, args });
  const folder = entry("--sandbox-scope", "${workspaceFolder}", "--tools-dir", "${workspaceFolder}/.ahma/tools");
  const fixed = entry("--sandbox-scope", "/home/me/my project", "--tools-dir", "/home/me/my project/.ahma/tools");
  const json = settings.slice(0, 4).map((
    { client, file, inProject, text },
  ) => [client, file, inProject, JSON.parse(text)]);
  assert.deepStrictEqual(json, [
    ["vscode", ".vscode/mcp.json", true, { servers: { Ahma: { type: "stdio", ...folder } } }],
    ["cursor", ".cursor/mcp.json", true, { mcpServers: { Ahma: folder } }],
    ["claude", ".mcp.json", true, { mcpServers: { Ahma: entry() } }],
    ["zed", "~/.config/zed/settings.json", false, { context_servers: { Ahma: { ...fixed, env: {} } } }],
  ]);
  assert.deepStrictEqual(settings[4], {
    client: "codex",
    title: "Codex",
    file: "~/.codex/config.toml",
    inProject: false,
    text: '[mcp_servers.Ahma]\ncommand = "/opt/a \\"b\\"/ahma_mcp"\n' +
      'args = ["--sandbox-scope","/home/me/my project","--tools-dir","/home/me/my project/.ahma/tools"]\n',
  });
});
