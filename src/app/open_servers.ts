/** Joins the servers of `--mcp-config` with sandboxes, records and the service (O1, O2). Nothing is started here. */
import type { LoggingLevel } from "@modelcontextprotocol/server";
import { LONGEST_NAME } from "../catalog/format/names.ts";
import { describeDiagnostic } from "../base/diagnostic.ts";
import { UserError } from "../base/errors.ts";
import type { SessionSandbox } from "../sandbox/settle_paths.ts";
import type { PromptSource } from "../service/prompts/prompt_source.ts";
import type { ResourceSource } from "../service/resource_source.ts";
import type { ToolSource } from "../service/service.ts";
import { DirectoryWatch, type DirectoryWatchOptions } from "../system/directory_watch.ts";
import type { HttpSpec, ServerSpec, StdioSpec } from "../upstream/config/server_spec.ts";
import { type RecordStore, serverIdentity } from "../upstream/definitions/record_store.ts";
import { serverFetch } from "../upstream/link/server_fetch.ts";
import { openHttpLink } from "../upstream/link/http_link.ts";
import type { Link, LinkHooks, OpenLink } from "../upstream/link/link.ts";
import { openStdioLink } from "../upstream/link/stdio_link.ts";
import { CLIENT_CREDENTIALS_EXTENSION, ClientTokens } from "../upstream/oauth/client/client_tokens.ts";
import { serverAddress } from "../upstream/oauth/oauth_config.ts";
import { TokenSource } from "../upstream/oauth/token_source.ts";
import { transportAuth } from "../upstream/oauth/transport_auth.ts";
import type { CallAudit, CallRecord } from "../service/run/call_audit.ts";
import { instructionLines } from "../upstream/offers/instruction_lines.ts";
import { ForeignPrompts } from "../upstream/offers/foreign_prompts.ts";
import { ForeignResources } from "../upstream/offers/foreign_resources.ts";
import { ServerSet } from "../upstream/server/server_set.ts";
import { UpstreamServer } from "../upstream/server/upstream_server.ts";
import { UpstreamSource } from "../upstream/server/upstream_source.ts";
import { INSTANCE_VARIABLE } from "../wire/instance.ts";
import { loginForCalls } from "./logins/login_for_calls.ts";
import { userLoginFiles } from "./logins/login_files.ts";
import type { SessionOptions } from "./open_sandbox.ts";
import type { OpenSecrets } from "./secrets/open_secrets.ts";
import { insistOnNetwork } from "./program/own_program.ts";
import { nameOf, readServers, type Servers } from "./servers/read_servers.ts";
import { openExplained } from "./servers/explained_link.ts";
import { openRecords } from "./server_records.ts";
import { isOnline, openServerSandbox } from "./server_sandbox.ts";
import { isReadable } from "./writable_trees.ts";
import { isDirectory } from "../system/paths.ts";

export interface OpenServersOptions extends SessionOptions {
  readonly secrets?: OpenSecrets | undefined;
  /** Of commands. */
  readonly sandbox: Pick<SessionSandbox, "scopes">;
  /** The sources whose names take precedence. */
  readonly own: readonly ToolSource[];
  readonly ownPrompts: readonly PromptSource[];
  /** Of calls; undefined: none is kept. */
  readonly audit?: CallAudit | undefined;
  /** Of what calls change; undefined: none is kept. */
  readonly recorded?: CallRecord | undefined;
}

/** The source, and what ends all servers. */
export interface OpenServers extends AsyncDisposable {
  readonly source: ToolSource;
  readonly resources: ResourceSource;
  readonly prompts: PromptSource;
  /** Their instructions, as lines. */
  readonly instructions: () => readonly string[];
  /** To be called with each level of log messages that a client asks for. */
  readonly onLogLevel: (level: LoggingLevel) => void;
  /** In the order of the configuration. */
  readonly servers: readonly UpstreamServer[];
  /** Their names. */
  readonly names: readonly string[];
  /** Servers that cannot be used, each with the reason. */
  readonly refused: readonly RefusedServer[];
}

