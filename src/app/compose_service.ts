/** The only place that builds and joins the rooms. One stack closes everything, even if a step fails. */
import { OpenInputs } from "../operation/concurrency.ts";
import { messageOf, UsageError, UserError } from "../base/errors.ts";
import type { Logger } from "../base/log.ts";
import { Timers } from "../base/time.ts";
import { openScope } from "../system/path_scope.ts";
import { VERSION } from "../base/version.ts";
import type { Catalog } from "../catalog/model/leaf.ts";
import type { LiveCatalog } from "../catalog/load/live_catalog.ts";
import { DEFAULT_HISTORY_LIMITS } from "../operation/history.ts";
import { OperationRegistry, type RegistryOptions } from "../operation/registry.ts";
import { SpillSpace } from "../operation/output/spill_files.ts";
import type { SessionRunner } from "../process/command_runner.ts";
import { worktreeHints } from "../sandbox/protect/linked_worktree.ts";
import { absolutePath, placeOf } from "../system/paths.ts";
import type { PinnedDirectory } from "../sandbox/policy/policy.ts";
import type { SessionSandbox } from "../sandbox/settle_paths.ts";
import { beginConnection } from "../service/connection/begin_connection.ts";
import { builtinSource } from "../service/builtin/builtin_source.ts";
import { ToolFileSource } from "../service/tool_files/tool_file_source.ts";
import type { ConnectionShellsOptions } from "../service/shells/connection_shells.ts";
import type { ResourceSource } from "../service/resource_source.ts";
import { inlineLimits, type PrivateFile, type PublishedAs, type Service, type ToolSource } from "../service/service.ts";
import type { Telemetry } from "../telemetry/telemetry.ts";
import type { StdioStreams } from "../service/connection/stdio_connection.ts";
import type { ShownConnections } from "../control/server/shown_connections.ts";
import { LateControl } from "./late_control.ts";
import { isInOpenTree, isReadable, openTrees } from "./writable_trees.ts";
import { type OpenSecrets, openSecrets } from "./secrets/open_secrets.ts";
import type { SessionAgent } from "./ssh_agent/open_ssh_agent.ts";
import { CheckMemory, checkMemoryFile } from "./probes/probe_cache.ts";
import { embeddedTools } from "../settings/bundles.ts";
import { lateToolbox } from "./late_toolbox.ts";
import type { openScripts } from "./open_scripts.ts";
import type { OpenToolbox } from "./open_toolbox.ts";
import { offersSkills } from "./prompts/offers_skills.ts";
import { promptSources } from "./prompts/open_prompts.ts";
import { listedSources, liveTools } from "./live_tools.ts";
import { openSession, type Session, type SessionOptions } from "./open_sandbox.ts";
import { Housekeeping } from "./program/housekeeping.ts";
import type { OpenServers, OpenServersOptions } from "./open_servers.ts";
import type { Settings } from "../settings/settings.ts";

export interface ComposeOptions extends SessionOptions {
  /** It serves clients. Absent: ports of commands stay unpublished, and its list unproven, for doctor to look at. */
  readonly publishes?: true;
}

/** The joined rooms; disposal closes every one. */
export interface Program extends AsyncDisposable {
  /** For subcommands that call tools themselves. */
  readonly service: Service;
  /** Shared by further registries of this server: limits, the space for long output, and who is told of operations. */
  readonly kept: Pick<RegistryOptions, "history" | "spill" | "observe">;
  /** For subcommands that talk with a command. */
  readonly runner: SessionRunner;
  readonly sandbox: SessionSandbox;
  /** Servers behind this one; undefined: none is configured. */
  readonly servers: OpenServers | undefined;
  /** What a person asks of native tools. */
  readonly toolbox: Pick<OpenToolbox, "migrate" | "changes">;
  /** The tools when their checks have answers; `service.catalog` does not wait for them. */
  checkedTools(): Promise<Catalog>;
  /** Speaks MCP until the client is gone or `stop` aborts, and everything that ran has ended (X14). */
  serve(io: StdioStreams): Promise<void>;
  /** The connections that people of its user see (X24). */
  readonly shown: ShownConnections;
  /** Does the work that was deferred until a client has its answer. */
  afterFirstAnswer(): void;
}

