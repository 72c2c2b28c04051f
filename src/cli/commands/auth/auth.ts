/** `auth` (O4): the logins to other servers, which are listed, made and ended here. */
import { UsageError, UserError } from "../../../base/errors.ts";
import { SILENT } from "../../../base/log.ts";
import { userLoginFiles } from "../../../app/logins/login_files.ts";
import { logIn, type Person } from "../../../upstream/oauth/login/login.ts";
import { type OAuthConfig, serverAddress } from "../../../upstream/oauth/oauth_config.ts";
import { revoke } from "../../../upstream/oauth/revoke.ts";
import type { LoginFiles } from "../../../upstream/oauth/store/login_files.ts";
import { askServer } from "../../../upstream/oauth/login/ask_server.ts";
import type { CommandContext } from "../../terminal/command_context.ts";
import { print, printProblem } from "../../terminal/print.ts";
import { clientLines, loginLines, loginsAsJson } from "./login_lines.ts";
import { NO_BROWSER, openBrowser } from "../../../app/logins/open_browser.ts";
import type { ConfiguredServer, HttpSpec } from "../../../upstream/config/server_spec.ts";
import { pastedQuery } from "../../../upstream/oauth/login/callback.ts";
import { didYouMean } from "../../../base/suggest.ts";
import { readServers } from "../../../app/servers/read_servers.ts";
import type { FlagName } from "../../../settings/flags/flags.ts";

const DEFAULT_SECONDS = 300;

/** Resolves with the exit code. @throws {UserError} when it fails, {UsageError} when the words are wrong */
export async function auth(context: CommandContext): Promise<number> {
  const [action, named] = context.operands;
  const files = userLoginFiles(context.environment, {
    ...SILENT,
    warn: (message) => void printProblem(`Warning: ${message}`),
  });
  switch (action) {
    case "list":
      if (named !== undefined) throw new UsageError(`Cannot list "${named}" alone: auth list names every login`);
      return await list(files, context);
    case "login":
      return await login(files, context, await loginTarget(context));
    case "logout":
      return await logout(files, (await loginTarget(context)).url);
    default:
      throw new UsageError(
        'Say what to do: "auth list", "auth login SERVER" or "auth logout SERVER", by address or name',
      );
  }
}

async function list(files: LoginFiles, context: CommandContext): Promise<number> {
  const logins = await files.list();
  const clients = httpSpecs((await readServers(context.settings, context.environment)).servers).flatMap(
    ({ url, oauth }) => {
      const { grant, clientId = "", issuer } = oauth;
      return grant === undefined ? [] : [{ server: url.shown, clientId, issuer }];
    },
  );
  if (context.flags.has("json")) await print(loginsAsJson(logins, Date.now(), clients));
  else if (logins.length + clients.length > 0) await print(loginLines(logins, Date.now()) + clientLines(clients));
  else await print("There is no login. Make one: ahma_mcp auth login ADDRESS\n");
  return 0;
}

async function login(files: LoginFiles, { flags, environment, stop }: CommandContext, config: OAuthConfig) {
  if (config.grant !== undefined) {
    throw new UserError(
      `"${serverAddress(config.url)}" needs no login by a person: its entry names the grant "${config.grant}". ` +
        "Try it: ahma_mcp servers test NAME",
    );
  }
  const seconds = Number(flags.get("oauth-timeout")?.[0] ?? DEFAULT_SECONDS);
  const challenge = await askServer(config.url, stop);
  const person = personAtTerminal(environment);
  const { tokens } = await logIn(
    { config, challenge, timeoutMs: seconds * 1000, stop },
    { files, person, now: () => Date.now() },
  );
  const scopes = tokens.scope === undefined ? "" : `, with the scopes ${tokens.scope}`;
  await printProblem(`Logged in to "${serverAddress(config.url)}"${scopes}`);
  return 0;
}

async function logout(files: LoginFiles, url: URL): Promise<number> {
  const address = serverAddress(url);
  const login = (await files.read(address))?.login;
  if (login === undefined) throw new UserError(`There is no login to "${address}". See: ahma_mcp auth list`);
  const revoked = await revoke(login);
  await files.remove(address);
  const there = {
    revoked: "The server revoked the tokens",
    unsupported: "The server cannot revoke tokens: they expire",
    failed: `The server did not revoke the tokens${revoked.kind === "failed" ? ` (${revoked.problem})` : ""}: they ` +
      "end by themselves",
  }[revoked.kind];
  await printProblem(`Logged out of "${address}". ${there}`);
  return 0;
}

/** Says sentences on stderr, opens the browser, and reads pasted addresses from a terminal. */
function personAtTerminal(environment: Readonly<Record<string, string>>): Person {
  return {
    tell: (text, page) => printProblem(page === undefined ? text : `${text}:\n\n  ${page.href}\n`),
    async openBrowser(url) {
      const problem = openBrowser(url, environment);
      if (problem !== undefined && problem !== NO_BROWSER) await printProblem(problem);
      return problem === undefined;
    },
    pasted: (isOurs) => Deno.stdin.isTerminal() ? firstPasted(isOurs) : Promise.withResolvers<never>().promise,
  };
}

/** Nothing stops the reading: the program ends after the login. */
async function firstPasted(isOurs: (query: URLSearchParams) => boolean): Promise<URLSearchParams> {
  let rest = "";
  for await (const text of Deno.stdin.readable.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines.filter((line) => line.trim() !== "")) {
      const query = pastedQuery(line);
      if (query !== undefined && isOurs(query)) return query;
      await printProblem("This address does not belong to the login: paste the one that begins with http://localhost");
    }
  }
  return await Promise.withResolvers<never>().promise; // The terminal was closed: the browser may still come.
}

/** The server, and how it is logged in to; flags win over its entry. @throws {UsageError} for words that make no sense */
async function loginTarget(context: CommandContext): Promise<OAuthConfig> {
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

function httpSpecs(servers: readonly ConfiguredServer[]): readonly HttpSpec[] {
  return servers.flatMap((one) => one.state === "usable" && one.spec.kind === "http" ? [one.spec] : []);
}

/** The entry of that name or address in the files, else the address alone. */
async function entryOf({ settings, environment }: CommandContext, named: string | undefined): Promise<OAuthConfig> {
  const url = named !== undefined && URL.canParse(named) ? new URL(named) : undefined;
  const isAddress = url !== undefined && ["http:", "https:"].includes(url.protocol);
  const { servers } = await readServers(settings, environment);
  const specs = httpSpecs(servers);
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