interface RefusedServer {
  readonly name: string;
  readonly problem: string;
}

/** How many instances of this program may be chained behind each other. */
const LONGEST_CHAIN = 4;

/** The content of the files, and the identity of each usable server. */
export interface IdentifiedServers extends Servers {
  /** In the order of the servers; empty for one that cannot be used. */
  readonly ids: readonly string[];
}

/** To be begun early: another thread works out the identities. @throws {UserError} When a file cannot be read. */
export async function identifyServers({ settings, environment }: SessionOptions): Promise<IdentifiedServers> {
  const read = await readServers(settings, environment);
  const ids: string[] = [];
  // One after another: in parallel each would start its own thread.
  for (const one of read.servers) ids.push(one.state === "usable" ? await serverIdentity(one.spec) : "");
  return { ...read, ids };
}

/** @throws {UserError} When nothing can be kept. */
export function openServers(
  { servers: configured, diagnostics, ids }: IdentifiedServers,
  options: OpenServersOptions,
): OpenServers {
  const { settings, environment, log, own, ownPrompts } = options;
  for (const diagnostic of diagnostics) log.warn(describeDiagnostic(diagnostic));
  const store = openRecords(settings, environment, log);
  const chain = (environment["AHMA_SERVER_CHAIN"] ?? "").split(",").filter((id) => id !== "");
  const refused: RefusedServer[] = [];
  const ended = new AbortController();
  const servers: UpstreamServer[] = [];
  for (const [index, one] of configured.entries()) {
    if (one.state === "disabled") continue;
    const id = ids[index] ?? "";
    const problem = one.state === "refused" ? one.problem : loopProblem(chain, id);
    if (one.state === "refused" || problem !== undefined) {
      refused.push({ name: nameOf(one), problem: problem ?? "" });
      continue;
    }
    const open = linkTo(one.spec, { ...options, id, chain: [...chain, id], stop: ended.signal });
    const server: UpstreamServer = new UpstreamServer({
      ...{ spec: one.spec, id, store, open, log },
      onChange: () => set.changed(),
      onNotice: (method, params) => set.tell({ server, method, params }),
    });
    servers.push(server);
  }
  const watches = new AsyncDisposableStack();
  const onFirstUse = () => void watches.use(watchApprovals(store, servers, { onChange: () => set.changed(), log }));
  const set = new ServerSet({ servers, onFirstUse, log });
  const source = new UpstreamSource({
    set,
    notes: refused.map(({ name, problem }) => `${name}: failed: ${problem}`),
    taken: async () => (await Promise.all(own.map((one) => one.list()))).flat().map(({ name }) => name),
    longestName: LONGEST_NAME - settings.toolPrefix.length,
    audit: options.audit,
    recorded: options.recorded,
    log,
  });
  return {
    source,
    resources: new ForeignResources(set, log),
    prompts: new ForeignPrompts({ set, own: ownPrompts, log }),
    instructions: instructionLines(set),
    onLogLevel: (level) => set.setLogLevel(level, { isShared: settings.http !== undefined }),
    servers,
    names: servers.map(({ spec }) => spec.name),
    refused,
    async [Symbol.asyncDispose]() {
      ended.abort();
      await watches.disposeAsync();
      await Promise.all(servers.map((server) => server.close()));
    },
  };
}

/** A person approves in another process. */
function watchApprovals(
  { directory }: RecordStore,
  servers: readonly UpstreamServer[],
  { onChange, log }: Pick<DirectoryWatchOptions, "onChange" | "log">,
): DirectoryWatch {
  return new DirectoryWatch({
    directories: [directory],
    onChange() {
      const reloaded = servers.filter((server) => server.reload());
      if (reloaded.length > 0) onChange();
    },
    log,
  });
}

