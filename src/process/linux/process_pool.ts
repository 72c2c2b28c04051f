/**
 * Prewarmed processes, each already inside its sandbox, wait for the one command they will run (P1). A process is
 * replaced after the answer, so that starting the next one does not slow the command down. One that dies while it waits
 * is replaced; when they keep dying, the pool gives up until the next acquisition.
 */
import type { LauncherProcess, Spawner } from "../spawn.ts";
import type { SandboxPolicy } from "../../sandbox/policy/policy.ts";
import { canServe } from "../../sandbox/launcher/serving_table.ts";
import type { Shell } from "../shell.ts";
import type { LaunchImages } from "./launch/launch_images.ts";
import { type ServingKind, ServingSandbox } from "./serving/serving_sandbox.ts";

/** Limits of every pool; times in milliseconds. */
interface CommonLimits {
  /** Kept ready until the first is acquired: sessions that never run a command need only this many. */
  readonly first: number;
  /** Kept ready when there is little to do. */
  readonly minimum: number;
  /** After this time without an acquisition the pool shrinks to the minimum, after twice this time to nothing. */
  readonly idleMs: number;
}

export interface PoolLimits extends CommonLimits {
  /** Kept ready during a burst of calls. */
  readonly burst: number;
}

export const SHELL_LIMITS: PoolLimits = { first: 1, minimum: 2, burst: 6, idleMs: 60_000 };
/** At first no launcher waits: only the first command without a shell shows that they are needed. */
export const LAUNCHER_LIMITS: PoolLimits = { ...SHELL_LIMITS, first: 0 };

/** A call that follows the last one within this time belongs to a burst. */
const BURST_MS = 50;

/** After this many consecutive deaths without use, no process is started ahead of need. */
const DEATHS_TOLERATED = 3;

/** Starts waiting processes ahead of need, and ends those not needed for a while. */
abstract class Pool<Limits extends CommonLimits> {
  protected readonly limits: Limits;
  /** How many should wait. */
  protected target: number;
  /** By `performance.now()`; at first when the pool was made. */
  #lastAcquired = performance.now();
  #deaths = 0;
  #idle: ReturnType<typeof setTimeout> | undefined;
  #refilling: ReturnType<typeof setTimeout> | undefined;
  #closed = false;

  constructor(limits: Limits) {
    this.limits = limits;
    this.target = Math.min(limits.first, limits.minimum);
  }

  /** Starts missing ones, one per turn of the event loop, so that answers and requests go first. */
  refill(): void {
    if (this.#closed || this.#refilling !== undefined || !this.#mayStart()) return;
    this.#refilling = setTimeout(() => {
      this.#refilling = undefined;
      if (!this.#mayStart()) return;
      try {
        this.addWaiting();
      } catch (error) {
        if (!(error instanceof Error)) throw error;
        this.#deaths = DEATHS_TOLERATED; // the next command says what is wrong when it is launched
        return;
      }
      this.refill();
    });
  }

  /** Ends those that wait, because their mounts or grants are stale; `refill` starts others. */
  abstract invalidate(): void;

  /** Ends those that wait and starts no more; settles when they are gone. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#idle);
    clearTimeout(this.#refilling);
    this.invalidate();
    await this.allGone();
  }

  /** Whether another one should wait. */
  protected abstract isWanting(): boolean;

  /** Starts one that waits. @throws {Error} When the system cannot. */
  protected abstract addWaiting(): void;

  /** Ends those that wait beyond `size`. */
  protected abstract shrinkTo(size: number): void;

  protected abstract get isEmpty(): boolean;

  protected abstract allGone(): Promise<unknown>;

  /** Notes an acquisition; returns the milliseconds since the last one. */
  protected acquired(): number {
    this.#deaths = 0;
    const before = this.#lastAcquired;
    this.#lastAcquired = performance.now();
    this.target = Math.max(this.target, this.limits.minimum);
    return this.#lastAcquired - before;
  }

  /** Notes the death of one that waited; one that was taken has done its work. */
  protected died(): void {
    this.#deaths++;
    this.refill();
  }

  /** Must be called when one was started. */
  protected watchIdleness(): void {
    this.#idle ??= this.#lookAgainIn(this.limits.idleMs);
  }

