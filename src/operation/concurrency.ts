/** How much runs at once. */
import type { CommandEnd } from "../base/command/command_end.ts";

/** An entry of the queue. */
export interface Turn {
  /** Entries that share a key run one after the other (X13); empty: no such limit. */
  readonly exclusive: readonly string[];
}

/** Lets a limited number of works run at once, others in order (X12, X13). Sessions of a server share one. */
export class Turns {
  readonly #most: number;
  /** Waiting entries in order of arrival, with the function that starts each. */
  readonly #queue = new Map<Turn, () => void>();
  /** Keys of the running exclusive entries. */
  readonly #held = new Set<string>();
  #running = 0;

  /** `most`: how many run at once, at least 1. */
  constructor(most: number) {
    this.#most = most;
  }

  /** Starts `turn` if it may run at once; true: it has begun, and `end` must follow. */
  begin(turn: Turn): boolean {
    if (!this.#mayRun(turn)) return false;
    this.#running++;
    for (const key of turn.exclusive) this.#held.add(key);
    return true;
  }

  /** Queues `turn`; `start` is called when it begins. */
  wait(turn: Turn, start: () => void): void {
    this.#queue.set(turn, start);
  }

  /** Removes `turn` from the queue, if it is there. */
  leave(turn: Turn): void {
    this.#queue.delete(turn);
  }

  /** Ends `turn` and starts the next ones. */
  end(turn: Turn): void {
    this.#running--;
    for (const key of turn.exclusive) this.#held.delete(key);
    for (const [next, start] of this.#queue) {
      if (this.#running >= this.#most) return;
      if (!this.begin(next)) continue;
      this.#queue.delete(next);
      start();
    }
  }

  /** Runs `work` in its turn. Undefined: `signal` was aborted first. */
  async take<Value>(turn: Turn, signal: AbortSignal, work: () => Promise<Value>): Promise<Value | undefined> {
    if (!this.begin(turn) && !await this.#wait(turn, signal)) return undefined;
    try {
      return await work();
    } finally {
      this.end(turn);
    }
  }

  /** 1 for the next in turn; undefined: not queued. */
  position(turn: Turn): number | undefined {
    if (!this.#queue.has(turn)) return undefined;
    return [...this.#queue.keys()].indexOf(turn) + 1;
  }

  /** False: `signal` was aborted first. */
  async #wait(turn: Turn, signal: AbortSignal): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<void>();
    let hasBegun = false;
    this.wait(turn, () => {
      hasBegun = true;
      resolve();
    });
    signal.addEventListener("abort", () => resolve(), { once: true });
    if (!signal.aborted) await promise;
    this.leave(turn);
    return hasBegun;
  }

  #mayRun({ exclusive }: Turn): boolean {
    return this.#running < this.#most && !exclusive.some((key) => this.#held.has(key));
  }
}

/** Commands of a server with an open input at once (X22), pipes and terminals together. */
const MOST_INPUTS = 64;
const INPUT_REFUSAL =
  `${MOST_INPUTS} commands with input or tty run, which is the limit: end one of them with \`cancel\`; ` +
  "`status` lists them";

/** The open inputs of one server: each holds a process, and a terminal a screen. */
export class OpenInputs {
  #open = 0;

  /** Runs a command whose input stays open, or refuses it. */
  async hold(run: () => Promise<CommandEnd>): Promise<CommandEnd> {
    if (this.#open >= MOST_INPUTS) return { kind: "not_started", message: INPUT_REFUSAL };
    this.#open++;
    try {
      return await run();
    } finally {
      this.#open--;
    }
  }
}
