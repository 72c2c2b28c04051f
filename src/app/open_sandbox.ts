/** A session's sandbox and runner, for every system: later code does not depend on how commands are confined. */
import { messageOf, UsageError, UserError } from "../base/errors.ts";
import type { Logger } from "../base/log.ts";
import type { PublishedPort } from "../base/network/published_port.ts";
import { LinuxRunner } from "../process/linux/linux_runner.ts";
import type { SessionRunner } from "../process/command_runner.ts";
import { chooseShell, type Shell } from "../process/shell.ts";
import { searchPath } from "../system/search_path.ts";
import { missingLayer } from "../sandbox/policy/layers.ts";
import { missingLayers } from "../sandbox/launcher/policy_fallback.ts";
import { absolutePath, placeOf } from "../system/paths.ts";
import { backEndOf, type Platform, thisPlatform } from "../sandbox/policy/platform.ts";
import type { SandboxPolicy } from "../sandbox/policy/policy.ts";
import { missingScope } from "../sandbox/grants/resolve_scopes.ts";
import { prepareSandbox, type Sandbox } from "../sandbox/prepare_linux.ts";
import type { SandboxSettings } from "../sandbox/policy/sandbox_settings.ts";
import type { SessionSandbox } from "../sandbox/settle_paths.ts";
import type { PublishedAs, SandboxFacts, SandboxStatus } from "../service/service.ts";
import { homeOf, insistOnHome } from "../system/user_directories.ts";
import { isInOpenTree, openTrees } from "./writable_trees.ts";
import { keepControlDirectories } from "../control/place/control_directories.ts";
import { keepSettingsPlace, settingsPlace, unkeptSettings } from "./protect_settings.ts";
import { programFiles } from "./program/own_program.ts";
import { codeFiles } from "./program/program_parts.ts";
import { removeSessionDirectories } from "../sandbox/directories/session_directory.ts";
import { groupLine, type TreeBounds, unheldTotal } from "./runner/group_limits.ts";
import type { TotalLimits } from "../sandbox/policy/confinement.ts";
import type { Consent } from "../consent/consent.ts";
import type { PathGrants } from "./runner/allowing_runner.ts";
import { AuditLog } from "./runner/audit_log.ts";
import { AuditedRunner } from "./runner/audited_runner.ts";
import { ExplainedRunner } from "./runner/explained_runner.ts";
import type { SessionSecrets } from "./secrets/open_secrets.ts";
import type { SessionAgent } from "./ssh_agent/open_ssh_agent.ts";
import { secretsLine, sshAgentLine } from "./secrets/status_lines.ts";
import { namesLine, narrowedLines, publishedLine } from "./runner/network_names.ts";
import { openSeatbelt } from "./open_seatbelt.ts";
import { isPathKind } from "../base/command/grant_subject.ts";
import { chosenDirectory } from "../settings/project_directories.ts";
import type { Settings } from "../settings/settings.ts";
import { openingProblem, summaryOfPolicy } from "../settings/policy/held.ts";
import type { Policy } from "../settings/policy/policy.ts";
import { unwrapOrUserError } from "../base/outcome.ts";
import { withRoom } from "./program/disk_space.ts";
import { summaryOf } from "../sandbox/selftest/judge.ts";
import { KeptProof } from "../sandbox/selftest/kept_proof.ts";
import { closedStateDirectory } from "../system/replace/closed_state.ts";

export interface SessionOptions {
  readonly settings: Settings;
  /** The server's own variables. */
  readonly environment: Readonly<Record<string, string>>;
  readonly log: Logger;
  /** Of commands; absent: there are none. */
  readonly secrets?: SessionSecrets | undefined;
  /** Of commands; absent: they have none. */
  readonly agent?: SessionAgent | undefined;
  /** Ends the server, whose sandbox was found not to hold; absent: it is tested before the first command. */
  readonly onBroken?: ((why: string) => void) | undefined;
  /** Absent: this machine. */
  readonly platform?: Platform;
}

