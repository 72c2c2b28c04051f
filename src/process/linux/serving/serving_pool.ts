/**
 * The serving sandboxes of a session (P1): free ones are reused, another is started if none is free, and those that
 * were idle for a while end. So their number follows the commands in flight.
 */
import type { ServingKind, ServingSandbox } from "./serving_sandbox.ts";

/** Limits of the pool; times in milliseconds. */
export interface ServingLimits {
  /** Kept until the first is acquired: sessions that never run a command need only this many. */
  readonly first: number;
  /** Kept afterwards, each with a shell that waits. */
  readonly minimum: number;
  /** After this time without an acquisition the pool shrinks to the minimum, after twice this time to nothing. */
  readonly idleMs: number;
  /** A sandbox this old takes no further command, because its mounts are those of the time when it was made. */
  readonly lifeMs: number;
}

export const SERVING_LIMITS: ServingLimits = { first: 1, minimum: 2, idleMs: 60_000, lifeMs: 60_000 };

/** After this many consecutive deaths without use, no process is started ahead of need. */
const DEATHS_TOLERATED = 3;

/** Starts a sandbox that calls `onFree` when it is ready for another command. @throws {Error} When the system cannot. */
export type StartServing = (kind: ServingKind, onFree: (sandbox: ServingSandbox) => void) => ServingSandbox;

export class ServingPool {
  readonly #start: StartServing;
  readonly #limits: ServingLimits;
  /** Another shell begins after each line: the one that waits longest is ready. */
  readonly #shells: ServingSandbox[] = [];
  /** The one that served last is warm in the processor's caches. */
  readonly #launchers: ServingSandbox[] = [];
  readonly #all = new Set<ServingSandbox>();
  #target: number;
  #deaths = 0;
  #lastAcquired = performance.now();
  #idle: ReturnType<typeof setTimeout> | undefined;
  #refilling: ReturnType<typeof setTimeout> | undefined;
  #closed = false;

  constructor(start: StartServing, limits: ServingLimits) {
    this.#start = start;
    this.#limits = limits;
    this.#target = Math.min(limits.first, limits.minimum);
  }

  /** How many sandboxes there are, with and without a command. */
  get size(): number {
    return this.#all.size;
  }

  /** A sandbox for a program, or for a line, which a shell that waits runs soonest. @throws {Error} When the system cannot start one. */
  acquire(what: "line" | "program"): ServingSandbox {
    this.#deaths = 0;
    this.#lastAcquired = performance.now();
    this.#target = this.#limits.minimum;
    const free = (what === "line" ? this.#shells.shift() : undefined) ?? this.#launchers.pop();
    if (free !== undefined) return free;
    return this.#add(what === "line" && this.#shellsAlive() < this.#limits.minimum ? "shell" : "launcher");
  }

  /** Returns a sandbox whose command has ended, or that got none, to the pool. */
  release(sandbox: ServingSandbox): void {
    if (performance.now() - sandbox.madeAt > this.#limits.lifeMs) sandbox.retire();
    else if (!sandbox.isSpent) this.#free(sandbox);
  }

  /** Starts missing sandboxes, one per turn of the event loop, so that answers and requests go first. */
  refill(): void {
    if (this.#closed || this.#refilling !== undefined || !this.#isWanting()) return;
    this.#refilling = setTimeout(() => {
      this.#refilling = undefined;
      if (!this.#isWanting()) return;
      try {
        this.#free(this.#add("shell"));
      } catch (error) {
        if (!(error instanceof Error)) throw error;
        this.#deaths = DEATHS_TOLERATED; // the next command says what is wrong when it is launched
        return;
      }
      this.refill();
    });
  }

  /**
   * Ends all sandboxes because their mounts or grants are stale; busy ones end after their command. `refill` starts
   * others.
   */
  invalidate(): void {
    this.#shells.length = 0;
    this.#launchers.length = 0;
    for (const sandbox of this.#all) sandbox.retire();
  }

  /** Ends all and starts no more; busy ones end after their command. Settles when all are gone. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#idle);
    clearTimeout(this.#refilling);
    this.invalidate();
    await Promise.all(Array.from(this.#all, ({ gone }) => gone));
  }

  #isWanting(): boolean {
    return this.#deaths < DEATHS_TOLERATED && this.#shellsAlive() < this.#target;
  }

  #shellsAlive(): number {
    return this.#all.values().filter(({ kind, isSpent }) => kind === "shell" && !isSpent).toArray().length;
  }

  #add(kind: ServingKind): ServingSandbox {
    const sandbox = this.#start(kind, (free) => this.release(free));
    this.#all.add(sandbox);
    this.#idle ??= this.#watchIdleness(this.#limits.idleMs);
    void sandbox.gone.then(({ wasFree }) => {
      this.#all.delete(sandbox);
      if (!wasFree || !this.#forget(sandbox)) return;
      this.#deaths++;
      this.refill();
    });
    return sandbox;
  }

  #free(sandbox: ServingSandbox): void {
    (sandbox.kind === "shell" ? this.#shells : this.#launchers).push(sandbox);
  }

  /** Whether it was free. */
  #forget(sandbox: ServingSandbox): boolean {
    const free = sandbox.kind === "shell" ? this.#shells : this.#launchers;
    const index = free.indexOf(sandbox);
    if (index >= 0) free.splice(index, 1);
    return index >= 0;
  }

  /** Checks again when the time may be over. */
  #watchIdleness(milliseconds: number): ReturnType<typeof setTimeout> {
    const timer = setTimeout(() => {
      this.#idle = undefined;
      const { idleMs, minimum } = this.#limits;
      const unused = performance.now() - this.#lastAcquired;
      if (unused >= idleMs) this.#shrinkTo(unused < 2 * idleMs ? minimum : 0);
      if (this.#all.size > 0) this.#idle = this.#watchIdleness(Math.max(1, idleMs - unused % idleMs));
    }, milliseconds);
    Deno.unrefTimer(timer);
    return timer;
  }

  /** Of those that are free. */
  #shrinkTo(size: number): void {
    for (const sandbox of [...this.#launchers.splice(0), ...this.#shells.splice(size)]) sandbox.retire();
  }
}