/** Why a chain of servers is refused: this program would start itself again and again. Undefined: it is accepted. */
function loopProblem(chain: readonly string[], id: string): string | undefined {
  if (chain.includes(id)) return "it is refused, because it started this program: servers may not serve each other";
  if (chain.length < LONGEST_CHAIN) return undefined;
  return `it is refused, because this program is started by ${chain.length} servers, one behind the other`;
}

interface LinkParts extends OpenServersOptions {
  readonly id: string;
  readonly chain: readonly string[];
  /** Aborted at the end. */
  readonly stop: AbortSignal;
}

function linkTo(spec: ServerSpec, parts: LinkParts): OpenLink {
  if (spec.kind === "http") return httpLinkTo(spec, parts);
  const scopes = parts.sandbox.scopes.map(({ path }) => path);
  return async (hooks: LinkHooks): Promise<Link> => {
    await using stack = new AsyncDisposableStack();
    const sandbox = stack.use(await openServerSandbox({ ...parts, spec, scopes }));
    const roots = knownDirectories(spec, scopes);
    const open: OpenLink = (heard) =>
      openStdioLink({ start: sandbox.start, roots, startSeconds: spec.startSeconds }, heard);
    const link = await openExplained(open, hooks, {
      server: spec.name,
      scopes,
      named: roots.filter((root) => !scopes.includes(root)),
      readsScope: spec.readScope,
      isOnline: isOnline(spec, parts.settings),
      spec,
      sandbox,
    });
    const opened = stack.move();
    return {
      hello: link.hello,
      request: (request) => link.request(request),
      async close() {
        await link.close();
        await opened.disposeAsync();
      },
    };
  };
}

/** A server at an address, with a person's login if its entry has no authorization. */
function httpLinkTo(spec: HttpSpec, { settings, environment, stop, log }: LinkParts): OpenLink {
  const url = new URL(spec.url.text);
  const serverUrl = serverAddress(url);
  const isOwn = Object.keys(spec.headers).some((name) => name.toLowerCase() === "authorization");
  const files = userLoginFiles(environment, log);
  let isCalled = () => false;
  const parts = { config: { ...spec.oauth, url }, files, environment, isCalled: () => isCalled(), stop, log };
  const now = () => Date.now();
  const { grant, privateKeyFile } = spec.oauth;
  const isClient = grant === "client_credentials" && !isOwn;
  const source = () =>
    isClient ? new ClientTokens({ config: parts.config, now, stop, log }) : new TokenSource({
      files,
      serverUrl,
      loginHint: ["ahma_mcp auth login", spec.name, ...settings.mcpConfigs.map((file) => `--mcp-config ${file}`)].join(
        " ",
      ),
      // Clients over HTTP may sit elsewhere than the browser of this machine.
      logIn: settings.http === undefined ? loginForCalls(parts) : undefined,
      now,
      log,
    });
  const auth = isOwn ? undefined : transportAuth(source(), serverFetch);
  const extensions = isClient ? { [CLIENT_CREDENTIALS_EXTENSION]: {} } : undefined;
  return async (hooks) => {
    isCalled = hooks.isCalled;
    if (privateKeyFile !== undefined && isReadable(privateKeyFile, { settings, environment })) {
      throw new UserError(
        `Cannot use private key "${privateKeyFile}": commands can read it there. Keep it outside the scope`,
      );
    }
    await insistOnNetwork(url.host, "connect to");
    return await openHttpLink({ spec, auth, extensions, instance: environment[INSTANCE_VARIABLE] }, hooks);
  };
}

/** The roots of a stdio server: existing scopes it may read, then what its arguments, `write`, `read` name. */
function knownDirectories(
  { args, write, read, readScope }: Pick<StdioSpec, "args" | "write" | "read" | "readScope">,
  scopes: readonly string[],
): readonly string[] {
  const named = [...args.map(({ text }) => text), ...write, ...read].filter((path) => path.startsWith("/"));
  return [...new Set([...readScope ? scopes : [], ...named.filter(isDirectory)])];
}