export interface Session {
  readonly sandbox: SessionSandbox;
  /** Writes to the audit log where one is wanted. */
  readonly runner: SessionRunner;
  /** Undefined: none is wanted. */
  readonly audit: AuditLog | undefined;
  /** Asks a person for what commands are denied; undefined: none is asked. */
  readonly consent: Consent | undefined;
  readonly status: SandboxStatus;
  /** See `Service.sandboxFacts`; absent: nothing is reported. */
  readonly sandboxFacts?: () => Promise<SandboxFacts>;
  /** Publishes ports of commands. @throws {UserError} When one is taken. Absent: commands listen on this machine itself. */
  readonly publish?: (ports: readonly PublishedPort[]) => Promise<PublishedAs>;
  /** Opens paths to commands while the session lives; absent: nothing does. */
  readonly grants?: PathGrants;
  /** What the sandbox keeps from what a program mentioned; absent: nothing is reported. */
  readonly explain?: ExplainedRunner["explain"];
}

/**
 * Opens the sandbox. Disposing `stack` stops the runner and removes the session's directories.
 *
 * @throws {UserError} when the sandbox, a scope, the shell or the audit log is not to be had (S12)
 */
export async function openSession(options: SessionOptions, stack: AsyncDisposableStack): Promise<Session> {
  const { settings: { auditLog: file, policy }, log } = options;
  insistOnPolicy(options);
  const { insistOn, ...session } = await openUnaudited(options);
  const { directories, writable: open, warnings } = session.sandbox;
  for (const warning of warnings) log.warn(warning);
  stack.defer(async () => {
    await removeSessionDirectories(directories).catch((thrown: unknown) =>
      log.warn("Cannot remove the session's directory", { error: messageOf(thrown) })
    );
  });
  const audit = file === undefined
    ? undefined
    : await AuditLog.open({ file, directory: Deno.cwd(), open, policy, log });
  const { runner: asking, consent, status } = options.settings.asks.length === 0
    ? { ...session, consent: undefined }
    : (await import("./runner/open_consent.ts")).openConsent({ ...session, ...options, audit }, stack);
  const opened = audit?.ok === true ? audit.value : undefined;
  const signing = options.agent?.serve(asking, { ...session, audit: opened, consent }, stack) ?? asking;
  const runner = stack.use(opened === undefined ? signing : new AuditedRunner(signing, opened));
  if (audit?.ok === false) throw new UserError(audit.problem);
  await insistOn?.();
  return { ...session, runner, consent, status: withPolicy(status, policy), audit: audit?.value };
}

/** Servers of others and native tools have sandboxes of their own, which open more than that of commands. */
function insistOnPolicy({ settings: { policy, sandbox }, environment }: SessionOptions): void {
  const problem = openingProblem(policy, sandbox);
  if (problem !== undefined) throw new UserError(`Cannot open the sandbox: ${problem}`);
  if (policy !== undefined && sandbox.enforce && isInOpenTree(policy.file, openTrees(sandbox, environment))) {
    throw new UserError(
      `Cannot enforce policy "${policy.file}": commands can write where it is. Choose another scope or --write directory`,
    );
  }
}

function withPolicy(status: SandboxStatus, policy: Policy | undefined): SandboxStatus {
  if (policy === undefined) return status;
  const { summary, details } = status;
  return {
    ...status,
    details: async () => `${await (details?.() ?? summary)}\nPolicy: ${summaryOfPolicy(policy)}`,
  };
}

interface UnauditedSession extends Omit<Session, "audit" | "consent"> {
  /** Asks the kernel before the first client is served. @throws {UserError} */
  readonly insistOn?: () => Promise<void>;
}

