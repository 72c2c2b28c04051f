/**
 * The only place that builds the rooms and joins them. Each gets what it needs by constructor; what was opened is
 * closed in the reverse order by one stack, also when a later step refuses to go on.
 */
import { messageOf, UserError } from "../base/errors.ts";
import type { Logger } from "../base/log.ts";
import type { Outcome } from "../base/outcome.ts";
import { openScope } from "../base/scope.ts";
import { VERSION } from "../base/version.ts";
import type { LiveCatalog } from "../catalog/live_catalog.ts";
import { OperationRegistry } from "../operation/registry.ts";
import { SandboxedRunner } from "../process/runner.ts";
import { chooseShell, type Shell } from "../process/shell.ts";
import { searchPath } from "../sandbox/environment.ts";
import { missingLayers } from "../sandbox/narrowed.ts";
import type { SandboxPolicy } from "../sandbox/policy.ts";
import { missingLayer } from "../sandbox/layers.ts";
import { absolutePath, parentOf, realPath } from "../sandbox/paths.ts";
import { prepareSandbox, type Sandbox } from "../sandbox/prepare.ts";
import { removeSessionDirectories, removeStaleSessions } from "../sandbox/session_directory.ts";
import { DEFAULT_INLINE_LIMITS, type SandboxStatus, type Service, type ServiceSettings } from "../service/service.ts";
import { serveStdioConnection, type StdioStreams } from "../service/stdio_connection.ts";
import { AuditLog } from "./audit_log.ts";
import { embeddedTools } from "./embedded.ts";
import { failureExplainer } from "./explain_failure.ts";
import { liveTools } from "./live_tools.ts";
import { PrivateFiles } from "./private_files.ts";
import { selfTestLine } from "./self_test_line.ts";
import type { Settings } from "./settings.ts";

export interface ComposeOptions {
  readonly settings: Settings;
  /** The server's own variables. */
  readonly environment: Readonly<Record<string, string>>;
  readonly log: Logger;
}

/** The joined rooms; disposing of them closes every one. */
export interface Program extends AsyncDisposable {
  /** For subcommands that call tools themselves. */
  readonly service: Service;
  /** For subcommands that talk with a command. */
  readonly runner: SandboxedRunner;
  readonly sandbox: Sandbox;
  /** Speaks MCP until the client is gone or `stop` aborts, and everything that ran has ended (X14). */
  serve(io: StdioStreams): Promise<void>;
  /** Does what was put off until a client has been answered. */
  afterFirstAnswer(): void;
}

/**
 * Builds everything and serves nobody yet.
 *
 * @throws {UserError} when the sandbox, a scope, the shell or a bundle is not to be had (S12)
 */
export async function compose({ settings, environment, log }: ComposeOptions): Promise<Program> {
  await using stack = new AsyncDisposableStack();
  const shell = orRefuse(chooseShell(settings.shell, searchPath(environment["PATH"])));
  const sandbox = orRefuse(prepareSandbox(sandboxSettings(settings, shell, environment)));
  stack.defer(() => removeSessionDirectories(sandbox.directories).catch(report(log, "remove the session's directory")));
  const audit = await openAudit(settings, sandbox, log);
  if (audit !== undefined) stack.use(audit);
  const runner = stack.use(new SandboxedRunner({ sandbox, shell, pool: settings.pool, logger: log }));
  await insistOn(settings, sandbox, runner);
  const scope = await openScope(sandbox.scopes.map((directory) => directory.path));
  const bundled = await embeddedTools(settings.bundles);
  const path = sandbox.environment["PATH"];
  const tools = stack.use(liveTools({ settings, bundled, runner, scope, path, log }));
  const status = sandboxStatus(sandbox, runner, settings);
  log.info("Ready", { sandbox: status.summary, scopes: scope.roots });
  for (const gap of sandbox.missing) log.warn("Sandbox incomplete on this kernel", { gap });
  const files = new PrivateFiles(sandbox.directories.files);
  const service: Service = {
    info: { name: "ahma_mcp", version: VERSION },
    catalog: () => tools.current(),
    ...settings.hotReload && { onCatalogChange: (listener: () => void) => tools.subscribe(listener) },
    runner,
    registry: new OperationRegistry({ maxConcurrency: settings.maxConcurrency, log }),
    scope,
    settings: serviceSettings(settings, status),
    writePrivateFile: (text) => files.write(text),
    ...audit !== undefined && { audit },
    ...sandbox.policy !== undefined && { explainFailure: failureExplainer(sandbox, runner) },
    log,
  };
  const rooms = stack.move();
  return {
    service,
    runner,
    sandbox,
    serve: (io) => serveStdioConnection(service, io),
    afterFirstAnswer: () => afterFirstAnswer({ runner, sandbox, tools, log }),
    [Symbol.asyncDispose]: () => rooms.disposeAsync(),
  };
}

/** @throws {UserError} when the audit log will not do: nothing runs that it does not tell */
async function openAudit(settings: Settings, sandbox: Sandbox, log: Logger): Promise<AuditLog | undefined> {
  if (settings.auditLog === undefined) return undefined;
  const open = sandbox.policy?.writable.map(({ path }) => path) ?? [];
  return orRefuse(await AuditLog.open({ file: settings.auditLog, directory: Deno.cwd(), open, log }));
}

