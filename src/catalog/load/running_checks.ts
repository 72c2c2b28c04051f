/** The checks of tool files that run now (T11): listed by `status`, ended by `cancel`. */
import type { AskProbe } from "./availability.ts";

export interface RunningCheck {
  /** `check_` and a number. */
  readonly id: string;
  /** Program and arguments. */
  readonly argv: readonly string[];
  /** Milliseconds since 1970. */
  readonly startedAt: number;
}

interface Entry extends RunningCheck {
  readonly abort: AbortController;
  readonly over: Promise<unknown>;
}

export class RunningChecks {
  readonly #running = new Map<string, Entry>();
  #count = 0;

  /** In the order of their starts. */
  list(): readonly RunningCheck[] {
    return [...this.#running.values()].map(({ id, argv, startedAt }) => ({ id, argv, startedAt }));
  }

  /** Ends a check and settles when it is over; false: no check of this id runs. */
  async end(id: string): Promise<boolean> {
    const entry = this.#running.get(id);
    entry?.abort.abort();
    await entry?.over;
    return entry !== undefined;
  }

  /** Asks as `ask` does; each command is in the list while it runs. */
  listed(ask: AskProbe): AskProbe {
    return (probe, signal) => {
      if (probe.kind !== "command") return ask(probe, signal);
      const id = `check_${++this.#count}`;
      const abort = new AbortController();
      const over = ask(probe, AbortSignal.any([signal, abort.signal])).finally(() => this.#running.delete(id));
      this.#running.set(id, { id, argv: probe.argv, startedAt: Date.now(), abort, over });
      return over;
    };
  }
}

/** Rounds that need not wait for each other. */
const AT_ONCE = 3;
/** One more round after each, milliseconds. */
const MS_PER_ROUND = 10_000;

/** A bucket of rounds that fills with time. Pure: the caller brings the time, milliseconds that never go back. */
export class CheckRate {
  /** What rounds may be begun with: each takes the time of one. */
  #creditMs = AT_ONCE * MS_PER_ROUND;
  #filledAt = 0;

  /** Begins a round: 0; or how long to wait for one, milliseconds. */
  begin(now: number): number {
    this.#creditMs = Math.min(AT_ONCE * MS_PER_ROUND, this.#creditMs + (now - this.#filledAt));
    this.#filledAt = now;
    if (this.#creditMs < MS_PER_ROUND) return MS_PER_ROUND - this.#creditMs;
    this.#creditMs -= MS_PER_ROUND;
    return 0;
  }
}