/**
 * Builds everything; serves no client yet.
 *
 * @throws {UserError} when the sandbox, a scope, the shell or a bundle is not to be had (S12)
 */
export async function compose(options: ComposeOptions): Promise<Program> {
  const { settings, settings: { maxConcurrency }, environment, log } = options;
  await using stack = new AsyncDisposableStack();
  const secrets = await openSecrets({ ...options, isReadable: (path) => isReadable(path, options), stack });
  const configured = settings.mcpConfigs.length === 0 ? undefined : identifiedServers(options, secrets);
  configured?.catch(() => {}); // Its failure is reported where it is awaited.
  const session = await openPublished({ ...options, secrets, agent: await openAgent(options) }, stack);
  const { sandbox, runner, audit, status, sandboxFacts, publishedAs, consent: questions } = session;
  const scope = await openScope(sandbox.scopes.map(({ path }) => path));
  const bundled = await embeddedTools(settings.bundles);
  const memory = stack.use(openCheckMemory(options, sandbox));
  const tools = stack.use(liveTools({ settings, bundled, runner, scope, sandbox, memory, log }));
  reportReady({ sandbox, status, scope, log });
  const telemetry = stack.use(await openTelemetry(options));
  const kept = { ...openStorage(settings, sandbox, log), observe: telemetry?.observe };
  const inline = inlineLimits(settings.maxInlineBytes);
  const facts = { scope, appPage, settings: { ...settings, inline, sandbox: status, publishedAs } };
  const catalog = () => tools.current();
  const files = fileSource(tools, { facts, catalog }, settings);
  const toolbox = stack.use(await lateToolbox({ ...options, sandbox, runner, audit }));
  const own = [builtinSource(facts), files, toolbox.source] as const;
  const ownPrompts = promptSources(options, stack, toolbox.findValues);
  const behind = { ...options, secrets, sandbox, own, ownPrompts, audit, recorded: toolbox.recorded };
  const servers = [(await configured)?.(behind) ?? []].flat().map((one) => stack.use(one));
  const service: Service = {
    info: { name: "ahma_mcp", version: VERSION },
    sources: await allSources({ ...behind, servers, facts, stack }),
    prompts: [...ownPrompts, ...servers.map(({ prompts }) => prompts)],
    resources: [...await ownResources(options, toolbox, stack), ...servers.map(({ resources }) => resources)],
    ...servers[0] !== undefined && { instructions: servers[0].instructions, onLogLevel: servers[0].onLogLevel },
    catalog,
    checks: tools.checks,
    ...files.onChange !== undefined && { onCatalogChange: files.onChange },
    runner: toolbox.runner,
    registry: new OperationRegistry({ maxConcurrency, log, shortIds: settings.http === undefined, ...kept }),
    ...facts,
    writePrivateFile: (text) => writePrivateFile(sandbox.directories.files, text),
    ...sandboxFacts !== undefined && { sandboxFacts },
    heldCalls: new Map(),
    openInputs: new OpenInputs(),
    telemetry,
    log,
  };
  const housekeeping = stack.use(new Housekeeping({ environment, sandbox, registry: service.registry, log }));
  const control = stack.use(new LateControl({ settings, audit, environment, service, questions, behind: servers[0] }));
  const rooms = stack.move();
  return {
    service,
    kept,
    runner,
    sandbox,
    servers: servers[0],
    toolbox,
    checkedTools: () => tools.checked(),
    serve: (io) => serveStdio(service, io, { runner: toolbox.runner, settings, shown: control.shown }),
    shown: control.shown,
    afterFirstAnswer: () => afterFirstAnswer({ runner, sandbox, tools, toolbox, housekeeping, control, rooms, log }),
    [Symbol.asyncDispose]: () => rooms.disposeAsync(),
  };
}

