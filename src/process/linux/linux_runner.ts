/** Runs commands in the session's sandbox, from the request to the end of the process tree. */
import { encodeText } from "../../base/text.ts";
import { withTimeout } from "../../base/time.ts";
import type { CommandEnd } from "../../base/command/command_end.ts";
import type { Logger } from "../../base/log.ts";
import { messageOf } from "../../base/errors.ts";
import type { GuardView } from "../../sandbox/protect/guard_view.ts";
import { offlinePolicy } from "../../sandbox/policy/offline.ts";
import type { SandboxPolicy } from "../../sandbox/policy/policy.ts";
import type { Sandbox } from "../../sandbox/prepare_linux.ts";
import type { CommandHooks, CommandRequest, CommandRunner } from "../command_runner.ts";
import { Admission } from "./readiness/readiness.ts";
import { give } from "../write_stdin.ts";
import { launchAgain } from "./launch/retry_launch.ts";
import { LaunchImages } from "./launch/launch_images.ts";
import type { SelfTestReport } from "../../sandbox/selftest/judge.ts";
import { type Launched, SessionGuard } from "./protection/protection_monitor.ts";
import type { OpenCommand, OpenRequest } from "../session_runner.ts";
import { handOver, lineArguments, type Shell } from "../shell.ts";
import { LAUNCHER_LIMITS, SHELL_LIMITS, WaitingPool } from "./process_pool.ts";
import { askProgram, type LauncherImage, type LauncherProcess, Spawner } from "../spawn.ts";
import { supervise, type Supervised } from "./supervise.ts";

export interface RunnerOptions {
  readonly sandbox: Sandbox;
  readonly shell: Shell;
  /** False: every command is launched when it is asked for. */
  readonly pool: boolean;
  readonly logger: Logger;
}

/** A runner that owns processes; dispose it when the session ends. */
export class SandboxedRunner implements CommandRunner, AsyncDisposable {
  readonly #options: RunnerOptions;
  readonly #spawner: Spawner;
  readonly #images: LaunchImages;
  readonly #admission: Admission;
  /** Undefined: nothing is guarded. */
  readonly #guard: SessionGuard | undefined;
  /** Trees whose result is known and whose last processes are on their way out. */
  readonly #departing = new Set<Promise<void>>();
  #pools: readonly WaitingPool[] = [];
  /** Undefined: none waits, because the shell cannot, or nothing is to be launched ahead of need. */
  #shells: WaitingPool | undefined;
  #launchers: WaitingPool | undefined;

