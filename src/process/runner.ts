/** Runs commands in the session's sandbox: the journey of research/launcher.md, from request to end of the tree. */
import type { Logger } from "../base/log.ts";
import { messageOf } from "../base/errors.ts";
import { searchPath } from "../sandbox/environment.ts";
import { launchTable, policyTable } from "../sandbox/launcher/steps.ts";
import type { Table } from "../sandbox/launcher/table.ts";
import type { GuardView } from "../sandbox/guard.ts";
import type { LaunchCommand, SandboxPolicy } from "../sandbox/policy.ts";
import type { Sandbox } from "../sandbox/prepare.ts";
import type { CommandEnd, CommandHooks, CommandRequest, CommandRunner } from "./command_runner.ts";
import { type HeldNetwork, holdEmptyNetwork } from "./empty_network.ts";
import { launchAgain } from "./launch_again.ts";
import { settleNamespaces } from "./namespaces.ts";
import { logReport, refusalFor, runSelfTest, type SelfTestReport } from "./sandbox_trial.ts";
import { SessionGuard } from "./session_guard.ts";
import { handOver, lineArguments, type Shell, waitingArguments } from "./shell.ts";
import { ShellPool } from "./shell_pool.ts";
import { type LauncherImage, type LauncherProcess, Spawner } from "./spawn.ts";
import { supervise, type Supervised } from "./supervise.ts";

export interface RunnerOptions {
  readonly sandbox: Sandbox;
  readonly shell: Shell;
  /** False: every command is launched when it is asked for. */
  readonly pool: boolean;
  readonly logger: Logger;
}

/** A command that is talked with while it runs. */
export interface OpenRequest extends Omit<CommandRequest, "stdin"> {
  /** An existing file, which the command's stderr is appended to. */
  readonly stderrFile: string;
}

/** A command that was opened; its output goes to the hooks it was opened with. */
export interface OpenCommand {
  /** Closing it is how most such commands are asked to end. */
  readonly stdin: WritableStream<Uint8Array>;
  /** How it ended; never rejects. */
  readonly end: Promise<CommandEnd>;
}

/** A runner that owns processes; dispose it when the session ends. */
export class SandboxedRunner implements CommandRunner, AsyncDisposable {
  readonly #options: RunnerOptions;
  readonly #spawner: Spawner;
  #policy: Promise<SandboxPolicy | undefined> | undefined;
  #selfTest: Promise<SelfTestReport | undefined> | undefined;
  /** Trees whose result is known and whose last processes are on their way out. */
  readonly #departing = new Set<Promise<void>>();
  #policyTable: Table | undefined;
  #waitingImage: LauncherImage | undefined;
  #pool: ShellPool | undefined;
  /** Undefined: nothing is guarded. */
  readonly #guard: SessionGuard | undefined;
  /** What table, image and waiting shells were made for. */
  #guarded: GuardView | undefined;
  /** The network that commands share; undefined: none of them does. */
  #network: HeldNetwork | undefined;
  /** Settles when the repositories below the scopes are known. */
  #repositories: Promise<void> | undefined;

  constructor(options: RunnerOptions) {
    this.#options = options;
    this.#spawner = new Spawner(options.sandbox.processor, options.sandbox.directories.root);
    const { guard } = options.sandbox;
    this.#guard = guard && new SessionGuard({ plan: guard, looker: this.#spawner, logger: options.logger });
    this.#policy = this.#settle();
  }

  /**
   * The policy in force, once the kernel was asked about namespaces; undefined: `--no-sandbox`.
   * @throws {Error} When the kernel could not be asked just now.
   */
  get policy(): Promise<SandboxPolicy | undefined> {
    return this.#policy ??= this.#settle();
  }

  /**
   * What the trial of the sandbox found (S3); it runs when it is first asked for. Undefined: `--no-sandbox`.
   * @throws {Error} When it could not be made just now; the next asking tries again.
   */
  get selfTest(): Promise<SelfTestReport | undefined> {
    return this.#selfTest ??= this.#try();
  }

