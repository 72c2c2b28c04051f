/** Runs commands in the session's sandbox, from the request to the end of the process tree. */
import type { CommandEnd } from "../../base/command/command_end.ts";
import { messageOf } from "../../base/errors.ts";
import type { Terminator } from "../../relay/terminator.ts";
import type { Logger } from "../../base/log.ts";
import type { Outcome } from "../../base/outcome.ts";
import type { PublishedPort } from "../../base/network/published_port.ts";
import { withTimeout } from "../../base/time.ts";
import type { SandboxPolicy } from "../../sandbox/policy/policy.ts";
import type { Sandbox } from "../../sandbox/prepare_linux.ts";
import type { SelfTestReport } from "../../sandbox/selftest/judge.ts";
import type {
  CommandHooks,
  CommandRequest,
  OpenCommand,
  OpenRequest,
  OpenShell,
  SessionRunner,
} from "../command_runner.ts";
import type { ControlGroups } from "../groups/control_groups.ts";
import type { GroupLimits } from "../groups/group_usage.ts";
import type { KeptProof } from "../../sandbox/selftest/kept_proof.ts";
import { ProcessesBelow } from "../processes_below.ts";
import { LineShell, runWithin, type StartedShell } from "../open_shell/line_shell.ts";
import { openShellArguments, type Shell } from "../shell.ts";
import { askProgram } from "../spawn.ts";
import { type LaunchTools, OpenLaunch, RunLaunch } from "./launch.ts";
import type { GitConfig } from "./git_config/open_git_config.ts";
import { LaunchImages } from "./launch/launch_images.ts";
import { previewedPolicy } from "./launch/previewed_policy.ts";
import { retryLaunch } from "./launch/retry_launch.ts";
import type { PublicationState } from "./network/named_network.ts";
import type { NamedTotals } from "./network/network_users.ts";
import { PrewarmedProcesses } from "./process_pool.ts";
import { ShellWatch } from "./protection/shell_watch.ts";
import { ProtectedState } from "./protection/protected_state.ts";
import type { ForeignSockets, SearchTimes } from "./sockets/foreign_sockets.ts";
import { openForeignSockets } from "./sockets/open_foreign_sockets.ts";
import type { NarrowedTotals } from "./readiness/narrowed_networks.ts";
import { Readiness } from "./readiness/readiness.ts";
import { SessionParts } from "./session_parts.ts";

export interface LinuxRunnerOptions {
  readonly sandbox: Sandbox;
  readonly shell: Shell;
  /** False: every command is launched on demand. */
  readonly pool: boolean;
  /** Whether a sandbox may run several commands, one after another; false: each command gets a new one. */
  readonly reuse: boolean;
  /** Whether the shell of such a sandbox may fork for each line; false: each line starts a shell. */
  readonly fork: boolean;
  readonly logger: Logger;
  /** Ends the TLS of hosts that secrets are bound to; absent: there are none. */
  readonly terminator?: Terminator | undefined;
  /** Of the tree of each launch; absent: launches have no control groups. */
  readonly limits?: GroupLimits;
  /** How long sockets of other programs are searched for; absent: as usual. */
  readonly searchTimes?: SearchTimes;
  /** That an earlier server passed the self-test; absent: this one passes it before its first command. */
  readonly proof?: KeptProof | undefined;
  /** Shared with other sandboxes of the session; absent: there are none. */
  readonly parts?: SessionParts;
}

/** The server ends even when a process cannot be ended (one that hangs in the kernel, say). */
const SHUTDOWN_TIMEOUT_MS = 5_000;

/** A runner that owns processes; dispose it when the session ends. */
export class LinuxRunner implements SessionRunner {
  readonly #options: LinuxRunnerOptions;
  readonly #tools: LaunchTools;
  /** Undefined: `--no-sandbox`. */
  readonly #protectedState: ProtectedState | undefined;
  readonly #gitConfig: GitConfig | undefined;
  readonly #sockets: ForeignSockets;
  readonly #readiness: Readiness;
  readonly #parts: SessionParts;
  /** Trees whose result is known and whose last processes are ending. */
  readonly #departing = new Set<Promise<void>>();

