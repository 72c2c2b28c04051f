/** What to put into the settings of each MCP client so that it starts this program for a project. Pure. */
import { CLIENT_NAMES, type ClientName } from "../client_names.ts";
import type { RunningProgram } from "./running_program.ts";

/** One client's settings. */
export interface ClientSettings {
  readonly client: ClientName;
  /** As its makers write it. */
  readonly title: string;
  /** Where they belong, for people: in the project, or `~/...` of the user. */
  readonly file: string;
  /** Whether the file lies in the project, relative to it; then `init` can write it. */
  readonly inProject: boolean;
  readonly text: string;
}

/** Settings for every client. `project`: the absolute path of the scope, for clients that start servers elsewhere. */
export function clientSettings(program: RunningProgram, project: string): readonly ClientSettings[] {
  return CLIENT_NAMES.map((client) => settingsOf(client, program, project));
}

function settingsOf(client: ClientName, program: RunningProgram, project: string): ClientSettings {
  const entry = (...args: readonly string[]) => ({ command: program.command, args: [...program.args, ...args] });
  const inProject = (title: string, file: string, value: unknown): ClientSettings => ({
    client,
    title,
    file,
    inProject: true,
    text: json(value),
  });
  const elsewhere = (title: string, file: string, text: string): ClientSettings => ({
    client,
    title,
    file,
    inProject: false,
    text,
  });
  const fixed = entry("--sandbox-scope", project, "--tools-dir", `${project}/.ahma/tools`);
  switch (client) {
    case "vscode":
      return inProject("VS Code", ".vscode/mcp.json", {
        servers: { Ahma: { type: "stdio", ...withFolder(entry, "${workspaceFolder}") } },
      });
    case "cursor":
      return inProject("Cursor", ".cursor/mcp.json", {
        mcpServers: { Ahma: withFolder(entry, "${workspaceFolder}") },
      });
    case "claude":
      // It starts servers in the project, which is then the scope.
      return inProject("Claude Code", ".mcp.json", { mcpServers: { Ahma: entry() } });
    case "zed":
      return elsewhere(
        "Zed",
        "~/.config/zed/settings.json",
        json({ context_servers: { Ahma: { ...fixed, env: {} } } }),
      );
    case "codex":
      return elsewhere("Codex", "~/.codex/config.toml", toml(fixed));
  }
}

type Entry = { readonly command: string; readonly args: readonly string[] };

function withFolder(entry: (...args: readonly string[]) => Entry, folder: string): Entry {
  return entry("--sandbox-scope", folder, "--tools-dir", `${folder}/.ahma/tools`);
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/** JSON's strings and lists of strings are TOML's too, but for DEL. */
function toml({ command, args }: Entry): string {
  const text = (value: unknown) => JSON.stringify(value).replaceAll("\x7f", "\\u007f");
  return `[mcp_servers.Ahma]\ncommand = ${text(command)}\nargs = ${text(args)}\n`;
}
