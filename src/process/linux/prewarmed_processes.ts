/** Waiting processes for the commands of a session: serving sandboxes, or processes that each run one command. */
import type { SandboxPolicy } from "../../sandbox/policy/policy.ts";
import { canServe } from "../../sandbox/launcher/serving_table.ts";
import type { Shell } from "../shell.ts";
import type { LauncherProcess, Spawner } from "../spawn.ts";
import type { LaunchImages } from "./launch/launch_images.ts";
import { LAUNCHER_LIMITS, ProcessPool, SHELL_LIMITS } from "./process_pool.ts";
import { SERVING_LIMITS, ServingPool } from "./serving/serving_pool.ts";
import { ServingSandbox } from "./serving/serving_sandbox.ts";

export interface PrewarmedProcessesOptions {
  readonly images: Pick<LaunchImages, "prewarmedShell" | "prewarmedLauncher" | "servingShell" | "servingLauncher">;
  readonly spawner: Pick<Spawner, "start" | "leftRunning">;
  readonly shell: Shell;
  /** Whether a sandbox runs more than one command, where it can. */
  readonly reuse: boolean;
}

export class PrewarmedProcesses {
  readonly #options: PrewarmedProcessesOptions;
  /** Undefined: none, because the shell cannot wait, a sandbox serves, or no process may be launched ahead of need. */
  #shells: ProcessPool | undefined;
  #launchers: ProcessPool | undefined;
  #serving: ServingPool | undefined;

  constructor(options: PrewarmedProcessesOptions) {
    this.#options = options;
  }

  /** Whether it was started: programs can be run by launchers that wait. */
  get isStarted(): boolean {
    return this.#launchers !== undefined;
  }

  /** Sandboxes that serve several commands; undefined: every command is launched in a new one. */
  get serving(): ServingPool | undefined {
    return this.#serving;
  }

  /** Begins to launch ahead of need under `policy`; undefined: `--no-sandbox`. */
  start(policy: SandboxPolicy | undefined): void {
    const { images, spawner, shell, reuse } = this.#options;
    // For programs with stdin, in any case.
    this.#launchers = new ProcessPool(() => spawner.start(images.prewarmedLauncher(policy), "piped"), LAUNCHER_LIMITS);
    if (reuse && policy !== undefined && canServe(policy)) {
      const limits = shell.canWait ? SERVING_LIMITS : { ...SERVING_LIMITS, first: 0, minimum: 0 };
      this.#serving = new ServingPool((kind, onFree) => {
        const image = kind === "shell" ? images.servingShell(policy) : images.servingLauncher(policy);
        const process = spawner.start(image, "piped", "null");
        const leftRunning = (parent: number) => spawner.leftRunning(parent);
        return new ServingSandbox({ process, steps: image.steps, kind, leftRunning, onFree });
      }, limits);
    } else if (shell.canWait) {
      this.#shells = new ProcessPool(() => spawner.start(images.prewarmedShell(policy), "piped"), SHELL_LIMITS);
    }
    this.refill();
  }

  /** A shell that waits for its line; undefined: there is none, launch it then. */
  acquireShell(): LauncherProcess | undefined {
    return this.#shells?.acquire();
  }

  /** A launcher that waits for its command; undefined: there is none, launch it then. */
  acquireLauncher(): LauncherProcess | undefined {
    return this.#launchers?.acquire();
  }

  /** Starts what is missing. */
  refill(): void {
    for (const pool of this.#pools()) pool.refill();
  }

  /** Ends those that wait, because their mounts or grants are stale; `refill` starts others. */
  invalidate(): void {
    for (const pool of this.#pools()) pool.invalidate();
  }

  /** Ends those that wait and starts no more. */
  async close(): Promise<void> {
    await Promise.all(this.#pools().map((pool) => pool.close()));
  }

  #pools(): readonly (ProcessPool | ServingPool)[] {
    return [this.#launchers, this.#shells, this.#serving].filter((pool) => pool !== undefined);
  }
}
