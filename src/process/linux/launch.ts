/** One command from its first launch to the end of its last process. */
import type { Logger } from "../../base/log.ts";
import type { SandboxPolicy } from "../../sandbox/policy/policy.ts";
import type { CommandHooks, CommandRequest } from "../command_runner.ts";
import { lineArguments, type Shell } from "../shell.ts";
import type { LauncherImage, LauncherProcess, Spawner } from "../spawn.ts";
import { CommandTree } from "./command_tree.ts";
import type { LaunchImages } from "./launch/launch_images.ts";
import type { Attempts } from "./launch/retry_launch.ts";
import type { PrewarmedProcesses } from "./prewarmed_processes.ts";
import type { GuardedCommand } from "./protection/protected_state.ts";

/** What the launches of a session share. */
export interface LaunchTools {
  readonly spawner: Spawner;
  readonly images: LaunchImages;
  readonly prewarmed: PrewarmedProcesses;
  readonly shell: Shell;
  readonly logger: Logger;
  /** Told of each process tree that is started. */
  readonly onTree: (tree: CommandTree) => void;
}

/** What is launched, under which policy (undefined: `--no-sandbox`). */
export interface LaunchOptions<Request> {
  readonly request: Request;
  readonly hooks: CommandHooks;
  readonly policy: SandboxPolicy | undefined;
  readonly guarded: GuardedCommand;
}

/** `Result`: what one attempt gives. */
export abstract class Launch<Request extends Pick<CommandRequest, "run">, Result> implements Attempts<Result> {
  protected readonly tools: LaunchTools;
  protected readonly request: Request;
  protected readonly hooks: CommandHooks;
  protected readonly policy: SandboxPolicy | undefined;
  readonly #guarded: GuardedCommand;
  readonly #trees: CommandTree[] = [];

  constructor(tools: LaunchTools, { request, hooks, policy, guarded }: LaunchOptions<Request>) {
    this.tools = tools;
    this.request = request;
    this.hooks = hooks;
    this.policy = policy;
    this.#guarded = guarded;
  }

  /** The process trees of all attempts, in order. */
  get trees(): readonly CommandTree[] {
    return this.#trees;
  }

  look(): ReturnType<GuardedCommand["look"]> {
    return this.#guarded.look(this.policy);
  }

  abstract launch(): Promise<Result>;

  abstract mayTryAgain(result: Result): boolean;

  mayHaveRaced(): boolean {
    return this.#trees.at(-1)?.refused === true;
  }

  onAgain(tries: number): void {
    this.tools.logger.debug("A launch was refused and is tried again", { tries });
  }

  /** Tells the hooks which protected paths changed since the last look. */
  async tellChanges(): Promise<void> {
    await this.#guarded.ended(this.#trees, this.policy, this.hooks.onProtectedChange);
  }

  /** The name of what runs, for messages. */
  protected get program(): string {
    const { run } = this.request;
    const [program = ""] = "shell" in run ? lineArguments(this.tools.shell, run.shell) : run.argv;
    return program;
  }

  /** Starts a process from an image that serves it alone. @throws {Error} When the system cannot. */
  protected start(image: LauncherImage, stdin: "piped" | "null"): CommandTree {
    let process: LauncherProcess;
    try {
      process = this.tools.spawner.start(image, stdin);
    } finally {
      image.dispose();
    }
    return this.follow(process, image.steps, this.program);
  }

  protected follow(process: LauncherProcess, steps: readonly string[], program: string): CommandTree {
    const { spawner, onTree } = this.tools;
    const tree = new CommandTree({
      process,
      steps,
      program,
      namespaces: this.policy?.namespaces === true,
      leftRunning: (parent) => spawner.leftRunning(parent),
      killDescendants: (root) => spawner.killDescendants(root),
    }, this.hooks);
    this.#trees.push(tree);
    onTree(tree);
    return tree;
  }
}