  constructor(options: RunnerOptions) {
    this.#options = options;
    const { sandbox, shell, logger } = options;
    const spawner = new Spawner(sandbox.processor, sandbox.directories.root);
    const images = new LaunchImages({ sandbox, shell, spawner, onStale: () => this.#renew() });
    this.#spawner = spawner;
    this.#images = images;
    this.#guard = sandbox.guard && new SessionGuard({ plan: sandbox.guard, looker: spawner, logger, ask: askProgram });
    this.#admission = new Admission({ sandbox, spawner, images, guard: this.#guard, logger });
  }

  /**
   * The policy in force, once the kernel was asked about namespaces; undefined: `--no-sandbox`.
   * @throws {Error} When the kernel could not be asked just now.
   */
  get policy(): Promise<SandboxPolicy | undefined> {
    return this.#admission.policy;
  }

  /**
   * What the trial of the sandbox found (S3); it runs when it is first asked for. Undefined: `--no-sandbox`.
   * @throws {Error} When it could not be made just now; the next asking tries again.
   */
  get selfTest(): Promise<SelfTestReport | undefined> {
    return this.#admission.selfTest;
  }

  /** Protected paths that commands see read-only at this moment, canonical; without namespaces none. */
  get readOnly(): readonly string[] {
    return this.#images.readOnly;
  }

  /** Settles when the sandbox has stood its trial. @throws {Error} when no command would be run, with the reason (S17) */
  async confirm(): Promise<void> {
    await this.#admission.admitted();
  }

  /** @throws {UserError} When commands could read what must stay hidden, so that none would be run. */
  async checkGuard(): Promise<void> {
    this.#admission.look(await this.policy);
  }

  /** Tries the sandbox and starts what waits. Worth doing when the first bytes of MCP have been answered. */
  async warmUp(): Promise<void> {
    void Promise.allSettled([this.selfTest]); // a trial that could not be made is logged, and the next command asks again
    const policy = await this.policy;
    if (!this.#options.pool || this.#pools.length > 0) return;
    this.#admission.look(policy);
    this.#launchers = new WaitingPool(() => this.#startWaitingLauncher(policy), LAUNCHER_LIMITS);
    if (this.#options.shell.canWait) {
      this.#shells = new WaitingPool(() => this.#startWaitingShell(policy), SHELL_LIMITS);
    }
    this.#pools = [this.#launchers, this.#shells].filter((pool) => pool !== undefined);
    this.#refill();
  }

  async run(request: CommandRequest, hooks: CommandHooks): Promise<CommandEnd> {
    const launched = this.#guard?.launching();
    try {
      const policy = await this.#admission.admitted();
      const how: How = { policy, hooks, left: [] };
      const end = await launchAgain({
        look: () => this.#look(policy, launched),
        launch: () => this.#launch(request, how),
        mayTryAgain: (one) => one.kind === "not_started" && !hooks.signal.aborted,
        mayHaveRaced: () => how.left.at(-1)?.refused() === true,
        onAgain: (tries) => this.#options.logger.debug("A launch was refused and is tried again", { tries }),
      });
      await this.#tellChanges(launched, how);
      return end;
    } catch (error) {
      this.#guard?.ended(launched);
      if (!(error instanceof Error)) throw error;
      return { kind: "not_started", message: `Cannot start the command: ${messageOf(error)}`, fault: "server" };
    } finally {
      this.#refill();
    }
  }

  #launch(request: CommandRequest, how: How): Promise<CommandEnd> {
    if (request.offline && how.policy !== undefined) return this.#runOffline(how.policy, request, how);
    return "shell" in request.run && request.stdin === undefined && this.#options.shell.canWait
      ? this.#runLine(request.run.shell, request, how)
      : this.#runProgram(request, how);
  }

  /**
   * Starts a command that is talked with: its stdin stays open, its stderr goes to a file instead of into the output.
   * @throws {Error} when the system cannot start a process
   */
  async open(request: OpenRequest, hooks: CommandHooks): Promise<OpenCommand> {
    const policy = await this.#admission.admitted();
    const how = { policy, hooks, left: [] };
    const launched = this.#guard?.launching();
    const tried: Opened[] = [];
    const opened = await launchAgain({
      look: () => this.#look(policy, launched),
      launch: async () => {
        const one = await this.#launchOpen(request, how);
        tried.push(one);
        return one;
      },
      mayTryAgain: ({ begun }) => !begun && !hooks.signal.aborted,
      mayHaveRaced: ({ followed }) => followed.refused(),
    }).catch((error) => {
      this.#guard?.ended(launched);
      throw error;
    });
    for (const { process } of tried) if (process !== opened.process) await give(process); // closes what nobody will
    const { process: { stdin }, followed: { end } } = opened;
    return { stdin, end: end.finally(() => this.#tellChanges(launched, how)) };
  }

  /** Settles when no process of a command whose result is known is left. */
  async settled(): Promise<void> {
    await Promise.all(this.#departing);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#admission.settled();
    await Promise.all(this.#pools.map((pool) => pool.close()));
    await withTimeout(this.settled(), LONGEST_FAREWELL_MS);
    const commands = this.#departing.size;
    if (commands > 0) {
      // Those that are left are still killed with the C library; it goes with the program.
      return this.#options.logger.error("Processes of commands could not be ended", { commands });
    }
    this.#images[Symbol.dispose]();
    await this.#admission[Symbol.asyncDispose]();
    this.#spawner.close();
  }

  async #runLine(line: string, request: CommandRequest, how: How): Promise<CommandEnd> {
    const text = encodeText(handOver(line, request.directory, request.environment));
    const waiting = this.#shells?.take();
    const handed = { parts: [text], steps: this.#waitingSteps(how), program: "bash" };
    const end = waiting && await this.#hand(waiting, handed, how);
    if (end !== undefined) return end;
    const fresh = this.#startWaitingShell(how.policy);
    const given = give(fresh, text);
    const ended = await this.#follow(fresh, this.#waitingSteps(how), "bash", how).end;
    await given;
    return ended;
  }

  async #runProgram(request: CommandRequest, how: How): Promise<CommandEnd> {
    const block = this.#launchers && this.#images.commandBlock(how.policy, request);
    const waiting = block && this.#launchers?.take();
    if (block === undefined || waiting === undefined) return await this.#runAtOnce(request, how);
    const { bytes, steps } = block;
    const parts = request.stdin === undefined ? [bytes] : [bytes, encodeText(request.stdin)];
    const end = await this.#hand(waiting, { parts, steps, program: this.#programOf(request) }, how);
    return end ?? await this.#runAtOnce(request, how);
  }

  /** Has `waiting` run what it is handed; undefined: it died while it waited and has run nothing, so a fresh one must. */
  async #hand(waiting: LauncherProcess, { parts, steps, program }: Handed, how: How): Promise<CommandEnd | undefined> {
    const given = give(waiting, ...parts);
    const { end, taken } = this.#follow(waiting, steps, program, how);
    const ended = await end;
    await given;
    return taken() || how.hooks.signal.aborted ? ended : undefined;
  }

  async #runOffline(policy: SandboxPolicy, request: CommandRequest, how: How): Promise<CommandEnd> {
    const narrow = offlinePolicy(policy);
    if (narrow === undefined) return { kind: "not_started", message: NEVER_OFFLINE };
    return await this.#runImage(this.#images.offlineCommand(narrow, request), request, how);
  }

  #runAtOnce(request: CommandRequest, how: How): Promise<CommandEnd> {
    return this.#runImage(this.#images.command(how.policy, request), request, how);
  }

  async #runImage(image: LauncherImage, request: CommandRequest, how: How): Promise<CommandEnd> {
    let process: LauncherProcess;
    try {
      process = this.#spawner.start(image, request.stdin === undefined ? "null" : "piped");
    } finally {
      image.dispose();
    }
    const given = request.stdin === undefined ? undefined : give(process, encodeText(request.stdin));
    const end = await this.#follow(process, image.steps, this.#programOf(request), how).end;
    await given;
    return end;
  }

  async #launchOpen(request: OpenRequest, how: How): Promise<Opened> {
    const image = this.#images.command(how.policy, request, request.stderrFile);
    let process: LauncherProcess;
    try {
      process = this.#spawner.start(image, "piped");
    } finally {
      image.dispose();
    }
    const followed = this.#follow(process, image.steps, this.#programOf(request), how);
    return { process, followed, begun: await followed.begun };
  }

