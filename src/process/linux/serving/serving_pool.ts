import type { Logger } from "../../../base/log.ts";
import { type CommonLimits, Pool } from "./pool.ts";
import type { ServingKind, ServingSandbox } from "./serving_sandbox.ts";

/** The minimum counts sandboxes with a waiting shell. */
export interface ServingLimits extends CommonLimits {
  /** A sandbox this old takes no further command, because its mounts are those of the time when it was made. */
  readonly lifeMs: number;
}

/** What a pool of serving sandboxes is made from. */
export interface ServingOptions extends ServingLimits {
  /** Whether shells fork for each line, until one of them cannot (P5). */
  readonly forks: boolean;
  readonly logger: Pick<Logger, "warn">;
}

export const SERVING_LIMITS: ServingLimits = { first: 1, minimum: 2, idleMs: 60_000, lifeMs: 60_000 };

/** Starts a sandbox that calls `onFree` whenever it is ready again. @throws {Error} When the system cannot. */
export type StartServing = (kind: ServingKind, onFree: (sandbox: ServingSandbox) => void) => ServingSandbox;

/** A session's serving sandboxes (P1): free ones are reused, missing ones started, idle ones ended. */
export class ServingPool extends Pool<ServingLimits> {
  readonly #start: StartServing;
  readonly #logger: ServingOptions["logger"];
  #forks: boolean;
  /** Another shell begins after each line: the one that waits longest is ready. One that forks is always. */
  readonly #shells: ServingSandbox[] = [];
  /** The one that served last is warm in the processor's caches. */
  readonly #launchers: ServingSandbox[] = [];
  readonly #all = new Set<ServingSandbox>();

  constructor(start: StartServing, { forks, logger, ...limits }: ServingOptions) {
    super(limits);
    this.#start = start;
    this.#forks = forks;
    this.#logger = logger;
  }

  /** How many sandboxes there are, with and without a command. */
  get size(): number {
    return this.#all.size;
  }

  /** A sandbox for a program, or for a line, which a waiting shell runs soonest. @throws {Error} When the system cannot start one. */
  acquire(what: "line" | "program"): ServingSandbox {
    this.acquired();
    for (const sandbox of this.#all) this.#judge(sandbox);
    const shell = () => this.#forks ? this.#shells.pop() : this.#shells.shift();
    const free = (what === "line" ? shell() : undefined) ?? this.#launchers.pop();
    if (free !== undefined) return free;
    const wantsShell = what === "line" && (this.#forks || this.#shellsAlive() < this.limits.minimum);
    return this.#add(wantsShell ? this.#shellKind : "launcher");
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
    this.#shells.push(this.#add(this.#shellKind));
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
    return this.#all.values().filter(({ kind, isSpent }) => kind !== "launcher" && !isSpent).toArray().length;
  }

  #add(kind: ServingKind): ServingSandbox {
    const sandbox = this.#start(kind, (free) => this.release(free));
    this.#all.add(sandbox);
    this.watchIdleness();
    void sandbox.gone.then(({ wasFree }) => {
      this.#judge(sandbox);
      this.#all.delete(sandbox);
      const free = this.#freeOf(sandbox);
      const index = free.indexOf(sandbox);
      if (index >= 0) free.splice(index, 1);
      if (!wasFree || index < 0) return;
      // Shells that cannot fork may have begun several at a time. Others replace them, however many they were.
      if (sandbox.isUnfit) this.refill();
      else this.died();
    });
    return sandbox;
  }

  /** Lets no more shells fork where one could not begin. */
  #judge({ isUnfit }: ServingSandbox): void {
    if (!isUnfit || !this.#forks) return;
    this.#forks = false;
    this.#logger.warn("A shell that forks did not start: each line starts a shell");
  }

  #freeOf({ kind }: ServingSandbox): ServingSandbox[] {
    return kind === "launcher" ? this.#launchers : this.#shells;
  }

  get #shellKind(): ServingKind {
    return this.#forks ? "forking" : "shell";
  }
}