/** The MCP code is loaded once the first line is answered, while the sandbox is tested (`afterFirstAnswer`). */
async function serveStdio(
  service: Service,
  io: StdioStreams,
  { shown, ...own }: Omit<ConnectionShellsOptions, "scope"> & { readonly shown: ShownConnections },
): Promise<void> {
  const begun = await beginConnection(service, io);
  const [{ serveStdioConnection }, { ConnectionShells }] = await Promise.all([
    import("../service/connection/stdio_connection.ts"),
    import("../service/shells/connection_shells.ts"),
  ]);
  const connected = { ...service, shells: new ConnectionShells({ ...service, ...own }) };
  shown.delete(service);
  shown.add({ ...connected, client: begun.answered?.client });
  await serveStdioConnection(connected, begun);
}

/** The sources of tools, and where it is asked for the one whose scripts call them. */
async function allSources(
  parts: Omit<Parameters<typeof openScripts>[0], "callable" | "may"> & Parameters<typeof listedSources>[0],
): Promise<readonly ToolSource[]> {
  const { own, servers, settings: { codeMode: may } } = parts;
  const listed = listedSources(parts);
  if (may === undefined) return listed;
  const { openScripts } = await import("./open_scripts.ts");
  return [...listed, openScripts({ ...parts, may, callable: [...own, ...servers.map(({ source }) => source)] })];
}

/** The tools of tool files. */
function fileSource(
  tools: LiveCatalog,
  parts: Pick<ConstructorParameters<typeof ToolFileSource>[0], "facts" | "catalog">,
  { hotReload }: Pick<Settings, "hotReload">,
): ToolFileSource {
  const onChange = hotReload ? (listener: () => void) => tools.subscribe(listener) : undefined;
  return new ToolFileSource({ ...parts, onChange, isFinal: () => tools.isFinal });
}

/** Opens the configured servers, once their identities are known. */
async function identifiedServers(
  options: ComposeOptions,
  secrets: OpenSecrets | undefined,
): Promise<(rest: OpenServersOptions) => OpenServers> {
  const { identifyServers, openServers } = await import("./open_servers.ts");
  const environment = { ...options.environment, ...secrets?.values };
  const identified = await identifyServers({ ...options, environment });
  return (rest) => openServers(identified, rest);
}

/** Skills, where they are offered, and what native tools have. */
async function ownResources(
  options: ComposeOptions,
  { resources }: Pick<OpenToolbox, "resources">,
  stack: AsyncDisposableStack,
): Promise<readonly ResourceSource[]> {
  if (!offersSkills(options)) return resources;
  return [(await import("./prompts/open_skills.ts")).skillSource(options, stack), ...resources];
}

/** Undefined: commands have no ssh agent. @throws {UserError} When it, or a key of it, cannot be had. */
async function openAgent(options: ComposeOptions): Promise<SessionAgent | undefined> {
  if (options.settings.sshAgent.keys.length === 0) return undefined;
  const open = openTrees(options.settings.sandbox, options.environment);
  const { openSshAgent } = await import("./ssh_agent/open_ssh_agent.ts");
  return await openSshAgent({ ...options, isOpen: (path) => isInOpenTree(path, open) });
}

/** Undefined: no collector is named. @throws {UsageError} When none can be told at this address. */
async function openTelemetry({ settings, environment, log }: ComposeOptions): Promise<Telemetry | undefined> {
  const { otlp: address } = settings;
  if (address === undefined) return undefined;
  const { Telemetry } = await import("../telemetry/telemetry.ts");
  const transport = settings.http === undefined ? "stdio" : "http";
  const opened = Telemetry.open({ address, environment, transport, log });
  if (!opened.ok) throw new UsageError(opened.problem);
  return opened.value;
}

/** The text is read with the first request for it. */
async function appPage(): Promise<string> {
  return (await (await import("../dashboard/page_text.ts")).pageText()).html;
}

function reportReady(
  { sandbox: { missing }, status, scope, log }: Pick<Session, "sandbox" | "status"> & Pick<Service, "scope" | "log">,
): void {
  log.info("Ready", { sandbox: status.summary, scopes: scope.roots });
  for (const gap of missing) log.warn("Sandbox incomplete on this system", { gap });
}

