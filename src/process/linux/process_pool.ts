/**
 * Processes inside their sandboxes that wait for one command each (P1). One is replaced after the answer, or when it
 * dies; if they keep dying, the pool waits for the next acquisition.
 */
import type { Logger } from "../../base/log.ts";
import type { LauncherImage, LauncherProcess, Spawner } from "../spawn.ts";
import type { SandboxPolicy } from "../../sandbox/policy/policy.ts";
import { canServe } from "../../sandbox/launcher/serving_table.ts";
import type { Shell } from "../shell.ts";
import type { LaunchImages } from "./launch/launch_images.ts";
import { type CommonLimits, Pool } from "./serving/pool.ts";
import { SERVING_LIMITS, ServingPool } from "./serving/serving_pool.ts";
import { type ServingKind, ServingSandbox } from "./serving/serving_sandbox.ts";

export interface PoolLimits extends CommonLimits {
  /** Kept ready during a burst of calls. */
  readonly burst: number;
}

export const SHELL_LIMITS: PoolLimits = { first: 1, minimum: 2, burst: 6, idleMs: 60_000 };
/** At first no launcher waits: only the first command without a shell shows that they are needed. */
export const LAUNCHER_LIMITS: PoolLimits = { ...SHELL_LIMITS, first: 0 };

/** A call that follows the last one within this time belongs to a burst. */
const BURST_MS = 50;

export class ProcessPool extends Pool<PoolLimits> {
  readonly #start: () => LauncherProcess;
  readonly #waiting: LauncherProcess[] = [];
  readonly #ending = new Set<Promise<unknown>>();
  #wasAcquired = false;

  /** `start` launches one that waits; it may throw. */
  constructor(start: () => LauncherProcess, limits: PoolLimits) {
    super(limits);
    this.#start = start;
  }

  /** How many wait now. */
  get ready(): number {
    return this.#waiting.length;
  }

  /** One that waits, or undefined when there is none: launch it then. */
  acquire(): LauncherProcess | undefined {
    const soon = this.acquired() < BURST_MS && this.#wasAcquired;
    this.#wasAcquired = true;
    // A process is ready some milliseconds after its start, so a burst of calls needs more of them starting.
    if (soon && this.target < this.limits.burst) this.target++;
    return this.#waiting.shift();
  }

  override invalidate(): void {
    this.shrinkTo(0);
  }

  protected override isWanting(): boolean {
    return this.#waiting.length < this.target;
  }

  protected override addWaiting(): void {
    this.watchIdleness();
    const process = this.#start();
    this.#waiting.push(process);
    const ended = process.status.then(() => this.#forget(process)).finally(() => this.#ending.delete(ended));
    this.#ending.add(ended);
  }

  protected override shrinkTo(size: number): void {
    for (const process of this.#waiting.splice(size)) void discard(process);
  }

  protected override get isEmpty(): boolean {
    return this.#waiting.length === 0;
  }

  protected override allGone(): Promise<unknown> {
    return Promise.all(this.#ending);
  }

  #forget(process: LauncherProcess): void {
    const index = this.#waiting.indexOf(process);
    if (index < 0) return;
    this.#waiting.splice(index, 1);
    void discard(process);
    this.died();
  }
}

/** Closing its stdin ends a waiting process; its streams are cancelled. */
async function discard({ stdin, output, reports, status }: LauncherProcess): Promise<void> {
  await Promise.allSettled([stdin.close(), output.cancel(), reports.cancel(), status]);
}

export interface PrewarmedProcessesOptions {
  readonly images: Pick<
    LaunchImages,
    "prewarmedShell" | "prewarmedLauncher" | "servingShell" | "forkingShell" | "servingLauncher" | "canFork"
  >;
  readonly spawner: Pick<Spawner, "start" | "leftRunning">;
  readonly shell: Shell;
  /** Whether a sandbox runs more than one command, where it can. */
  readonly reuse: boolean;
  /** Whether the shell of such a sandbox forks for each line, where it can. */
  readonly fork: boolean;
  readonly logger: Logger;
}

/** Waiting processes for the commands of a session: serving sandboxes, or processes that each run one command. */
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
    const { images, spawner, shell, reuse, fork, logger } = this.#options;
    // For programs with stdin, in any case.
    this.#launchers = new ProcessPool(() => spawner.start(images.prewarmedLauncher(policy), "piped"), LAUNCHER_LIMITS);
    if (reuse && policy !== undefined && canServe(policy)) {
      const limits = shell.canWait ? SERVING_LIMITS : { ...SERVING_LIMITS, first: 0, minimum: 0 };
      this.#serving = new ServingPool((kind, onFree) => {
        const image = this.#imageOf(kind, policy);
        const process = spawner.start(image, "piped", "null");
        const leftRunning = (parent: number) => spawner.leftRunning(parent);
        return new ServingSandbox({ process, steps: image.steps, kind, leftRunning, onFree });
      }, { ...limits, forks: fork && images.canFork(policy), logger });
    } else if (shell.canWait) {
      this.#shells = new ProcessPool(() => spawner.start(images.prewarmedShell(policy), "piped"), SHELL_LIMITS);
    }
    this.refill();
  }

  #imageOf(kind: ServingKind, policy: SandboxPolicy): LauncherImage {
    const { images } = this.#options;
    if (kind === "launcher") return images.servingLauncher(policy);
    return kind === "forking" ? images.forkingShell(policy) : images.servingShell(policy);
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
