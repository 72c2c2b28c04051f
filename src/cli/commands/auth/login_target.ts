/** Which server a login is for: an address, or a name in the files of "--mcp-config". */
import { UsageError, UserError } from "../../../base/errors.ts";
import { didYouMean } from "../../../base/suggest.ts";
import { readServers } from "../../../app/servers/read_servers.ts";
import type { FlagName } from "../../../settings/flags/flags.ts";
import { type OAuthConfig, serverAddress } from "../../../upstream/oauth/oauth_config.ts";
import type { CommandContext } from "../../terminal/command_context.ts";

/** The server, and how it is logged in to; flags win over its entry. @throws {UsageError} for words that make no sense */
export async function loginTarget(context: CommandContext): Promise<OAuthConfig> {
  const entry = await entryOf(context, context.operands[1]);
  const { flags, environment } = context;
  const value = (flag: FlagName) => flags.get(flag)?.[0];
  const [clientId, variable, port] = [value("client-id"), value("client-secret-env"), value("oauth-port")];
  if (variable !== undefined && clientId === undefined) {
    throw new UsageError('Cannot use "--client-secret-env" without "--client-id": the secret belongs to a client');
  }
  const clientSecret = variable === undefined ? undefined : environment[variable];
  if (variable !== undefined && !clientSecret) {
    throw new UsageError(`Cannot use flag "--client-secret-env": the variable "${variable}" is not set`);
  }
  return {
    ...entry,
    ...clientId !== undefined && { clientId, clientSecret },
    clientMetadataUrl: value("client-metadata-url") ?? entry.clientMetadataUrl,
    scopes: flags.get("scopes")?.flatMap((list) => list.split(" ")).filter((scope) => scope !== "") ?? entry.scopes,
    callbackPort: port === undefined ? entry.callbackPort : Number(port),
  };
}

/** The entry of that name or address in the files, else the address alone. */
async function entryOf({ settings, environment }: CommandContext, named: string | undefined): Promise<OAuthConfig> {
  const url = named !== undefined && URL.canParse(named) ? new URL(named) : undefined;
  const isAddress = url !== undefined && ["http:", "https:"].includes(url.protocol);
  const { servers } = await readServers(settings, environment);
  const specs = servers.flatMap((one) => one.state === "usable" && one.spec.kind === "http" ? [one.spec] : []);
  const found = specs.find((spec) => {
    return spec.name === named || isAddress && serverAddress(new URL(spec.url.text)) === serverAddress(url);
  });
  if (found !== undefined) return { ...found.oauth, url: new URL(found.url.text) };
  if (isAddress) return { url };
  const refused = servers.find((one) => one.state === "refused" && one.name === named);
  if (refused?.state === "refused") throw new UserError(`Cannot use server "${named}": ${refused.problem}`);
  throw new UsageError(problemWith(named, { names: specs.map(({ name }) => name), files: settings.mcpConfigs }));
}

function problemWith(
  named: string | undefined,
  { names, files }: { readonly names: readonly string[]; readonly files: readonly string[] },
): string {
  const examples = "as in: ahma_mcp auth login https://mcp.example/mcp, or by its name with --mcp-config FILE";
  if (named === undefined) return `Name the server, ${examples}`;
  if (files.length === 0) return `"${named}" is not an http:// or https:// address. Name the server, ${examples}`;
  return `No server with an address is named "${named}" in ${files.join(", ")}${didYouMean(named, names)}`;
}