/** Opens sandbox and published ports. @throws {UserError} As `openSession`; a failed list; a taken port. */
async function openPublished(
  options: ComposeOptions,
  stack: AsyncDisposableStack,
): Promise<Session & { readonly publishedAs?: PublishedAs }> {
  const { settings: { published, sandbox: { pinned, confinement } }, publishes, log } = options;
  const session = await openSession(options, stack);
  const replaced = pinned?.find((one) => !session.sandbox.scopes.some((scope) => isSame(scope, one)));
  if (replaced !== undefined) throw new UserError(`The directory "${replaced.path}" was replaced by another`);
  if (publishes === true && confinement.network === "names") await proveList(session);
  if (published.length === 0 || publishes !== true) return session;
  if (session.publish !== undefined) return { ...session, publishedAs: await session.publish(published) };
  log.warn("--publish is not needed: commands listen on this machine itself");
  return session;
}

/** Nothing is answered before the list has passed the self-test. @throws {UserError} When it did not. */
async function proveList({ sandboxFacts }: Pick<Session, "sandboxFacts">): Promise<void> {
  const [proven] = await Promise.allSettled([sandboxFacts?.()]);
  if (proven.status === "fulfilled") return;
  throw new UserError(`Cannot restrict commands to the list of --network: ${messageOf(proven.reason)}`);
}

/** The remains of ended operations: their history, and output too long for memory. */
function openStorage({ keptOperations, maxSpilledBytes }: Settings, { directories }: SessionSandbox, log: Logger) {
  // Outside what commands may read: what one of them said is for the client alone (X8).
  const spill = new SpillSpace({ directory: `${directories.root}/output`, limitBytes: maxSpilledBytes, log });
  return { history: { ...DEFAULT_HISTORY_LIMITS, operations: keptOperations }, spill };
}

/** Without a sandbox everything is open to commands. */
function openCheckMemory({ settings, environment, log }: ComposeOptions, { writable }: SessionSandbox): CheckMemory {
  const readable = settings.sandbox.reads.map((path) => placeOf(absolutePath(path, Deno.cwd())));
  const file = writable.length === 0 ? undefined : checkMemoryFile(environment, [...writable, ...readable]);
  return new CheckMemory({ file, now: Date.now, log });
}

interface Later extends Pick<ComposeOptions, "log"> {
  readonly runner: SessionRunner;
  readonly sandbox: SessionSandbox;
  readonly tools: LiveCatalog;
  readonly toolbox: OpenToolbox;
  readonly housekeeping: Housekeeping;
  readonly control: LateControl;
  /** Everything, once it is open. */
  readonly rooms: Pick<AsyncDisposableStack, "disposed">;
}

function afterFirstAnswer({ runner, sandbox, tools, toolbox, housekeeping, control, rooms, log }: Later): void {
  const rest = () => {
    if (rooms.disposed) return;
    tools.current().catch(report(log, "read the tool files"));
    // Without a sandbox nothing is outside.
    const scopes = sandbox.writable.length === 0 ? [] : sandbox.scopes.map(({ path }) => path);
    for (const hint of worktreeHints(scopes, sandbox.writable)) log.warn(hint);
    housekeeping.begin();
    control.begin();
  };
  toolbox.warmUp().catch(report(log, "start native tools"));
  // A call that came at once is launched by then, and this is done while its sandbox starts.
  void runner.warmUp().catch(report(log, "keep shells warm")).then(() => new Timers().start(0, rest));
}

/** For what may fail without the server failing. */
function report(log: Logger, what: string): (thrown: unknown) => void {
  return (thrown) => log.warn(`Cannot ${what}`, { error: messageOf(thrown) });
}

function isSame(one: PinnedDirectory, other: PinnedDirectory): boolean {
  return one.path === other.path && one.device === other.device && one.inode === other.inode;
}

/** Writes `text` to a new file of the session's own `directory`, which only commands and this user read (T7). */
export async function writePrivateFile(directory: string, text: string): Promise<PrivateFile> {
  const path = `${directory}/${crypto.randomUUID()}`;
  await Deno.writeTextFile(path, text, { createNew: true, mode: 0o600 });
  return { path, remove: () => Deno.remove(path) };
}