  constructor(options: LinuxRunnerOptions) {
    this.#options = options;
    const { sandbox, shell, logger } = options;
    const parts = this.#parts = options.parts ?? new SessionParts(options);
    parts.join();
    const { spawner, ownChanges, network, once, groups, commands, repositoriesIn } = parts;
    const images = new LaunchImages({ sandbox, shell, spawner, onStale: () => prewarmed.invalidate() });
    const prewarmed = new PrewarmedProcesses({
      images,
      spawner,
      shell,
      reuse: options.reuse,
      fork: options.fork,
      logger,
    });
    this.#gitConfig = parts.gitConfigOf(sandbox);
    this.#sockets = openForeignSockets({ ...options, looker: spawner });
    const protectedState = sandbox.guard && new ProtectedState({
      plan: sandbox.guard,
      looker: spawner,
      logger,
      ask: askProgram,
      images,
      ownChanges,
      commands,
      repositoriesIn,
      gitConfig: this.#gitConfig,
      sockets: this.#sockets,
    });
    this.#protectedState = protectedState;
    this.#readiness = new Readiness({
      sandbox,
      spawner,
      images,
      protectedState,
      sockets: this.#sockets,
      network,
      once,
      groups,
      proof: options.proof,
      logger,
    });
    const { users } = network;
    this.#tools = { spawner, images, prewarmed, protectedState, shell, logger, users, departing: this.#departing };
  }

  /** The policy in force; undefined: `--no-sandbox`. @throws {Error} When the kernel cannot say it just now. */
  get policy(): Promise<SandboxPolicy | undefined> {
    return this.#readiness.policy;
  }

  /** The self-test's result (S3); undefined: `--no-sandbox`. @throws {Error} When it cannot run just now. */
  get selfTest(): Promise<SelfTestReport | undefined> {
    return this.#readiness.selfTest;
  }

  /** The control groups of launches. The problem is why there are none. */
  get groups(): Promise<Outcome<ControlGroups>> {
    return this.#parts.groups();
  }

  /** Protected paths that commands see read-only at this moment, canonical; without namespaces none. */
  get readOnly(): readonly string[] {
    return this.#tools.images.readOnly;
  }

  /** Unix sockets of other programs that were in reach of the last command, and covered. */
  get coveredSockets(): readonly string[] {
    return this.#sockets.covered.map(({ path }) => path);
  }

  /** Why commands have no Unix sockets, though the policy gives them their own; undefined: they have. */
  get closedSockets(): string | undefined {
    return this.#sockets.closed;
  }

  /** What the session's commands did in their network by name; empty: it has none, or they did nothing there. */
  get networkTotals(): readonly NamedTotals[] {
    return this.#parts.network.users.totals;
  }

  /** The lists of tool files that are open, with what their commands did there. */
  get narrowedTotals(): readonly NarrowedTotals[] {
    return this.#parts.narrowed.totals;
  }

  /** Leads ports of this machine's loopback into the network of commands. @throws {UserError} When one is taken. */
  async publish(ports: readonly PublishedPort[]): Promise<void> {
    await this.#parts.network.publish(ports);
  }

  /** The published ports; empty: there are none. */
  get published(): readonly PublicationState[] {
    return this.#parts.network.published;
  }

  /** Settles when the sandbox has passed its self-test. @throws {Error} When no command would be run, with the reason (S17). */
  async confirm(): Promise<void> {
    await this.#readiness.policyForCommand();
  }

  /** @throws {UserError} When commands could read what must stay hidden, so that none would be run. */
  async checkGuard(): Promise<void> {
    this.#protectedState?.look(await this.policy);
  }

  /** Runs the self-test and prewarms processes. Useful once the first bytes of MCP have been answered. */
  async warmUp(): Promise<void> {
    const policy = await this.policy;
    this.#readiness.test();
    const { prewarmed } = this.#tools;
    if (!this.#options.pool || prewarmed.isStarted) return;
    this.#protectedState?.look(policy);
    prewarmed.start(policy);
  }

  async run(request: CommandRequest, hooks: CommandHooks): Promise<CommandEnd> {
    if (request.within !== undefined) return await runWithin(request.within, request, hooks);
    const guarded = this.#protectedState?.begin();
    try {
      // If no wait is needed, the command is launched before its start is announced.
      const policy = this.#readiness.readyPolicy ?? await this.#readiness.policyForCommand();
      const isNarrower = request.network !== undefined && policy !== undefined && request.offline !== true;
      const narrowed = isNarrower ? await this.#parts.narrowed.lease(policy, request.network, this.#tools) : undefined;
      const { view } = request;
      const plain = narrowed?.policy ?? policy;
      const launch = new RunLaunch(this.#tools, {
        request,
        hooks,
        policy: view === undefined ? plain : previewedPolicy(plain, view, (path) => this.#parts.spawner.lookAt(path)),
        guarded,
        narrowed,
      });
      try {
        const end = await retryLaunch(launch);
        if (view !== undefined) await Promise.all(launch.trees.map(({ gone }) => gone));
        await launch.tellChanges();
        return end;
      } finally {
        void Promise.allSettled(launch.trees.map(({ gone }) => gone)).then(() => narrowed?.release());
      }
    } catch (error) {
      this.#protectedState?.abandon(guarded);
      if (!(error instanceof Error)) throw error;
      return { kind: "not_started", message: `Cannot start the command: ${messageOf(error)}`, fault: "server" };
    } finally {
      this.#tools.prewarmed.refill();
    }
  }

  /** @throws {Error} When the system cannot start a process. */
  async open(request: OpenRequest, hooks: CommandHooks): Promise<OpenCommand> {
    return (await this.#open(request, hooks)).command;
  }

  /** @throws {Error} When it cannot be started. */
  async openShell(directory: string): Promise<OpenShell> {
    const argv = openShellArguments(this.#options.shell);
    return await LineShell.start(
      (hooks) => this.#open({ run: { argv }, directory, environment: {} }, hooks),
      directory,
    );
  }

  async #open(request: OpenRequest, hooks: CommandHooks): Promise<StartedShell> {
    const policy = await this.#readiness.policyForCommand();
    const guarded = this.#protectedState?.begin();
    const launch = new OpenLaunch(this.#tools, { request, hooks, policy, guarded });
    const opened = await retryLaunch(launch).catch((error) => {
      this.#protectedState?.abandon(guarded);
      throw error;
    });
    await launch.closeOthers(opened);
    const { tree } = opened;
    const { spawner } = this.#tools;
    const guard = this.#protectedState && guarded && policy &&
      new ShellWatch(this.#protectedState, guarded, policy, spawner);
    return {
      command: {
        stdin: tree.stdin,
        end: tree.end.finally(() => launch.tellChanges()),
        processes: new ProcessesBelow(() => tree.root, spawner.processes),
        guard,
      },
      guard,
    };
  }

  /** Settles when no process of a command whose result is known, or of the self-test, is left. */
  async settled(): Promise<void> {
    await Promise.all([...this.#departing, this.#readiness.settled()]);
  }

  /** Ends what waits for commands: others follow under another policy. */
  async retire(): Promise<void> {
    await this.#tools.prewarmed.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { prewarmed, images, logger } = this.#tools;
    if (this.#parts.isLast) this.#parts.network.unpublish();
    this.#sockets.stop();
    this.#readiness.stop();
    await this.#readiness.settled();
    await prewarmed.close();
    await withTimeout(this.settled(), SHUTDOWN_TIMEOUT_MS);
    await this.#gitConfig?.made.settle({ quiet: this.#protectedState?.isQuiet ?? false });
    const commands = this.#departing.size;
    if (commands > 0) {
      // Killing the remaining processes still needs the C library, so it stays loaded until the program exits.
      return logger.error("Processes of commands could not be ended", { commands });
    }
    images[Symbol.dispose]();
    this.#protectedState?.[Symbol.dispose]();
    this.#sockets[Symbol.dispose]();
    await this.#parts.leave(this.#gitConfig);
  }
}