  #mayStart(): boolean {
    return this.#deaths < DEATHS_TOLERATED && this.isWanting();
  }

  #lookAgainIn(milliseconds: number): ReturnType<typeof setTimeout> {
    const timer = setTimeout(() => {
      this.#idle = undefined;
      const { idleMs, minimum } = this.limits;
      const unused = performance.now() - this.#lastAcquired;
      if (unused >= idleMs) {
        this.target = Math.min(this.target, minimum);
        this.shrinkTo(unused < 2 * idleMs ? minimum : 0);
      }
      if (!this.isEmpty) this.#idle = this.#lookAgainIn(Math.max(1, idleMs - unused % idleMs));
    }, milliseconds);
    Deno.unrefTimer(timer);
    return timer;
  }
}

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
  readonly images: Pick<LaunchImages, "prewarmedShell" | "prewarmedLauncher" | "servingShell" | "servingLauncher">;
  readonly spawner: Pick<Spawner, "start" | "leftRunning">;
  readonly shell: Shell;
  /** Whether a sandbox runs more than one command, where it can. */
  readonly reuse: boolean;
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

/** The minimum counts sandboxes with a waiting shell. */
export interface ServingLimits extends CommonLimits {
  /** A sandbox this old takes no further command, because its mounts are those of the time when it was made. */
  readonly lifeMs: number;
}

export const SERVING_LIMITS: ServingLimits = { first: 1, minimum: 2, idleMs: 60_000, lifeMs: 60_000 };

/**
 * Starts a sandbox that calls `onFree` when it is ready for another command. @throws {Error} When the system cannot.
 */
export type StartServing = (kind: ServingKind, onFree: (sandbox: ServingSandbox) => void) => ServingSandbox;

/**
 * The serving sandboxes of a session (P1): free ones are reused, another is started if none is free, and those that
 * were idle for a while end. So their number follows the commands in flight.
 */
export class ServingPool extends Pool<ServingLimits> {
  readonly #start: StartServing;
  /** Another shell begins after each line: the one that waits longest is ready. */
  readonly #shells: ServingSandbox[] = [];
  /** The one that served last is warm in the processor's caches. */
  readonly #launchers: ServingSandbox[] = [];
  readonly #all = new Set<ServingSandbox>();

  constructor(start: StartServing, limits: ServingLimits) {
    super(limits);
    this.#start = start;
  }

  /** How many sandboxes there are, with and without a command. */
  get size(): number {
    return this.#all.size;
  }

  /** A sandbox for a program, or for a line, which a waiting shell runs soonest. @throws {Error} When the system cannot start one. */
  acquire(what: "line" | "program"): ServingSandbox {
    this.acquired();
    const free = (what === "line" ? this.#shells.shift() : undefined) ?? this.#launchers.pop();
    if (free !== undefined) return free;
    return this.#add(what === "line" && this.#shellsAlive() < this.limits.minimum ? "shell" : "launcher");
  }

  /** Returns a sandbox whose command has ended, or that got none, to the pool. */
  release(sandbox: ServingSandbox): void {
    if (performance.now() - sandbox.madeAt > this.limits.lifeMs) sandbox.retire();
    else if (!sandbox.isSpent) this.#freeOf(sandbox).push(sandbox);
  }

  /** Ends all sandboxes; busy ones end after their command. */
  override invalidate(): void {
    this.#shells.length = 0;
    this.#launchers.length = 0;
    for (const sandbox of this.#all) sandbox.retire();
  }

  protected override isWanting(): boolean {
    return this.#shellsAlive() < this.target;
  }

  protected override addWaiting(): void {
    this.#shells.push(this.#add("shell"));
  }

  protected override shrinkTo(size: number): void {
    for (const sandbox of [...this.#launchers.splice(0), ...this.#shells.splice(size)]) sandbox.retire();
  }

  protected override get isEmpty(): boolean {
    return this.#all.size === 0;
  }

  protected override allGone(): Promise<unknown> {
    return Promise.all(Array.from(this.#all, ({ gone }) => gone));
  }

  #shellsAlive(): number {
    return this.#all.values().filter(({ kind, isSpent }) => kind === "shell" && !isSpent).toArray().length;
  }

  #add(kind: ServingKind): ServingSandbox {
    const sandbox = this.#start(kind, (free) => this.release(free));
    this.#all.add(sandbox);
    this.watchIdleness();
    void sandbox.gone.then(({ wasFree }) => {
      this.#all.delete(sandbox);
      const free = this.#freeOf(sandbox);
      const index = free.indexOf(sandbox);
      if (index >= 0) free.splice(index, 1);
      if (wasFree && index >= 0) this.died();
    });
    return sandbox;
  }

  #freeOf({ kind }: ServingSandbox): ServingSandbox[] {
    return kind === "shell" ? this.#shells : this.#launchers;
  }
}