  /** Protected paths that commands see read-only at this moment, canonical; without namespaces none. */
  get readOnly(): readonly string[] {
    return (this.#guarded?.guarded ?? []).filter(({ treatment }) => treatment === "read_only").map(({ path }) => path);
  }

  /** Settles when the sandbox has stood its trial. @throws {Error} when no command would be run, with the reason (S17) */
  async confirm(): Promise<void> {
    await this.#admitted();
  }

  /** @throws {UserError} When commands could read what must stay hidden, so that none would be run. */
  async checkGuard(): Promise<void> {
    this.#lookAtGuarded(await this.policy);
  }

  /** Tries the sandbox and starts the pool. Worth doing when the first bytes of MCP have been answered. */
  async warmUp(): Promise<void> {
    void Promise.allSettled([this.selfTest]); // a trial that could not be made is logged, and the next command asks again
    const policy = await this.policy;
    if (!this.#options.pool || !this.#options.shell.canWait || this.#pool !== undefined) return;
    this.#lookAtGuarded(policy);
    this.#pool = new ShellPool(() => this.#startWaitingShell(policy));
    this.#pool.refill();
  }

  async run(request: CommandRequest, hooks: CommandHooks): Promise<CommandEnd> {
    try {
      const policy = await this.#admitted();
      const how = { policy, hooks, left: [] };
      let before: GuardView | undefined;
      const end = await launchAgain({
        look: () => before = this.#lookAtGuarded(policy),
        launch: () => this.#launch(request, how),
        mayTryAgain: (one) => one.kind === "not_started" && !hooks.signal.aborted,
      });
      this.#tellChanges(before, how);
      return end;
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      return { kind: "not_started", message: `Cannot start the command: ${messageOf(error)}`, fault: "server" };
    } finally {
      this.#pool?.refill();
    }
  }

  #launch(request: CommandRequest, how: How): Promise<CommandEnd> {
    return "shell" in request.run && request.stdin === undefined && this.#options.shell.canWait
      ? this.#runLine(request.run.shell, request, how)
      : this.#runAtOnce(request, how);
  }

  /**
   * Starts a command that is talked with: its stdin stays open, its stderr goes to a file instead of into the output.
   * @throws {Error} when the system cannot start a process
   */
  async open(request: OpenRequest, hooks: CommandHooks): Promise<OpenCommand> {
    const policy = await this.#admitted();
    const before = this.#lookAtGuarded(policy);
    const how = { policy, hooks, left: [] };
    const command = this.#launchCommand({ ...request, stdin: undefined });
    const table = policyTable(this.#withGuarded(policy), { ...this.#target(), stderrFile: request.stderrFile });
    const image = this.#spawner.image(launchTable(table, command, this.#options.sandbox.processor));
    let process: LauncherProcess;
    try {
      process = this.#spawner.start(image, "piped");
    } finally {
      image.dispose();
    }
    const { end } = this.#follow(process, image.steps, command.argv[0] ?? "", how);
    return { stdin: process.stdin, end: end.finally(() => this.#tellChanges(before, how)) };
  }

  /** Settles when no process of a command whose result is known is left. */
  async settled(): Promise<void> {
    await Promise.all(this.#departing);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.allSettled([this.#policy, this.#selfTest]);
    await this.#pool?.close();
    const late = Promise.withResolvers<void>();
    const timer = setTimeout(() => {
      this.#options.logger.error("Processes of commands could not be ended", { commands: this.#departing.size });
      late.resolve();
    }, LONGEST_FAREWELL_MS);
    await Promise.race([this.settled(), late.promise]);
    clearTimeout(timer);
    // Those that are left are still hunted with the C library; it goes with the program.
    if (this.#departing.size > 0) return;
    this.#waitingImage?.dispose();
    this.#network?.close();
    this.#spawner.close();
  }

  async #runLine(line: string, request: CommandRequest, how: How): Promise<CommandEnd> {
    const text = ENCODER.encode(handOver(line, request.directory, request.environment));
    const pooled = this.#pool?.take();
    if (pooled !== undefined) {
      const given = give(pooled, text);
      const { end, taken } = this.#follow(pooled, this.#waitingSteps(), "bash", how);
      const ended = await end;
      await given;
      // A shell that died while it waited has not run the line; a fresh one does.
      if (taken() || how.hooks.signal.aborted) return ended;
    }
    const fresh = this.#startWaitingShell(how.policy);
    const given = give(fresh, text);
    const end = await this.#follow(fresh, this.#waitingSteps(), "bash", how).end;
    await given;
    return end;
  }

  async #runAtOnce(request: CommandRequest, how: How): Promise<CommandEnd> {
    const command = this.#launchCommand(request);
    const image = this.#spawner.image(this.#table(how.policy, command));
    let process: LauncherProcess;
    try {
      process = this.#spawner.start(image, request.stdin === undefined ? "null" : "piped");
    } finally {
      image.dispose();
    }
    const given = request.stdin === undefined ? undefined : give(process, ENCODER.encode(request.stdin));
    const end = await this.#follow(process, image.steps, command.argv[0] ?? "", how).end;
    await given;
    return end;
  }

  #follow(process: LauncherProcess, steps: readonly string[], program: string, how: How): Supervised {
    const namespaces = how.policy?.namespaces === true;
    const huntDescendants = (root: number) => this.#spawner.huntDescendants(root);
    const supervised = supervise({ process, steps, program, namespaces, huntDescendants }, how.hooks);
    const { gone } = supervised;
    this.#departing.add(gone);
    how.left.push(supervised);
    void gone.finally(() => this.#departing.delete(gone));
    return supervised;
  }

  #startWaitingShell(policy: SandboxPolicy | undefined): LauncherProcess {
    const { shell, sandbox } = this.#options;
    this.#waitingImage ??= this.#spawner.image(this.#table(policy, {
      programs: [shell.path],
      argv: waitingArguments(shell),
      environment: listOf(sandbox.environment),
      directory: sandbox.scopes[0]?.path ?? "/",
      reports: true,
    }));
    return this.#spawner.start(this.#waitingImage, "piped");
  }

