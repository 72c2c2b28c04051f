/**
 * The official SDK's client in front of the real program, whose only server is the suite's: it makes the calls of
 * MCP_CONFORMANCE_CONTEXT, or one of each tool, and answers what it is asked. Its arguments are the program's command line.
 */
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { until } from "../_support/deadline.ts";

const PREFIX = "suite_";
const [command = "", ...args] = Deno.args;
const version = Deno.env.get("MCP_CONFORMANCE_PROTOCOL_VERSION") ?? "";
const client = new Client({ name: "front", version: "1" }, {
  versionNegotiation: { mode: version >= "2026-07-28" ? { pin: "2026-07-28" } : "legacy" },
  capabilities: { elicitation: { form: { applyDefaults: true } } },
});
client.setRequestHandler("elicitation/create", () => ({ action: "accept", content: {} }));
await client.connect(new StdioClientTransport({ command, args, env: Deno.env.toObject(), stderr: "inherit" }));

/** On a busy machine a server is listed later than the first list. */
async function namesOfSuite(): Promise<readonly string[] | undefined> {
  const { tools } = await client.listTools(undefined, { cacheMode: "refresh" });
  const names = tools.map(({ name }) => name).filter((name) => name.startsWith(PREFIX));
  return names.length > 0 ? names : undefined;
}

const names = await until(namesOfSuite, 10_000, "the suite's server");
const { toolCalls } = JSON.parse(Deno.env.get("MCP_CONFORMANCE_CONTEXT") ?? "{}");
const calls = toolCalls?.map((call: { readonly name: string; readonly arguments: object }) => ({
  ...call,
  name: `${PREFIX}${call.name}`,
})) ?? names.map((name) => ({ name, arguments: {} }));
for (const call of calls) await client.callTool(call);
await client.close();
