/** Follows one command from its first attempt to its last process, in a prewarmed process or else a new one. */
import type { CommandEnd } from "../../base/command/command_end.ts";
import type { CommandInput } from "../../base/command/running_command.ts";
import { encodeText } from "../../base/text.ts";
import { servedLine } from "../../sandbox/launcher/serving_table.ts";
import { offlinePolicy } from "../../sandbox/launcher/policy_fallback.ts";
import type { SandboxPolicy } from "../../sandbox/policy/policy.ts";
import type { GuardView } from "../../sandbox/protect/guard_view.ts";
import type { CommandHooks, CommandRequest, OpenRequest } from "../command_runner.ts";
import { encodeShellCommand, lineArguments, type Shell } from "../shell.ts";
import type { LauncherImage, LauncherProcess } from "../spawn.ts";
import { writeAndClose } from "../supervision.ts";
import { withOpenInput } from "../pipe_input.ts";
import { cutLine } from "../../system/terminal/terminal.ts";
import { TerminalProcess } from "./terminal_process.ts";
import { ProcessesBelow } from "../processes_below.ts";
import { CommandTree } from "./command_tree.ts";
import type { Attempts } from "./launch/retry_launch.ts";
import { canShareNetwork } from "../../sandbox/launcher/steps/network_steps.ts";
import type { NetworkUser, NetworkUsers } from "./network/network_users.ts";
import type { PrewarmedProcesses } from "./process_pool.ts";
import type { GuardedCommand, Tree } from "./protection/protected_state.ts";
import type { NarrowedNetwork } from "./readiness/narrowed_networks.ts";
import type { ReadinessOptions } from "./readiness/readiness.ts";
import { encodeForkedLine } from "./serving/forking_shell.ts";
import type { ServingPool } from "./serving/serving_pool.ts";
import type { ServedInput, ServingSandbox } from "./serving/serving_sandbox.ts";

/** Shared by all launches of a session. */
export interface LaunchTools extends Omit<ReadinessOptions, "sandbox" | "sockets" | "network" | "once" | "groups"> {
  readonly prewarmed: PrewarmedProcesses;
  readonly shell: Shell;
  /** Who uses the network that commands share. */
  readonly users: NetworkUsers;
  /** Process trees that have not ended. */
  readonly departing: Set<Promise<void>>;
}

/** What is launched, under which policy (undefined: `--no-sandbox`). */
export interface LaunchOptions<Request> {
  readonly request: Request;
  readonly hooks: CommandHooks;
  readonly policy: SandboxPolicy | undefined;
  /** From `ProtectedState.begin()`; undefined: `--no-sandbox`. */
  readonly guarded: GuardedCommand | undefined;
  /** Of a policy with a narrower network (S43): none of what waits for the session's commands may run it; absent: it may. */
  readonly narrowed?: NarrowedNetwork | undefined;
}

/** The processes of an attempt. */
export interface Attempted extends Tree {
  /** How the command ended; never rejects because of a command. */
  readonly end: Promise<CommandEnd>;
  /** The ancestor of all its processes; undefined: not known yet, or gone. */
  readonly root: number | undefined;
  /** Whether nothing ran, and not by the command's fault; valid once `end` has settled. */
  readonly refused: boolean;
}

/** `Result`: the result of one attempt. */
abstract class Launch<Request extends Pick<CommandRequest, "run">, Result> implements Attempts<Result> {
  protected readonly tools: LaunchTools;
  protected readonly request: Request;
  protected readonly hooks: CommandHooks;
  protected readonly policy: SandboxPolicy | undefined;
  protected readonly narrowed: NarrowedNetwork | undefined;
  readonly #guarded: GuardedCommand | undefined;
  readonly #trees: Attempted[] = [];

  constructor(tools: LaunchTools, { request, hooks, policy, guarded, narrowed }: LaunchOptions<Request>) {
    this.tools = tools;
    this.request = request;
    this.hooks = hooks;
    this.policy = policy;
    this.narrowed = narrowed;
    this.#guarded = guarded;
  }

