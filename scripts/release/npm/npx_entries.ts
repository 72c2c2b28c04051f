/** The entries of clients that start the npm package: install links, and the plugin of Claude Code. */
import { CLIENTS, ENTRY_NAME } from "../../../src/cli/commands/clients/client_facts.ts";
import { clientValue } from "../../../src/cli/commands/clients/client_settings.ts";
import type { Project } from "../project.ts";
import type { ClientName } from "../../../src/settings/flags/actions.ts";

/** A link that installs the server in a client. */
export interface InstallLink {
  readonly client: ClientName;
  readonly title: string;
  readonly url: string;
}

/** One entry, as `ahma_mcp init` writes it for a program that npx starts; no list of hosts, which not every machine holds. */
export function npxEntry({ name, version }: Project, client: ClientName): unknown {
  const program = { command: "npx", args: ["-y", `${name}@${version}`], environment: {} };
  return clientValue(client, { program, project: "", network: [] });
}

/** The links for README and release notes; both open the client, which asks before it changes anything. */
export function installLinks(project: Project): readonly InstallLink[] {
  const text = (client: ClientName) => JSON.stringify(npxEntry(project, client));
  const base64 = new TextEncoder().encode(text("cursor")).toBase64();
  return [
    {
      client: "vscode",
      title: CLIENTS.vscode.title,
      url: `https://vscode.dev/redirect/mcp/install?name=${ENTRY_NAME}&config=${encodeURIComponent(text("vscode"))}`,
    },
    {
      client: "cursor",
      title: CLIENTS.cursor.title,
      url: `https://cursor.com/en/install-mcp?name=${ENTRY_NAME}&config=${encodeURIComponent(base64)}`,
    },
  ];
}

/** `.claude-plugin/plugin.json`: the server as a plugin of Claude Code. */
export function claudePlugin(project: Project): object {
  const { version, description, authors, license, keywords } = project;
  return {
    name: "ahma",
    version,
    description,
    author: { name: authors },
    license,
    keywords,
    mcpServers: { [ENTRY_NAME]: npxEntry(project, "claude") },
  };
}

/** `.claude-plugin/marketplace.json`: the repository as a marketplace with this one plugin. */
export function claudeMarketplace(project: Project): object {
  const { version, description, authors } = project;
  return {
    name: "ahma",
    description,
    owner: { name: authors },
    plugins: [{ name: "ahma", source: "./", version, description }],
  };
}
