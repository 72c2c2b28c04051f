/** A bench whose program uses third-party servers. */
import { until } from "../deadline.ts";
import { ServerProcess, type StartOptions } from "../server_process.ts";
import type { Workbench } from "../workbench.ts";

const SCRIPT = await Deno.readTextFile(new URL("../../fixtures/upstream_server.py", import.meta.url));

/** The command line of the third-party server of the fixture, in the bench's scope. */
export function upstreamServer(bench: Workbench, fields: object = {}): object {
  return { command: "python3", args: [bench.write("upstream.py", SCRIPT)], ...fields };
}

/** Writes the configuration next to the scope; returns its path. */
export function writeServers(bench: Workbench, servers: Readonly<Record<string, object>>, file = "mcp.json"): string {
  return bench.write(`${bench.parent}/${file}`, JSON.stringify({ mcpServers: servers }));
}

/** The program with these third-party servers. */
export async function withServers(
  bench: Workbench,
  servers: Readonly<Record<string, object>>,
  { flags = [], ...options }: StartOptions = {},
): Promise<ServerProcess> {
  return await ServerProcess.start(bench, {
    ...options,
    flags: ["--mcp-config", writeServers(bench, servers), ...flags],
  });
}

/** Names of the tools that are listed now and begin with `prefix`, in their order. */
export async function namesNow(server: ServerProcess, prefix: string): Promise<readonly string[]> {
  const { result } = await server.request("tools/list");
  const tools = (result?.["tools"] ?? []) as readonly { readonly name: string }[]; // the answer to tools/list
  return tools.map(({ name }) => name).filter((name) => name.startsWith(prefix));
}

/** The same as soon as there are so many: on a busy machine a server may be listed later than the first list. */
export async function namesOf(server: ServerProcess, prefix: string, least = 1): Promise<readonly string[]> {
  const names = async () => {
    const now = await namesNow(server, prefix);
    return now.length >= least ? now : undefined;
  };
  return await until(names, 20_000, `tools that begin with "${prefix}"`);
}

/** Waits until exactly these tools with `prefix` are listed: a change may be announced in several steps. */
export async function areListed(server: ServerProcess, prefix: string, names: readonly string[]): Promise<void> {
  const wanted = JSON.stringify(names);
  await until(async () => JSON.stringify(await namesNow(server, prefix)) === wanted, 20_000, `the tools ${wanted}`);
}