  /** The process trees of all attempts, in order. */
  get trees(): readonly Attempted[] {
    return this.#trees;
  }

  look(): GuardView | undefined {
    return this.tools.protectedState?.look(this.policy, this.#guarded);
  }

  abstract launch(): Promise<Result>;

  abstract mayTryAgain(result: Result): boolean;

  mayHaveRaced(): boolean {
    return this.#trees.at(-1)?.refused === true;
  }

  onAgain(tries: number): void {
    this.tools.logger.debug("A launch was refused and is tried again", { tries });
  }

  /** Tells the hooks which protected paths changed since the last check. */
  async tellChanges(): Promise<void> {
    if (this.#guarded === undefined) return;
    const { hooks: { onProtectedChange }, policy } = this;
    await this.tools.protectedState?.ended(this.#guarded, this.#trees, policy, onProtectedChange);
  }

  /** The name of what runs, for messages. */
  protected get program(): string {
    const { run } = this.request;
    const [program = ""] = "shell" in run ? lineArguments(this.tools.shell, run.shell) : run.argv;
    return program;
  }

  /** Starts a process from its own image. @throws {Error} When the system cannot. */
  protected start(image: LauncherImage, stdin: "piped" | "null"): CommandTree {
    return this.follow(this.spawn(image, stdin), image.steps, this.program);
  }

  /** Starts a process from its own image. @throws {Error} When the system cannot. */
  protected spawn(image: LauncherImage, stdin: "piped" | "null"): LauncherProcess {
    try {
      return this.tools.spawner.start(image, stdin);
    } finally {
      image.dispose();
    }
  }

  /** `input`: what the command reads while it runs; absent: nothing more. */
  protected follow(
    process: LauncherProcess,
    steps: readonly string[],
    program: string,
    input?: CommandInput,
  ): CommandTree {
    const { spawner } = this.tools;
    const tree = new CommandTree({
      process,
      steps,
      program,
      namespaces: this.policy?.namespaces === true,
      leftRunning: (parent) => spawner.leftRunning(parent),
      killDescendants: (root) => spawner.killDescendants(root),
    }, this.hooks);
    return this.keep(tree, input);
  }

  /** Remembers an attempt until nothing of it is left. */
  protected keep<Kept extends Attempted>(tree: Kept, input?: CommandInput): Kept {
    const { departing, spawner } = this.tools;
    const users = this.narrowed?.users ?? this.tools.users;
    this.#trees.push(tree);
    const processes = new ProcessesBelow(() => tree.root, spawner.processes, input);
    this.hooks.onRunning?.(processes);
    if (this.policy !== undefined && canShareNetwork(this.policy)) {
      const holdsSocket: NetworkUser["holdsSocket"] = (side) => processes.holdsSocket(side);
      const listensAt: NetworkUser["listensAt"] = (port) => processes.listensAt(port);
      const { hooks, narrowed } = this;
      users.add({
        holdsSocket,
        listensAt,
        onNetwork: hooks.onNetwork,
        // A shell has another one for each line. A tool file's own list is never widened.
        get unlisted() {
          return narrowed === undefined ? hooks.unlisted : undefined;
        },
      }, tree.gone);
    }
    departing.add(tree.gone);
    void tree.gone.finally(() => departing.delete(tree.gone));
    return tree;
  }
}

/** What a prewarmed process is given, and the subject of its messages. */
interface Given {
  readonly parts: readonly Uint8Array[];
  readonly steps: readonly string[];
  readonly program: string;
}

/** How many dead sandboxes in a row are tolerated before a command. */
const MOST_DEAD = 20;
const NO_TERMINALS = "this system gives commands no terminals of their own (`status` says what is missing)";
const NEVER_OFFLINE = "this system can keep no program from the network (no user namespaces, no seccomp)";

/** The launch of a command whose input is known: a prewarmed process runs it, or a new one if none waits. */
export class RunLaunch extends Launch<CommandRequest, CommandEnd> {
  launch(): Promise<CommandEnd> {
    const { request: { run, stdin, input, offline }, policy } = this;
    if (offline && policy !== undefined) return this.#runOffline(policy);
    if (input !== undefined) return this.#runWithInput();
    if (this.narrowed !== undefined || policy?.previewed !== undefined) return this.#runFresh(this.#image());
    const { serving } = this.tools.prewarmed;
    if (serving !== undefined && policy !== undefined && stdin === undefined) return this.#runServed(serving, policy);
    return "shell" in run && stdin === undefined && this.tools.shell.canWait
      ? this.#runLine(run.shell)
      : this.#runProgram();
  }

  mayTryAgain(end: CommandEnd): boolean {
    return end.kind === "not_started" && !this.hooks.signal.aborted;
  }

  /** In a serving sandbox. One that has died in the meantime has run nothing, so another must. */
  async #runServed(serving: ServingPool, policy: SandboxPolicy): Promise<CommandEnd> {
    const { request: { run }, tools: { shell }, hooks } = this;
    const what = "shell" in run && shell.canWait ? "line" : "program";
    for (let tries = 1;; tries++) {
      const sandbox = serving.acquire(what);
      const input = this.#servedInput(sandbox, policy);
      if (input === undefined) {
        serving.release(sandbox);
        return "shell" in run && shell.canWait ? await this.#runLine(run.shell) : await this.#runProgram();
      }
      const command = this.keep(sandbox.run(input, hooks));
      const end = await command.end;
      // Its shell was ended before it had read the line, and the launcher reports no signal for that.
      if (!command.accepted && !command.refused && hooks.signal.aborted) {
        return { kind: "signalled", signal: "SIGTERM" };
      }
      if (command.accepted || command.refused || hooks.signal.aborted || tries >= MOST_DEAD) return end;
    }
  }

  /** Undefined: it does not fit. */
  #servedInput({ kind, steps }: ServingSandbox, policy: SandboxPolicy): ServedInput | undefined {
    const { run, directory, environment } = this.request;
    if (kind === "forking" && "shell" in run) {
      const other = directory === this.tools.images.forkingDirectory ? undefined : directory;
      const bytes = servedLine(encodeText(encodeForkedLine(run.shell, other, environment)));
      return bytes && { bytes, steps, program: "bash" };
    }
    if (kind === "shell" && "shell" in run) {
      const bytes = servedLine(encodeText(encodeShellCommand(run.shell, directory, environment)));
      return bytes && { bytes, steps, program: "bash" };
    }
    const block = this.tools.images.servedBlock(policy, this.request);
    if (block === undefined) return undefined;
    const { bytes, steps: more } = block;
    // They are needed only after a failure.
    return {
      bytes,
      program: this.program,
      get steps() {
        return [...steps, ...more];
      },
    };
  }

  async #runLine(line: string): Promise<CommandEnd> {
    const { images, prewarmed, spawner } = this.tools;
    const { directory, environment } = this.request;
    const text = encodeText(encodeShellCommand(line, directory, environment));
    const waiting = prewarmed.acquireShell();
    const { steps } = images.prewarmedShell(this.policy);
    const end = waiting && await this.#runPrewarmed(waiting, { parts: [text], steps, program: "bash" });
    if (end !== undefined) return end;
    const image = images.prewarmedShell(this.policy);
    const fresh = spawner.start(image, "piped");
    const given = writeAndClose(fresh, text);
    const ended = await this.follow(fresh, image.steps, "bash").end;
    await given;
    return ended;
  }

