/**
 * Shells that wait, each already inside its sandbox, for the one line they will run (P1). A shell serves one line
 * and is replaced after the answer, not during it, so that starting the next one does not slow this one down.
 * A shell that dies while it waits is replaced; when shells keep dying the pool gives up until the next taking.
 */
import type { LauncherProcess } from "./spawn.ts";

/** Limits of the pool; times in milliseconds. */
export interface PoolLimits {
  /** Shells kept ready when there is little to do. */
  readonly minimum: number;
  /** Shells kept ready while one call follows the other. */
  readonly burst: number;
  /** After this time without a taking the pool shrinks to the minimum, after twice this time to nothing. */
  readonly idleMs: number;
}

export const DEFAULT_LIMITS: PoolLimits = { minimum: 2, burst: 6, idleMs: 60_000 };

/** A call that follows the last one within this time belongs to a burst. */
const BURST_MS = 50;

/** Deaths in a row, without a shell being used, after which nothing is started ahead of need. */
const DEATHS_TOLERATED = 3;

export class ShellPool {
  readonly #start: () => LauncherProcess;
  readonly #limits: PoolLimits;
  readonly #waiting: LauncherProcess[] = [];
  readonly #ending = new Set<Promise<unknown>>();
  /** One until the first is taken: a session in which nobody runs anything needs no more, ever. */
  #target: number;
  #deaths = 0;
  #lastTake = -Infinity;
  #idle: ReturnType<typeof setTimeout> | undefined;
  #refilling: ReturnType<typeof setTimeout> | undefined;
  #closed = false;

  /** `start` launches one waiting shell; it may throw. */
  constructor(start: () => LauncherProcess, limits: PoolLimits = DEFAULT_LIMITS) {
    this.#start = start;
    this.#limits = limits;
    this.#target = Math.min(1, limits.minimum);
  }

  /** How many shells wait now. */
  get ready(): number {
    return this.#waiting.length;
  }

  /** A waiting shell, or undefined when there is none: launch one then. */
  take(): LauncherProcess | undefined {
    this.#deaths = 0;
    const now = performance.now();
    const soon = now - this.#lastTake < BURST_MS;
    this.#lastTake = now;
    this.#target = Math.max(this.#target, this.#limits.minimum);
    const shell = this.#waiting.shift();
    // A shell is ready some milliseconds after its start: calls in a row need more of them under way.
    if (soon && this.#target < this.#limits.burst) this.#target++;
    return shell;
  }

  /** Starts what is missing, one shell a turn of the event loop, so that answers and requests go first. */
  refill(): void {
    if (this.#closed || this.#refilling !== undefined) return;
    if (this.#waiting.length >= this.#target || this.#deaths >= DEATHS_TOLERATED) return;
    this.#refilling = setTimeout(() => {
      this.#refilling = undefined;
      if (this.#add()) this.refill();
    });
  }

  /** Ends the waiting shells, because they were born into another state of things; `refill` starts others. */
  renew(): void {
    this.#shrinkTo(0);
  }

  /** Ends the waiting shells and starts no more. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#idle);
    clearTimeout(this.#refilling);
    this.#shrinkTo(0);
    await Promise.all(this.#ending);
  }

  #add(): boolean {
    this.#watchIdleness();
    let shell: LauncherProcess;
    try {
      shell = this.#start();
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      this.#deaths = DEATHS_TOLERATED; // the next command says what is wrong when it is launched
      return false;
    }
    this.#waiting.push(shell);
    const ended = shell.status.then(() => this.#forget(shell)).finally(() => this.#ending.delete(ended));
    this.#ending.add(ended);
    return true;
  }

  /** Only a shell that still waits counts as dead; one that was taken has done its work. */
  #forget(shell: LauncherProcess): void {
    const index = this.#waiting.indexOf(shell);
    if (index < 0) return;
    this.#waiting.splice(index, 1);
    this.#deaths++;
    void discard(shell);
    this.refill();
  }

  #watchIdleness(): void {
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => {
      const next = this.#target > this.#limits.minimum ? this.#limits.minimum : 0;
      this.#target = this.#limits.minimum;
      this.#shrinkTo(next);
      if (next > 0) this.#watchIdleness();
    }, this.#limits.idleMs);
    Deno.unrefTimer(this.#idle);
  }

  #shrinkTo(size: number): void {
    for (const shell of this.#waiting.splice(size)) void discard(shell);
  }
}

/** Closing its stdin ends a waiting shell; its streams are let go. */
async function discard(shell: LauncherProcess): Promise<void> {
  await Promise.allSettled([shell.stdin.close(), shell.output.cancel(), shell.reports.cancel(), shell.status]);
}