interface Later extends Pick<ComposeOptions, "log"> {
  readonly runner: SandboxedRunner;
  readonly sandbox: Sandbox;
  readonly tools: LiveCatalog;
}

function afterFirstAnswer({ runner, sandbox, tools, log }: Later): void {
  tools.current().catch(report(log, "read the tool files"));
  runner.warmUp().catch(report(log, "keep shells warm"));
  removeStaleSessions(parentOf(sandbox.directories.root)).then(({ problems }) => {
    for (const problem of problems) log.warn(problem);
  }).catch(report(log, "remove what killed sessions left"));
}

/** For what may fail without the server failing. */
function report(log: Logger, what: string): (thrown: unknown) => void {
  return (thrown) => log.warn(`Cannot ${what}`, { error: messageOf(thrown) });
}

function sandboxSettings(settings: Settings, shell: Shell, environment: ComposeOptions["environment"]) {
  return {
    scopes: settings.scopes,
    workingDirectory: Deno.cwd(),
    // A HOME that is no absolute path says nothing.
    home: environment["HOME"]?.startsWith("/") === true ? environment["HOME"] : undefined,
    allowBroad: settings.allowBroadScope,
    enforce: settings.sandbox,
    reads: settings.readable,
    writes: settings.writable,
    protect: settings.protect,
    allowProtected: settings.allowProtected,
    own: ownPaths(settings),
    allowSensitive: settings.allowSensitive,
    strict: settings.strict,
    environmentNames: settings.passedVariables,
    temporaryFiles: settings.tempFiles,
    requireAbi: settings.requiredAbi,
    confinement: settings.confinement,
    shell: shell.path,
    serverEnvironment: environment,
  };
}

/** What is ours and lies in a writable tree in some settings, where commands may not change it. */
function ownPaths({ toolsDirectory }: Settings): readonly string[] {
  return [toolsDirectory].filter((path) => path !== undefined)
    .map((path) => realPath(absolutePath(path, Deno.cwd()))).filter((path) => path !== undefined);
}

/**
 * Asks the kernel before anybody is served, where the answer decides whether anybody may be.
 * @throws {UserError} When a required layer is missing, or credentials in reach of commands cannot be hidden.
 */
async function insistOn({ requiredLayers }: Settings, { guard }: Sandbox, runner: SandboxedRunner): Promise<void> {
  if (guard === undefined || requiredLayers.length === 0 && guard.hidden.length === 0) return;
  const [asked] = await Promise.allSettled([runner.policy]);
  if (asked.status === "rejected") throw new UserError(messageOf(asked.reason));
  const problem = asked.value && missingLayer(requiredLayers, asked.value);
  if (problem !== undefined) throw new UserError(problem);
  await runner.checkGuard();
}

function serviceSettings(settings: Settings, sandbox: SandboxStatus): ServiceSettings {
  return {
    synchronous: settings.synchronous,
    defaultTimeoutSeconds: settings.timeoutSeconds,
    inline: { bytes: settings.maxInlineBytes, lines: DEFAULT_INLINE_LIMITS.lines },
    inlineWaitMs: settings.inlineWaitMs,
    keepAnsi: settings.keepAnsi,
    sandbox,
  };
}

function sandboxStatus(sandbox: Sandbox, runner: SandboxedRunner, settings: Settings): SandboxStatus {
  if (sandbox.policy === undefined) {
    const { network } = settings.confinement;
    const open = network === "full" ? "" : `; --network ${network} does NOT hold`;
    return { enforced: false, summary: `off (--no-sandbox): commands run with all rights of the server's user${open}` };
  }
  const gaps = sandbox.missing.length === 0 ? "" : `; ${sandbox.missing.length} gaps on this kernel, see \`status\``;
  const summary = `Landlock ABI ${sandbox.abi}${gaps}`;
  return {
    enforced: true,
    summary,
    details: async () => {
      const [settled] = await Promise.allSettled([runner.policy]);
      if (settled.status === "rejected") return `${summary}; not tried yet: ${messageOf(settled.reason)}`;
      const { policy } = sandbox;
      const layers = [summary, ...policy && settled.value ? layersOf(policy, settled.value) : []].join(", ");
      const missing = sandbox.missing.map((gap) => `\nNot enforced on this kernel: ${gap}`).join("");
      return `${layers}${missing}\n${await selfTestLine(runner)}`;
    },
  };
}

/** What holds besides Landlock, and what does not hold on this system. */
function layersOf(wanted: SandboxPolicy, settled: SandboxPolicy): readonly string[] {
  const { filter, network, ownNetwork, unixSockets } = settled.confinement;
  return [
    settled.namespaces ? "mount and PID namespaces" : WITHOUT_NAMESPACES,
    ...filter ? ["system calls filtered"] : [],
    `network ${network}${ownNetwork ? " (of its own)" : ""}`,
    ...filter && unixSockets === "deny" ? ["no Unix sockets"] : [],
    ...missingLayers(wanted, settled).map((gap) => `NOT HELD: ${gap}`),
  ];
}

/** What is not held without them. */
const WITHOUT_NAMESPACES = "NO namespaces on this system: commands can change modes, owners and times of files " +
  "outside that this user owns, and what they leave in a session of its own outlives a killed server";

function orRefuse<Value>(outcome: Outcome<Value>): Value {
  if (outcome.ok) return outcome.value;
  throw new UserError(outcome.problem);
}