  /** The name of what runs, for messages. */
  #programOf({ run }: Pick<CommandRequest, "run">): string {
    const [program = ""] = "shell" in run ? lineArguments(this.#options.shell, run.shell) : run.argv;
    return program;
  }

  #follow(process: LauncherProcess, steps: readonly string[], program: string, how: How): Supervised {
    const namespaces = how.policy?.namespaces === true;
    const huntDescendants = (root: number) => this.#spawner.huntDescendants(root);
    const leftRunning = (parent: number) => this.#spawner.leftRunning(parent);
    const supervised = supervise({ process, steps, program, namespaces, leftRunning, huntDescendants }, how.hooks);
    const { gone } = supervised;
    this.#departing.add(gone);
    how.left.push(supervised);
    void gone.finally(() => this.#departing.delete(gone));
    return supervised;
  }

  #startWaitingShell(policy: SandboxPolicy | undefined): LauncherProcess {
    return this.#spawner.start(this.#images.waitingShell(policy), "piped");
  }

  #startWaitingLauncher(policy: SandboxPolicy | undefined): LauncherProcess {
    return this.#spawner.start(this.#images.waitingLauncher(policy), "piped");
  }

  #refill(): void {
    for (const pool of this.#pools) pool.refill();
  }

  #renew(): void {
    for (const pool of this.#pools) pool.renew();
  }

  #waitingSteps({ policy }: How): readonly string[] {
    return this.#images.waitingShell(policy).steps;
  }

  #look(policy: SandboxPolicy | undefined, launched: Launched | undefined): GuardView | undefined {
    const view = this.#admission.look(policy);
    if (launched !== undefined) launched.view = view;
    return view;
  }

  /** Tells the caller what changed while its command ran, and looks again when what it left running is gone. */
  async #tellChanges(launched: Launched | undefined, { policy, hooks, left }: How): Promise<void> {
    if (launched?.view === undefined || policy === undefined || this.#guard === undefined) {
      this.#guard?.ended(launched);
      return;
    }
    const { view, obeyed } = launched;
    await this.#guard.refresh();
    const how = { mounted: policy.namespaces };
    const running = left.filter(({ isOver }) => !isOver()); // asked before the look, which so is the last one needed
    const { after, changes } = this.#guard.changes({ view, obeyed }, how);
    // Checks of programs and commands that are talked with have no result of their own.
    if (hooks.onProtectedChange === undefined) this.#guard.keep(changes);
    else if (changes.length > 0) hooks.onProtectedChange(changes);
    this.#images.adopt(after);
    if (running.length === 0) this.#guard.ended(launched);
    else void this.#lookLater(running, { launched, after }, how);
  }

  async #lookLater(
    running: readonly Supervised[],
    { launched, after }: { readonly launched: Launched; readonly after: GuardView },
    how: { readonly mounted: boolean },
  ): Promise<void> {
    await this.#guard?.lookLater(Promise.all(running.map(({ gone }) => gone)), after, how);
    this.#guard?.ended(launched);
  }
}

const NEVER_OFFLINE = "this system can keep no program from the network (no user namespaces, no seccomp)";

/** The server ends even when a process cannot be ended (one that hangs in the kernel, say). */
const LONGEST_FAREWELL_MS = 5_000;

interface How {
  readonly policy: SandboxPolicy | undefined;
  readonly hooks: CommandHooks;
  /** Gets each process tree that is started. */
  readonly left: Supervised[];
}

/** A command that is talked with, if it `begun`. */
interface Opened {
  readonly process: LauncherProcess;
  readonly followed: Supervised;
  readonly begun: boolean;
}

/** What is written to a process that waits, and what its messages are about. */
interface Handed {
  readonly parts: readonly Uint8Array[];
  readonly steps: readonly string[];
  readonly program: string;
}