  async #runProgram(): Promise<CommandEnd> {
    const { images, prewarmed } = this.tools;
    const { request, policy } = this;
    const block = prewarmed.isStarted ? images.commandBlock(policy, request) : undefined;
    const waiting = block && prewarmed.acquireLauncher();
    if (block === undefined || waiting === undefined) return await this.#runFresh(images.command(policy, request));
    const { bytes, steps } = block;
    const parts = request.stdin === undefined ? [bytes] : [bytes, encodeText(request.stdin)];
    const end = await this.#runPrewarmed(waiting, { parts, steps, program: this.program });
    return end ?? await this.#runFresh(images.command(policy, request));
  }

  /** Undefined: the process died while it waited and has run nothing, so a fresh one must. */
  async #runPrewarmed(
    waiting: LauncherProcess,
    { parts, steps, program }: Given,
  ): Promise<CommandEnd | undefined> {
    const given = writeAndClose(waiting, ...parts);
    const tree = this.follow(waiting, steps, program);
    const ended = await tree.end;
    await given;
    return tree.accepted || this.hooks.signal.aborted ? ended : undefined;
  }

  async #runWithInput(): Promise<CommandEnd> {
    const { request, policy } = this;
    if (request.input === "terminal") {
      if (policy !== undefined && policy.terminals !== true) return { kind: "not_started", message: NO_TERMINALS };
      const stdin = encodeText(request.stdin ?? "");
      const problem = cutLine(stdin);
      if (problem !== undefined) return { kind: "not_started", message: problem };
      return await this.#runOnTerminal(this.#image(), stdin);
    }
    const image = this.#image();
    const process = this.spawn(image, "piped");
    return await withOpenInput(
      process,
      request.stdin,
      (input) => this.follow(process, image.steps, this.program, input).end,
    );
  }

  async #runOnTerminal(image: LauncherImage, stdin: Uint8Array): Promise<CommandEnd> {
    const { hooks: { signal } } = this;
    const { spawner } = this.tools;
    const process = new TerminalProcess(this.spawn(image, "piped"), {
      terminals: spawner.terminals,
      tree: spawner.processes,
      takeDescriptor: (pid, descriptor) => spawner.takeDescriptor(pid, descriptor),
    });
    const { end, gone } = this.follow(process, image.steps, this.program, process.input);
    const onAbort = () => process.hangUp();
    signal.addEventListener("abort", onAbort, { once: true });
    void gone.finally(() => signal.removeEventListener("abort", onAbort));
    void process.typeFirst(stdin);
    const ended = await end;
    if (process.problem === undefined) return ended;
    return { kind: "not_started", message: `Cannot give the command a terminal: ${process.problem}`, fault: "server" };
  }

  async #runOffline(policy: SandboxPolicy): Promise<CommandEnd> {
    const narrow = offlinePolicy(policy);
    if (narrow === undefined) return { kind: "not_started", message: NEVER_OFFLINE };
    return await this.#runFresh(this.tools.images.command(narrow, this.request));
  }

  /** Of its own, for this command alone. */
  #image(): LauncherImage {
    const { policy, request, narrowed, tools: { images } } = this;
    const part = policy?.previewed !== undefined
      ? images.previewedPart(policy, narrowed?.network)
      : policy && narrowed && images.narrowPart(policy, narrowed.network);
    return images.command(policy, request, { part });
  }

  async #runFresh(image: LauncherImage): Promise<CommandEnd> {
    const { stdin } = this.request;
    const tree = this.start(image, stdin === undefined ? "null" : "piped");
    const given = stdin === undefined ? undefined : writeAndClose(tree, encodeText(stdin));
    const end = await tree.end;
    await given;
    return end;
  }
}

/** An attempt, and whether its command runs. */
interface Opening {
  readonly tree: CommandTree;
  readonly begun: boolean;
}

/** The launch of an interactive command: its stdin stays open, its stderr goes to a file instead of into the output. */
export class OpenLaunch extends Launch<OpenRequest, Opening> {
  readonly #opened: CommandTree[] = [];

  async launch(): Promise<Opening> {
    const { request, policy } = this;
    const tree = this.start(this.tools.images.command(policy, request, request), "piped");
    this.#opened.push(tree);
    return { tree, begun: await tree.begun() };
  }

  mayTryAgain({ begun }: Opening): boolean {
    return !begun && !this.hooks.signal.aborted;
  }

  /** Closes the stdin of every attempt but `kept`. */
  async closeOthers({ tree: kept }: Opening): Promise<void> {
    for (const tree of this.#opened) if (tree !== kept) await writeAndClose(tree);
  }
}
