import assert from "node:assert/strict";
import { clientSettings } from "./client_settings.ts";

const PROGRAM = { command: '/opt/a "b"/ahma_mcp', args: [], environment: { AHMA_DENO: "/opt/deno" } };
const TOOLS = ["--bundles", "git"];

Deno.test("L6 clientSettings() starts the program in the project, in each client's own words", () => {
  const settings = clientSettings(PROGRAM, "/home/me/my project");
  const entry = (...args: string[]) => ({
    command: PROGRAM.command,
    args: [...args, ...TOOLS],
    env: PROGRAM.environment,
  });
  const folder = entry("--sandbox-scope", "${workspaceFolder}");
  const fixed = entry("--sandbox-scope", "/home/me/my project");
  const shown = settings.map(({ client, file, inProject, text }) =>
    [client, file, inProject, client === "codex" ? text : JSON.parse(text)] as const
  );
  assert.deepStrictEqual(shown, [
    ["vscode", ".vscode/mcp.json", true, { servers: { Ahma: { type: "stdio", ...folder } } }],
    ["cursor", ".cursor/mcp.json", true, { mcpServers: { Ahma: folder } }],
    ["claude", ".mcp.json", true, { mcpServers: { Ahma: entry() } }],
    ["claude-desktop", "claude_desktop_config.json", false, { mcpServers: { Ahma: fixed } }],
    [
      "codex",
      "~/.codex/config.toml",
      false,
      '[mcp_servers.Ahma]\ncommand = "/opt/a \\"b\\"/ahma_mcp"\nargs = ["--bundles","git"]\n' +
      'default_tools_approval_mode = "approve"\nrequired = true\n\n[mcp_servers.Ahma.env]\nAHMA_DENO = "/opt/deno"\n',
    ],
    ["zed", "~/.config/zed/settings.json", false, { context_servers: { Ahma: fixed } }],
  ]);
});

Deno.test("L6 clientSettings() names no variable where the program needs none", () => {
  const [codex] = clientSettings({ command: "/x", args: ["run"], environment: {} }, "/p")
    .filter(({ client }) => client === "codex");
  assert.strictEqual(
    codex?.text,
    '[mcp_servers.Ahma]\ncommand = "/x"\nargs = ["run","--bundles","git"]\n' +
      'default_tools_approval_mode = "approve"\nrequired = true\n',
  );
});
