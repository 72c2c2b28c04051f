/**
 * The official SDK's client in front of the real program, whose servers are those of several scenarios of the suite: it
 * makes the calls that a scenario names, or one of each tool, and answers what it is asked.
 */
import { HTTP_PERMISSIONS } from "../../scripts/permissions.ts";
import { connectClient } from "../_support/clients/sdk_client.ts";
import { until } from "../_support/deadline.ts";
import { type Era, ServerProcess } from "../_support/server_process.ts";
import { Workbench } from "../_support/workbench.ts";
import { logInHere } from "../_support/login/login.ts";
import type { Scenario } from "./scenarios.ts";

/** Arguments of tools that want some, where the scenario names none. */
const ARGUMENTS: Readonly<Record<string, object>> = { add_numbers: { a: 5, b: 3 } };

/** How the suite knows the client. */
const CLIENT = { clientMetadataUrl: "https://conformance-test.local/client-metadata.json" };

/** A person's browser follows the pages. */
const BROWSER = '#!/bin/sh\nexec curl -sL -o /dev/null "$1"\n';

export async function makeCalls(scenarios: readonly Scenario[], version: Era): Promise<void> {
  using bench = new Workbench();
  const entries = scenarios.map(async (one, index) => [`suite${index}`, await entryOf(one, bench)]);
  const mcpServers = Object.fromEntries(await Promise.all(entries));
  const config = bench.write(`${bench.parent}/mcp.json`, JSON.stringify({ mcpServers }));
  const browser = bench.write(`${bench.parent}/browser`, BROWSER);
  await Deno.chmod(browser, 0o755);
  await using server = await ServerProcess.start(bench, {
    era: "none",
    permissions: HTTP_PERMISSIONS,
    flags: ["--mcp-config", config],
    environment: { BROWSER: browser },
  });
  const capabilities = { elicitation: { form: { applyDefaults: true } } };
  const client = await connectClient(server, version, {
    capabilities,
    onElicit: () => ({ action: "accept", content: {} }),
  });
  // On a busy machine a server is listed later than the first list, and one has no tools. In sse-retry the suite takes
  // the stream that a new connection opens for a reconnection if it comes after the call.
  const listed = async () => {
    const { tools } = await client.listTools(undefined, { cacheMode: "refresh" });
    const { content } = await client.callTool({ name: "status", arguments: {} });
    const ready = JSON.stringify(content).match(/suite\d+: ready/g) ?? [];
    return ready.length === scenarios.length && tools.map(({ name }) => name);
  };
  const names = await until(listed, 10_000, "the suite's servers");
  for (const [index, { context }] of scenarios.entries()) {
    const prefix = `suite${index}_`;
    const own = names.filter((name) => name.startsWith(prefix)).map((name) => name.slice(prefix.length));
    const calls = context?.toolCalls ?? own.map((name) => ({ name, arguments: ARGUMENTS[name] ?? {} }));
    for (const call of calls) await client.callTool({ name: prefix + call.name, arguments: { ...call.arguments } });
  }
  await client.close();
}

/** Logs in to each; the suite says afterwards which of these logins should have failed. */
export async function logInToAll(scenarios: readonly Scenario[]): Promise<void> {
  using bench = new Workbench();
  for (const { url, context } of scenarios) {
    const registered = { clientId: context?.client_id, clientSecret: context?.client_secret };
    await Promise.allSettled([logInHere(bench, url, { ...CLIENT, ...registered })]);
  }
}

/** What a person writes and does before the program starts. */
async function entryOf({ name, url, context }: Scenario, bench: Workbench): Promise<object> {
  if (name === "scope-step-up") await logInHere(bench, url, CLIENT);
  if (!name.startsWith("client-credentials-")) return { url, oauth: { callbackPort: 0 } };
  const metadata = new URL("/.well-known/oauth-protected-resource/mcp", url);
  const { authorization_servers: [issuer] } = await (await fetch(metadata)).json();
  const privateKeyFile = context?.private_key_pem === undefined
    ? undefined
    : bench.write(`${bench.home}/key.pem`, context.private_key_pem);
  if (privateKeyFile !== undefined) await Deno.chmod(privateKeyFile, 0o600);
  const { client_id: clientId, client_secret: clientSecret } = context ?? {};
  return { url, oauth: { grant: "client_credentials", issuer, clientId, clientSecret, privateKeyFile } };
}