async function openUnaudited(options: SessionOptions): Promise<UnauditedSession> {
  const { settings, environment, log, secrets, agent, platform = thisPlatform() } = options;
  if (settings.sandbox.enforce) insistOnHome(environment);
  const backEnd = unwrapOrUserError(backEndOf(platform));
  const found = chooseShell(settings.shell, searchPath(environment["PATH"]));
  if (!found.ok && settings.shell !== undefined) throw new UsageError(found.problem);
  const shell = unwrapOrUserError(found);
  const chosen = { ...sandboxSettings(settings, shell, environment), secrets: secrets?.shown, agent: agent?.shown };
  const missing = missingScope(chosen);
  if (missing !== undefined) throw new UsageError(missing);
  if (backEnd === "seatbelt" && chosen.confinement.totals !== undefined) throw new UserError(NO_TOTALS);
  if (backEnd === "seatbelt") return await openSeatbelt(chosen, { shell, platform, logger: log });
  const open = settings.sandbox.enforce ? openTrees(settings.sandbox, environment) : [];
  const ownSettings = settings.sandbox.enforce && keepSettingsPlace(environment, open);
  if (open.length > 0) keepControlDirectories(environment, (path) => isInOpenTree(path, open));
  const sandbox = unwrapOrUserError(withRoom(() => prepareSandbox(chosen)));
  const { pool, reuse, fork } = settings;
  const { limits, totals } = settings.sandbox.confinement;
  const linux = {
    sandbox,
    shell,
    pool,
    reuse,
    fork,
    logger: log,
    terminator: secrets?.terminator,
    limits: { memory: totals?.memory, tasks: limits.processes },
    proof: keptProof(sandbox, options),
  };
  const allowing = sandbox.guard !== undefined && settings.asks.some(isPathKind)
    ? new (await import("./runner/allowing_runner.ts")).AllowingRunner(linux, settings.policy)
    : undefined;
  const first = allowing?.current ?? new LinuxRunner(linux);
  const current = () => allowing?.current ?? first;
  const explained = allowing ??
    (sandbox.guard === undefined ? undefined : new ExplainedRunner(first, sandbox, settings.policy));
  return {
    sandbox,
    runner: explained ?? first,
    ...allowing !== undefined && { grants: allowing },
    ...explained !== undefined && { explain: (command) => explained.explain(command) },
    status: sandboxStatus(sandbox, current, settings),
    ...sandbox.guard !== undefined && settings.sandbox.confinement.network !== "full" && {
      publish: async (ports) => {
        await first.publish(ports);
        return (inside) => current().published.find((one) => one.inside === inside && one.isHeard === true)?.port;
      },
    },
    ...sandbox.guard !== undefined && { sandboxFacts: () => sandboxFacts(sandbox, current()) },
    insistOn: async () => {
      await insistOn(settings, sandbox, first);
      if (totals !== undefined) await insistOnTotals(totals, first);
      if (agent !== undefined) await insistOnSockets(first);
      if (ownSettings && (await first.policy)?.namespaces !== true) throw unkeptSettings(environment);
    },
  };
}

/** Undefined: none would be used. */
function keptProof(
  { writable }: Sandbox,
  { settings: { sandbox: { enforce } }, environment, onBroken, log }: SessionOptions,
): KeptProof | undefined {
  if (!enforce || onBroken === undefined) return undefined;
  const directory = () => closedStateDirectory(environment, writable, "proofs");
  return new KeptProof({ directory, program: () => codeFiles().map(placeOf), onBroken, log });
}

const NO_TOTALS = "Cannot enforce --limit-memory-total or --limit-tasks on macOS, which has no control groups. Use " +
  "--limit-memory and --limit-processes, which limit each process";

function sandboxSettings(
  settings: Settings,
  shell: Shell,
  environment: SessionOptions["environment"],
): SandboxSettings {
  return {
    ...settings.sandbox,
    workingDirectory: Deno.cwd(),
    home: homeOf(environment),
    own: ownPaths(settings, environment),
    shell: shell.path,
    serverEnvironment: environment,
  };
}

/** Our own files that may lie in a writable tree, where commands may not change them. */
function ownPaths(
  settings: Settings,
  environment: SessionOptions["environment"],
): readonly string[] {
  const { toolsDirectory, mcpConfigs, prompts } = settings;
  const named = [toolsDirectory ?? [], mcpConfigs, prompts.directory ?? [], prompts.userDirectory ?? []].flat();
  const obeyed = (["flows", "rules"] as const).flatMap((kind) => chosenDirectory(settings, kind) ?? []);
  const tools = named.map((path) => absolutePath(path, Deno.cwd()));
  return [...[...tools, ...obeyed, ...programFiles()].map(placeOf), settingsPlace(environment) ?? []].flat();
}

/**
 * Asks the kernel before the first client is served, if the answer decides whether serving is allowed.
 * @throws {UserError} When a required layer is missing, the network by name cannot be had, or credentials in reach of commands cannot be hidden.
 */
async function insistOn(
  { sandbox: { requiredLayers, confinement } }: Settings,
  { guard }: Sandbox,
  runner: LinuxRunner,
): Promise<void> {
  const hasNames = confinement.network === "names";
  if (guard === undefined || requiredLayers.length === 0 && guard.hidden.length === 0 && !hasNames) return;
  const [asked] = await Promise.allSettled([runner.policy]);
  if (asked.status === "rejected") throw new UserError(messageOf(asked.reason));
  const problem = asked.value && missingLayer(requiredLayers, asked.value);
  if (problem !== undefined) throw new UserError(problem);
  await runner.checkGuard();
}

