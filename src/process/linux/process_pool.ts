/**
 * Prewarmed processes, each already inside its sandbox, wait for the one command they will run (P1). A process is
 * replaced after the answer, so that starting the next one does not slow the command down. One that dies while it waits
 * is replaced; when they keep dying, the pool gives up until the next acquisition.
 */
import type { LauncherProcess } from "../spawn.ts";

/** Limits of the pool; times in milliseconds. */
export interface PoolLimits {
  /** Kept ready until the first is acquired: sessions that never run a command need only this many. */
  readonly first: number;
  /** Kept ready when there is little to do. */
  readonly minimum: number;
  /** Kept ready during a burst of calls. */
  readonly burst: number;
  /** After this time without an acquisition the pool shrinks to the minimum, after twice this time to nothing. */
  readonly idleMs: number;
}

export const SHELL_LIMITS: PoolLimits = { first: 1, minimum: 2, burst: 6, idleMs: 60_000 };
/** At first no launcher waits: only the first command without a shell shows that they are needed. */
export const LAUNCHER_LIMITS: PoolLimits = { ...SHELL_LIMITS, first: 0 };

/** A call that follows the last one within this time belongs to a burst. */
const BURST_MS = 50;

/** After this many consecutive deaths without use, no process is started ahead of need. */
const DEATHS_TOLERATED = 3;

export class ProcessPool {
  readonly #start: () => LauncherProcess;
  readonly #limits: PoolLimits;
  readonly #waiting: LauncherProcess[] = [];
  readonly #ending = new Set<Promise<unknown>>();
  #target: number;
  #deaths = 0;
  #lastTake = -Infinity;
  #idle: ReturnType<typeof setTimeout> | undefined;
  #refilling: ReturnType<typeof setTimeout> | undefined;
  #closed = false;

  /** `start` launches one that waits; it may throw. */
  constructor(start: () => LauncherProcess, limits: PoolLimits) {
    this.#start = start;
    this.#limits = limits;
    this.#target = Math.min(limits.first, limits.minimum);
  }

  /** How many wait now. */
  get ready(): number {
    return this.#waiting.length;
  }

  /** One that waits, or undefined when there is none: launch it then. */
  acquire(): LauncherProcess | undefined {
    this.#deaths = 0;
    const now = performance.now();
    const soon = now - this.#lastTake < BURST_MS;
    this.#lastTake = now;
    this.#target = Math.max(this.#target, this.#limits.minimum);
    const taken = this.#waiting.shift();
    // One is ready some milliseconds after its start: calls in a row need more of them under way.
    if (soon && this.#target < this.#limits.burst) this.#target++;
    return taken;
  }

  /** Starts missing sandboxes, one per turn of the event loop, so that answers and requests go first. */
  refill(): void {
    if (this.#closed || this.#refilling !== undefined) return;
    if (this.#waiting.length >= this.#target || this.#deaths >= DEATHS_TOLERATED) return;
    this.#refilling = setTimeout(() => {
      this.#refilling = undefined;
      if (this.#add()) this.refill();
    });
  }

  /** Ends those that wait, because their mounts or grants are stale; `refill` starts others. */
  invalidate(): void {
    this.#shrinkTo(0);
  }

  /** Ends those that wait and starts no more. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#idle);
    clearTimeout(this.#refilling);
    this.#shrinkTo(0);
    await Promise.all(this.#ending);
  }

  #add(): boolean {
    this.#watchIdleness();
    let process: LauncherProcess;
    try {
      process = this.#start();
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      this.#deaths = DEATHS_TOLERATED; // the next command says what is wrong when it is launched
      return false;
    }
    this.#waiting.push(process);
    const ended = process.status.then(() => this.#forget(process)).finally(() => this.#ending.delete(ended));
    this.#ending.add(ended);
    return true;
  }

  /** Only one that still waits counts as dead; one that was taken has done its work. */
  #forget(process: LauncherProcess): void {
    const index = this.#waiting.indexOf(process);
    if (index < 0) return;
    this.#waiting.splice(index, 1);
    this.#deaths++;
    void discard(process);
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
    for (const process of this.#waiting.splice(size)) void discard(process);
  }
}

/** Closing its stdin ends a waiting process; its streams are cancelled. */
async function discard({ stdin, output, reports, status }: LauncherProcess): Promise<void> {
  await Promise.allSettled([stdin.close(), output.cancel(), reports.cancel(), status]);
}
