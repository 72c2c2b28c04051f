import type { SandboxPolicy } from "../../sandbox/policy/policy.ts";
import type { Shell } from "../shell.ts";
import type { LauncherProcess, Spawner } from "../spawn.ts";
import type { LaunchImages } from "./launch/launch_images.ts";
import { LAUNCHER_LIMITS, ProcessPool, SHELL_LIMITS } from "./process_pool.ts";

export interface PrewarmedProcessesOptions {
  readonly images: Pick<LaunchImages, "prewarmedShell" | "prewarmedLauncher">;
  readonly spawner: Pick<Spawner, "start">;
  readonly shell: Shell;
}

/** The pools of a session: launchers for programs, and shells for lines where the shell can wait for one. */
export class PrewarmedProcesses {
  readonly #options: PrewarmedProcessesOptions;
  #pools: readonly ProcessPool[] = [];
  /** Undefined: none waits, because the shell cannot, or nothing is to be launched ahead of need. */
  #shells: ProcessPool | undefined;
  #launchers: ProcessPool | undefined;

  constructor(options: PrewarmedProcessesOptions) {
    this.#options = options;
  }

  get isStarted(): boolean {
    return this.#pools.length > 0;
  }

  /** Whether programs can be run by launchers that wait. */
  get hasLaunchers(): boolean {
    return this.#launchers !== undefined;
  }

  /** Begins to launch ahead of need under `policy`; undefined: `--no-sandbox`. */
  start(policy: SandboxPolicy | undefined): void {
    const { images, spawner, shell } = this.#options;
    this.#launchers = new ProcessPool(() => spawner.start(images.prewarmedLauncher(policy), "piped"), LAUNCHER_LIMITS);
    if (shell.canWait) {
      this.#shells = new ProcessPool(() => spawner.start(images.prewarmedShell(policy), "piped"), SHELL_LIMITS);
    }
    this.#pools = [this.#launchers, this.#shells].filter((pool) => pool !== undefined);
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
    for (const pool of this.#pools) pool.refill();
  }

  /** Ends those that wait, because their mounts or grants are stale; `refill` starts others. */
  invalidate(): void {
    for (const pool of this.#pools) pool.invalidate();
  }

  /** Ends those that wait and starts no more. */
  async close(): Promise<void> {
    await Promise.all(this.#pools.map((pool) => pool.close()));
  }
}
