/** Facts about each MCP client: the file of its settings, and the form of an entry there. Pure data. */
import type { EntryPlace } from "./entry_place.ts";
import type { ClientName } from "../../../settings/flags/actions.ts";

/** A command line and its variables. */
export interface Entry {
  readonly command: string;
  readonly args: readonly string[];
  /** Absent: none are needed. */
  readonly env?: Readonly<Record<string, string>>;
}

export interface ClientFacts {
  /** Name of the client, as its makers write it. */
  readonly title: string;
  /** Where the entry is written; absent: a library, whose users write code. */
  readonly settings?: ClientFile;
  /** The scope for a client that starts servers outside the project; absent: the client starts them in the project. */
  readonly scope?: "open folder" | "project";
  /** Further flags of the server. */
  readonly flags?: readonly string[];
  /** The value in the settings; absent: the entry unchanged. A string is code, for a library. */
  readonly value?: (entry: Entry) => Readonly<Record<string, unknown>> | string;
}

/** The file of a client's settings. */
export interface ClientFile {
  /** Relative to the project, or `~/...`. */
  readonly file: string;
  /** The same on macOS, where it differs. */
  readonly onMac?: string;
  readonly place: EntryPlace;
}

/** Name of our entry. */
export const ENTRY_NAME = "Ahma";

/** For clients that show bare names of tools. */
const PREFIX: readonly string[] = ["--tool-prefix", "ahma_"];

export const CLIENTS: Readonly<Record<ClientName, ClientFacts>> = {
  "vscode": {
    title: "VS Code",
    settings: { file: ".vscode/mcp.json", place: { format: "json", keys: ["servers"] } },
    scope: "open folder",
    value: (entry) => ({ type: "stdio", ...entry }),
  },
  "cursor": {
    title: "Cursor",
    settings: { file: ".cursor/mcp.json", place: { format: "json", keys: ["mcpServers"] } },
    scope: "open folder",
  },
  "claude": {
    title: "Claude Code",
    settings: { file: ".mcp.json", place: { format: "json", keys: ["mcpServers"] } },
  },
  "claude-desktop": {
    title: "Claude Desktop",
    settings: {
      file: "~/.config/Claude/claude_desktop_config.json",
      onMac: "~/Library/Application Support/Claude/claude_desktop_config.json",
      place: { format: "json", keys: ["mcpServers"] },
    },
    scope: "project",
  },
  "codex": {
    title: "Codex",
    settings: { file: "~/.codex/config.toml", place: { format: "toml", keys: ["mcp_servers"] } },
    // Codex asks before each call and refuses where it cannot ask. Its first turn waits only for required servers.
    value: (entry) => ({ ...entry, default_tools_approval_mode: "approve", required: true }),
  },
  "zed": {
    title: "Zed",
    settings: { file: "~/.config/zed/settings.json", place: { format: "json", keys: ["context_servers"] } },
    scope: "project",
  },
  "gemini": {
    title: "Gemini CLI",
    settings: { file: ".gemini/settings.json", place: { format: "json", keys: ["mcpServers"] } },
  },
  "qwen": {
    title: "Qwen Code",
    settings: { file: ".qwen/settings.json", place: { format: "json", keys: ["mcpServers"] } },
  },
  "copilot": {
    title: "Copilot CLI",
    settings: { file: "~/.copilot/mcp-config.json", place: { format: "json", keys: ["mcpServers"] } },
    value: (entry) => ({ type: "local", ...entry, tools: ["*"] }),
  },
  "opencode": {
    title: "opencode",
    settings: { file: "opencode.json", place: { format: "json", keys: ["mcp"] } },
    value: ({ command, args, env }) => ({
      type: "local",
      command: [command, ...args],
      ...env === undefined ? {} : { environment: env },
      enabled: true,
    }),
  },
  "continue": {
    title: "Continue",
    settings: {
      file: ".continue/mcpServers/ahma.yaml",
      place: {
        format: "yaml",
        keys: ["mcpServers"],
        list: true,
        base: { name: ENTRY_NAME, version: "0.0.1", schema: "v1" },
      },
    },
    flags: PREFIX,
    value: (entry) => ({ name: ENTRY_NAME, ...entry }),
  },
  "vibe": {
    title: "Vibe",
    settings: { file: ".vibe/config.toml", place: { format: "toml", keys: ["mcp_servers"], list: true } },
    value: ({ env, ...entry }) => ({
      name: ENTRY_NAME,
      transport: "stdio",
      ...entry,
      // Otherwise it gives up a call after 60 s.
      tool_timeout_sec: 600,
      ...env === undefined ? {} : { env },
    }),
  },
  "fast-agent": {
    title: "fast-agent",
    settings: { file: "fast-agent.yaml", place: { format: "yaml", keys: ["mcp", "servers"] } },
  },
  "openai-agents": {
    title: "OpenAI Agents",
    flags: PREFIX,
    value: (entry) =>
      lines("MCPServerStdio(", `    params=${python(entry)},`, "    client_session_timeout_seconds=120,", ")"),
  },
  "pydantic-ai": {
    title: "pydantic-ai",
    flags: PREFIX,
    value: ({ command, args, env }) => {
      const variables = env === undefined ? "" : `, env=${python(env)}`;
      const transport = `    StdioTransport(${python(command)}, ${python(args)}${variables}),`;
      return lines("MCPToolset(", transport, "    include_instructions=True,", ")");
    },
  },
  "langchain": {
    title: "LangChain",
    flags: PREFIX,
    value: (entry) =>
      lines("MultiServerMCPClient(", `    {"${ENTRY_NAME}": ${python({ transport: "stdio", ...entry })}}`, ")"),
  },
};

/** A text, or a list or table of them, as Python writes it. */
function python(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(python).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  return `{${Object.entries(value).map(([key, one]) => `${python(key)}: ${python(one)}`).join(", ")}}`;
}

function lines(...of: readonly string[]): string {
  return `${of.join("\n")}\n`;
}