  #waitingSteps(): readonly string[] {
    return this.#waitingImage?.steps ?? [];
  }

  #launchCommand(request: CommandRequest): LaunchCommand {
    const { sandbox, shell } = this.#options;
    const environment = listOf({ ...sandbox.environment, ...request.environment });
    if ("shell" in request.run) {
      const argv = lineArguments(shell, request.run.shell);
      return { programs: [shell.path], argv, environment, directory: request.directory };
    }
    const { argv } = request.run;
    const path = searchPath(request.environment["PATH"] ?? sandbox.environment["PATH"]);
    return {
      programs: programPaths(argv[0] ?? "", path, request.directory),
      argv,
      environment,
      directory: request.directory,
    };
  }

  #table(policy: SandboxPolicy | undefined, command: LaunchCommand): Table {
    return launchTable(this.#policyPart(policy), command, this.#options.sandbox.processor);
  }

  #policyPart(policy: SandboxPolicy | undefined): Table {
    return this.#policyTable ??= policyTable(this.#withGuarded(policy), this.#target());
  }

  /** The policy for a command: only one that stood its trial. @throws {Error} when it did not, or there was none yet */
  async #admitted(): Promise<SandboxPolicy | undefined> {
    const refusal = refusalFor(await this.selfTest);
    if (refusal !== undefined) throw new Error(refusal);
    return await this.policy;
  }

  #try(): Promise<SelfTestReport | undefined> {
    const trial = this.policy.then((policy) => {
      if (policy === undefined) return undefined;
      return this.#attack(policy);
    });
    const { logger } = this.#options;
    trial.then((report) => logReport(report, logger), (error) => {
      logger.warn("The sandbox's self-test could not be made; the next command tries again", {
        reason: messageOf(error),
      });
      this.#selfTest = undefined;
    });
    return trial;
  }

  async #attack(policy: SandboxPolicy): Promise<SelfTestReport> {
    const [trial] = await launchAgain({
      look: () => this.#lookAtGuarded(policy),
      launch: () =>
        Promise.allSettled([runSelfTest({
          policy,
          table: this.#policyPart(policy),
          target: this.#target(),
          spawner: this.#spawner,
          directories: this.#options.sandbox.directories,
        })]),
      mayTryAgain: ([one]) => one.status === "rejected",
    });
    if (trial.status === "rejected") throw trial.reason;
    return trial.value;
  }

  /**
   * Looks before a command; what was made for another state of the guarded paths is let go.
   * @throws {UserError} When nothing may run.
   */
  #lookAtGuarded(policy: SandboxPolicy | undefined): GuardView | undefined {
    const view = policy === undefined ? undefined : this.#guard?.look({ mounted: policy.namespaces });
    this.#adopt(view);
    return view;
  }

  /** Tells the caller what changed while its command ran, and looks again when what it left running is gone. */
  #tellChanges(before: GuardView | undefined, { policy, hooks, left }: How): void {
    if (before === undefined || policy === undefined || this.#guard === undefined) return;
    const how = { mounted: policy.namespaces };
    const running = left.filter(({ isOver }) => !isOver()); // asked before the look, which so is the last one needed
    const { after, changes } = this.#guard.changes(before, how);
    // Checks of programs and commands that are talked with have no result of their own.
    if (hooks.onProtectedChange === undefined) this.#guard.keep(changes);
    else if (changes.length > 0) hooks.onProtectedChange(changes);
    this.#adopt(after);
    if (running.length > 0) void this.#guard.lookLater(Promise.all(running.map(({ gone }) => gone)), after, how);
  }

  #adopt(view: GuardView | undefined): void {
    const made = this.#guarded?.key ?? "";
    this.#guarded = view;
    if (made === (view?.key ?? "")) return;
    this.#pool?.renew();
    this.#policyTable = undefined;
    this.#waitingImage?.dispose();
    this.#waitingImage = undefined;
  }

  #withGuarded(policy: SandboxPolicy | undefined): SandboxPolicy | undefined {
    return policy && { ...policy, guarded: this.#guarded?.guarded ?? [] };
  }

  #target() {
    return { processor: this.#options.sandbox.processor, serverPid: Deno.pid, emptyNetwork: this.#network };
  }

  /** Asked at the start, and again by the next command when the answer was none. */
  #settle(): Promise<SandboxPolicy | undefined> {
    const { sandbox, logger } = this.#options;
    const found = this.#repositories ??= this.#guard?.findRepositories() ?? Promise.resolve();
    const question = { policy: sandbox.policy, target: this.#target(), spawner: this.#spawner, logger };
    const settled = settleNamespaces(question).then(async (policy) => {
      this.#network ??= await holdEmptyNetwork({ ...question, policy });
      return policy;
    });
    const settling = Promise.all([settled, found]).then(([policy]) => policy);
    settling.catch((error) => {
      logger.warn("The sandbox could not be tried; the next command tries again", { reason: messageOf(error) });
      this.#policy = undefined;
    });
    return settling;
  }
}

/** The server ends even when a process cannot be ended (one that hangs in the kernel, say). */
const LONGEST_FAREWELL_MS = 5_000;

interface How {
  readonly policy: SandboxPolicy | undefined;
  readonly hooks: CommandHooks;
  /** Gets each process tree that is started. */
  readonly left: Supervised[];
}

const ENCODER = new TextEncoder();

/** Writes all of stdin and closes it; false when the process was gone before it took it. */
export async function give(process: LauncherProcess, text: Uint8Array): Promise<boolean> {
  const writer = process.stdin.getWriter();
  try {
    await writer.write(text);
    await writer.close();
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.BrokenPipe || error instanceof Deno.errors.ConnectionReset) return false;
    throw error;
  }
}

/** Where `execve` looks for a program, in order, as a shell would. Pure. */
export function programPaths(program: string, path: readonly string[], directory: string): readonly string[] {
  if (program.startsWith("/")) return [program];
  if (program.includes("/")) return [`${directory}/${program}`];
  return path.map((entry) => `${entry}/${program}`);
}

function listOf(environment: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(environment).map(([name, value]) => `${name}=${value}`);
}
