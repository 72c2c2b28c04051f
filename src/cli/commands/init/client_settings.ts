/** Settings of each MCP client that start this program for a project. Pure. */
import { CLIENT_NAMES, type ClientName } from "../../../settings/flags/client_names.ts";
import type { RunningProgram } from "../../../app/own_program.ts";

/** One client's settings. */
export interface ClientSettings {
  readonly client: ClientName;
  /** Name of the client, as its makers write it. */
  readonly title: string;
  /** File of the settings, for the user: in the project, or `~/...`. */
  readonly file: string;
  /** Whether the file lies in the project, relative to it; then `init` can write it. */
  readonly inProject: boolean;
  readonly text: string;
}

/** Bundles with few enough tools for any client; those of the project's `.ahma/tools` come in addition. */
const TOOLS: readonly string[] = ["--bundles", "git"];

/** Variable that clients replace with the open directory. */
const OPEN_FOLDER = "${workspaceFolder}";

/** A command line and its variables, under the names that most clients use. */
interface Entry {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

interface ClientFacts extends Pick<ClientSettings, "title" | "file" | "inProject"> {
  /** The scope for a client that starts servers outside the project; absent: the client starts them in the project. */
  readonly scope?: "open folder" | "project";
  readonly text: (entry: Entry) => string;
}

const CLIENTS: Readonly<Record<ClientName, ClientFacts>> = {
  "vscode": {
    title: "VS Code",
    file: ".vscode/mcp.json",
    inProject: true,
    scope: "open folder",
    text: (entry) => json({ servers: { Ahma: { type: "stdio", ...entry } } }),
  },
  "cursor": {
    title: "Cursor",
    file: ".cursor/mcp.json",
    inProject: true,
    scope: "open folder",
    text: (entry) => json({ mcpServers: { Ahma: entry } }),
  },
  "claude": {
    title: "Claude Code",
    file: ".mcp.json",
    inProject: true,
    text: (entry) => json({ mcpServers: { Ahma: entry } }),
  },
  "claude-desktop": {
    title: "Claude Desktop",
    file: "claude_desktop_config.json",
    inProject: false,
    scope: "project",
    text: (entry) => json({ mcpServers: { Ahma: entry } }),
  },
  "codex": {
    title: "Codex",
    file: "~/.codex/config.toml",
    inProject: false,
    text: codexTable,
  },
  "zed": {
    title: "Zed",
    file: "~/.config/zed/settings.json",
    inProject: false,
    scope: "project",
    text: (entry) => json({ context_servers: { Ahma: entry } }),
  },
};

/** Settings for every client. `project`: the absolute path of the scope, for clients that start servers elsewhere. */
export function clientSettings(program: RunningProgram, project: string): readonly ClientSettings[] {
  return CLIENT_NAMES.map((client) => {
    const { title, file, inProject, scope, text } = CLIENTS[client];
    const named = scope === undefined ? [] : ["--sandbox-scope", scope === "project" ? project : OPEN_FOLDER];
    const { command, args, environment } = program;
    return {
      client,
      title,
      file,
      inProject,
      text: text({ command, args: [...args, ...named, ...TOOLS], env: environment }),
    };
  });
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/**
 * Codex asks before each call by default, and refuses where it cannot ask. Its first turn waits only for required
 * servers. Strings and lists of strings have the same form in JSON and TOML, except for DEL.
 */
function codexTable({ command, args, env }: Entry): string {
  const value = (of: unknown) => JSON.stringify(of).replaceAll("\x7f", "\\u007f");
  const variables = Object.entries(env).map(([name, text]) => `${name} = ${value(text)}`);
  return [
    "[mcp_servers.Ahma]",
    `command = ${value(command)}`,
    `args = ${value(args)}`,
    'default_tools_approval_mode = "approve"',
    "required = true",
    ...variables.length === 0 ? [] : ["", "[mcp_servers.Ahma.env]", ...variables],
    "",
  ].join("\n");
}
