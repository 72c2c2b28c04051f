/**
 * The official SDK's client in front of the real program, whose servers are those of several scenarios of the suite: it
 * makes the calls that a scenario names, or one of each tool, and answers what it is asked.
 */
import { HTTP_PERMISSIONS } from "../../scripts/permissions.ts";
import { until } from "../_support/deadline.ts";
import { connectClient } from "../_support/clients/sdk_client.ts";
import { type Era, ServerProcess } from "../_support/server_process.ts";
import { exists, Workbench } from "../_support/workbench.ts";

/** What client_command.sh writes of a scenario into a file. */
interface Scenario {
  readonly url: string;
  readonly context: null | { readonly toolCalls?: readonly { readonly name: string; readonly arguments: object }[] };
}

/** Waits for the files of these scenarios in `lanes`, makes their calls, and lets the commands of the suite end. */
export async function callInFront(lanes: string, scenarios: readonly string[], version: Era): Promise<void> {
  const written = () => scenarios.filter((one) => exists(`${lanes}/${one}.json`));
  try {
    // The suite begins all its scenarios at once.
    await until(() => written().length === scenarios.length, 30_000, `the scenarios ${scenarios.join(", ")}`);
    const read = async (one: string) => JSON.parse(await Deno.readTextFile(`${lanes}/${one}.json`));
    await makeCalls(await Promise.all(scenarios.map(read)), version);
  } finally {
    for (const one of written()) await Deno.writeTextFile(`${lanes}/${one}.end`, "end\n");
  }
}

async function makeCalls(scenarios: readonly Scenario[], version: Era): Promise<void> {
  using bench = new Workbench();
  const mcpServers = Object.fromEntries(scenarios.map(({ url }, index) => [`suite${index}`, { url }]));
  const config = bench.write(`${bench.parent}/mcp.json`, JSON.stringify({ mcpServers }));
  const flags = ["--mcp-config", config];
  await using server = await ServerProcess.start(bench, { era: "none", permissions: HTTP_PERMISSIONS, flags });
  const capabilities = { elicitation: { form: { applyDefaults: true } } };
  const client = await connectClient(server, version, {
    capabilities,
    onElicit: () => ({ action: "accept", content: {} }),
  });
  // On a busy machine a server is listed later than the first list. In sse-retry the suite takes the stream that a new
  // connection opens for a reconnection if it comes after the call.
  const namesOfAll = async () => {
    const { tools } = await client.listTools(undefined, { cacheMode: "refresh" });
    const names = scenarios.map((_, index) => tools.map(({ name }) => name).filter((name) => isOf(index, name)));
    return names.every(({ length }) => length > 0) && names;
  };
  const all = await until(namesOfAll, 10_000, "the suite's servers");
  for (const [index, { context }] of scenarios.entries()) {
    const named = context?.toolCalls?.map((call) => ({ ...call, name: `suite${index}_${call.name}` }));
    for (const call of named ?? all[index]?.map((name) => ({ name, arguments: {} })) ?? []) {
      await client.callTool({ name: call.name, arguments: { ...call.arguments } });
    }
  }
  await client.close();
}

function isOf(index: number, name: string): boolean {
  return name.startsWith(`suite${index}_`);
}