/** @throws {UserError} When a limit of a whole tree cannot be held here. */
async function insistOnTotals(totals: TotalLimits, runner: LinuxRunner): Promise<void> {
  const problem = unheldTotal(totals, await treeBounds(runner));
  if (problem !== undefined) throw new UserError(problem);
}

async function treeBounds(runner: LinuxRunner): Promise<TreeBounds> {
  return { groups: await runner.groups, policy: await runner.policy };
}

/** @throws {UserError} When commands cannot reach the socket of their ssh agent. */
async function insistOnSockets(runner: LinuxRunner): Promise<void> {
  if ((await runner.policy)?.confinement.unixSockets === "private") return;
  throw new UserError(
    "Cannot use --ssh-agent: this system gives commands no Unix sockets of their own (`doctor` says what is missing)",
  );
}

/** Rejects where no command would be run. */
async function sandboxFacts({ scopes, abi }: Sandbox, runner: LinuxRunner): Promise<SandboxFacts> {
  await runner.confirm();
  const paths = scopes.map(({ path }) => path);
  return { scope: paths[0] ?? "", ...paths.length > 1 && { scopes: paths }, abi };
}

function sandboxStatus(sandbox: Sandbox, current: () => LinuxRunner, settings: Settings): SandboxStatus {
  const groups = async () => groupLine(await treeBounds(current()));
  if (sandbox.guard === undefined) {
    const { network } = settings.sandbox.confinement;
    const open = network === "full" ? "" : `; --network ${network} does NOT hold`;
    return {
      enforced: false,
      summary: `off (--no-sandbox): commands run with all rights of the server's user${open}`,
      groups,
    };
  }
  const gaps = sandbox.missing.length === 0 ? "" : `; ${sandbox.missing.length} gaps on this kernel, see \`status\``;
  const summary = `Landlock ABI ${sandbox.abi}${gaps}`;
  return {
    enforced: true,
    summary,
    groups,
    details: async () => {
      const runner = current();
      const [settled] = await Promise.allSettled([runner.policy]);
      if (settled.status === "rejected") return `${summary}; not tried yet: ${messageOf(settled.reason)}`;
      const { policy } = sandbox;
      const layers = [summary, ...policy && settled.value ? layersOf(policy, settled.value) : []].join(", ");
      const missing = sandbox.missing.map((gap) => `\nNot enforced on this kernel: ${gap}`).join("");
      const closed = runner.closedSockets === undefined ? "" : `\n${runner.closedSockets}`;
      const used = namesLine(sandbox.policy?.confinement, runner.networkTotals) + narrowedLines(runner.narrowedTotals);
      const names = used + secretsLine(settings.secrets) + sshAgentLine(settings.sshAgent) +
        publishedLine(runner.published);
      return `${layers}${missing}${closed}${names}\n${await selfTestLine(runner)}`;
    },
  };
}

/** What holds in addition to Landlock, and what does not hold on this system. */
function layersOf(wanted: SandboxPolicy, settled: SandboxPolicy): readonly string[] {
  const { filter, network, ownNetwork, unixSockets } = settled.confinement;
  return [
    settled.namespaces ? "mount and PID namespaces" : WITHOUT_NAMESPACES,
    ...settled.root === undefined ? [] : ["its own root"],
    ...filter ? ["system calls filtered"] : [],
    network === "names" ? "network by name" : `network ${network}${ownNetwork ? " (private)" : ""}`,
    ...unixSockets === "private" ? ["Unix sockets of their own"] : [],
    ...filter && unixSockets === "deny" ? ["no Unix sockets"] : [],
    ...missingLayers(wanted, settled).map((gap) => `NOT HELD: ${gap}`),
  ];
}

/** What is not held without them. */
const WITHOUT_NAMESPACES = "NO namespaces on this system: commands can change modes, owners and times of files " +
  "outside that this user owns, and what they leave in a new session outlives a killed server";

/** The result of the sandbox's self-test on one line (S3, S17), with what could not be tried. */
async function selfTestLine(runner: Pick<LinuxRunner, "selfTest">): Promise<string> {
  const [tried] = await Promise.allSettled([runner.selfTest]);
  if (tried.status === "rejected") return `Self-test: not run yet: ${messageOf(tried.reason)}`;
  return tried.value === undefined ? "Self-test: none, there is no sandbox" : `Self-test: ${summaryOf(tried.value)}`;
}
