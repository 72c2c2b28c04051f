import assert from "node:assert/strict";
import { parse } from "smol-toml";
import { parse as parseYaml } from "yaml";
import { CLIENTS } from "./client_facts.ts";
import { clientSettings } from "./client_settings.ts";
import { ENTRY_NETWORK } from "./entry_network.ts";
import type { ClientName } from "../../../settings/flags/actions.ts";

const PROGRAM = { command: '/opt/a "b"/ahma_mcp', args: [], environment: { AHMA_DENO: "/opt/deno" } };
const TOOLS = ["--bundles", "git", ...ENTRY_NETWORK];
const BARE = [...TOOLS, "--tool-prefix", "ahma_"];
const PARSERS: Readonly<Record<"json" | "toml" | "yaml", (text: string) => unknown>> = {
  json: JSON.parse,
  toml: (text) => JSON.parse(JSON.stringify(parse(text))),
  yaml: (text) => parseYaml(text),
};

Deno.test("L6 clientSettings() starts the program in the project, in each client's own words", async () => {
  const settings = await clientSettings(PROGRAM, "/home/me/my project", ENTRY_NETWORK);
  const { command, environment: env } = PROGRAM;
  const entry = (args: readonly string[]) => ({ command, args, env });
  const folder = entry(["--sandbox-scope", "${workspaceFolder}", ...TOOLS]);
  const fixed = entry(["--sandbox-scope", "/home/me/my project", ...TOOLS]);
  const plain = { mcpServers: { Ahma: entry(TOOLS) } };
  const wanted: Readonly<Record<Exclude<ClientName, "langchain" | "openai-agents" | "pydantic-ai">, unknown>> = {
    "claude": plain,
    "claude-desktop": { mcpServers: { Ahma: fixed } },
    "codex": {
      mcp_servers: { Ahma: { ...entry(TOOLS), default_tools_approval_mode: "approve", required: true } },
    },
    "continue": { name: "Ahma", version: "0.0.1", schema: "v1", mcpServers: [{ name: "Ahma", ...entry(BARE) }] },
    "copilot": { mcpServers: { Ahma: { type: "local", ...entry(TOOLS), tools: ["*"] } } },
    "cursor": { mcpServers: { Ahma: folder } },
    "fast-agent": { mcp: { servers: { Ahma: entry(TOOLS) } } },
    "gemini": plain,
    "opencode": { mcp: { Ahma: { type: "local", command: [command, ...TOOLS], environment: env, enabled: true } } },
    "qwen": plain,
    "vibe": { mcp_servers: [{ name: "Ahma", transport: "stdio", ...entry(TOOLS), tool_timeout_sec: 600 }] },
    "vscode": { servers: { Ahma: { type: "stdio", ...folder } } },
    "zed": { context_servers: { Ahma: fixed } },
  };
  const shown = settings.flatMap(({ client, text }) => {
    const format = CLIENTS[client].settings?.place.format;
    return format === undefined ? [] : [[client, PARSERS[format](text)]];
  });
  assert.deepStrictEqual(Object.fromEntries(shown), wanted);
});

Deno.test("L6 clientSettings() gives the users of a library code that Python can read", async () => {
  const settings = await clientSettings(PROGRAM, "/home/me/my project", ENTRY_NETWORK);
  const code = settings.filter(({ file }) => file === undefined);
  assert.deepStrictEqual(code.map(({ client }) => client), ["langchain", "openai-agents", "pydantic-ai"]);
  const script = "import ast, json, sys\nfor one in json.load(sys.stdin): ast.parse(one['text'], one['client'])";
  const python = new Deno.Command("python3", { args: ["-c", script], stdin: "piped" }).spawn();
  await new Blob([JSON.stringify(code)]).stream().pipeTo(python.stdin);
  assert.strictEqual((await python.status).code, 0);
  for (const { client, text } of code) assert.ok(text.includes(JSON.stringify(PROGRAM.command)), client);
});

Deno.test("L6 clientSettings() names no variable where the program needs none", async () => {
  const settings = await clientSettings({ command: "/x", args: ["run"], environment: {} }, "/p", ENTRY_NETWORK);
  const codex = settings.find(({ client }) => client === "codex");
  assert.deepStrictEqual(PARSERS.toml(codex?.text ?? ""), {
    mcp_servers: {
      Ahma: { command: "/x", args: ["run", ...TOOLS], default_tools_approval_mode: "approve", required: true },
    },
  });
});
