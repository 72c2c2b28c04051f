import { Timers } from "../../../base/time.ts";
/** Limits of every pool; times in milliseconds. */
export interface CommonLimits {
  /** Kept ready until the first is acquired: sessions that never run a command need only this many. */
  readonly first: number;
  /** Kept ready when there is little to do. */
  readonly minimum: number;
  /** After this time without an acquisition the pool shrinks to the minimum, after twice this time to nothing. */
  readonly idleMs: number;
}

/** After this many consecutive deaths without use, no process is started ahead of need. */
const DEATHS_TOLERATED = 3;

/** Starts waiting processes ahead of need, and ends those not needed for a while. */
export abstract class Pool<Limits extends CommonLimits> {
  protected readonly limits: Limits;
  /** How many should wait. */
  protected target: number;
  /** By `performance.now()`; at first when the pool was made. */
  #lastAcquired = performance.now();
  #deaths = 0;
  #idle: ReturnType<typeof setTimeout> | undefined;
  readonly #timers = new Timers();
  #leaveRefilling: (() => void) | undefined;
  #closed = false;

  constructor(limits: Limits) {
    this.limits = limits;
    this.target = Math.min(limits.first, limits.minimum);
  }

  /** Starts missing ones, one per turn of the event loop, so that answers and requests go first. */
  refill(): void {
    if (this.#closed || this.#leaveRefilling !== undefined || !this.#mayStart()) return;
    this.#leaveRefilling = this.#timers.start(0, () => {
      this.#leaveRefilling = undefined;
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
    this.#leaveRefilling?.();
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
