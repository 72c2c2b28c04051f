/** What the launches of a race came to. */
import type { ToolAnswer } from "../../_support/json_rpc.ts";

/** A race in numbers. */
export interface RaceFacts {
  /** Calls that were answered. */
  readonly launches: number;
  /** Of these, that ran nothing: what they were to be launched into had changed. */
  readonly refused: number;
  /** How often a launch was refused and tried again before the answer; undefined: it was not seen. */
  readonly again?: number | undefined;
  /** Steps of the hostile command between the first and the last answer. */
  readonly moves: number;
  /** How many launched commands there were with each of the things that bear the moved name, the most frequent first. */
  readonly states: readonly number[];
  /** How many launched commands got outside. */
  readonly through: number;
}

const PROBED = /^probed (\d+) read=(\d) write=(\d) change=(\d)$/m;
/** Launches that ran and saw fewer show nothing: where all stands still there is one. */
const FEWEST_STATES = 2;

/** How much makes a race. */
export interface Enough {
  readonly launches: number;
  /** Of these, that ran. */
  readonly ran: number;
  readonly moves: number;
}

export class Count {
  readonly #states = new Map<string, number>();
  readonly #got = new Map<string, number>();
  #launches = 0;
  #refused = 0;
  #through = 0;
  #moves = 0;
  #refusal = "";
  #told: ToolAnswer | undefined;

  /** Takes the answer of one launch, how many moves there were until then, and what was moved, where commands do not see it. */
  add(answer: ToolAnswer, moves: number, unseen?: string): void {
    this.#launches++;
    this.#moves = Math.max(this.#moves, moves);
    const [, state = "", read, write, change] = PROBED.exec(answer.text) ?? [];
    if (state === "") {
      this.#refused++;
      this.#refusal = answer.text.slice(0, 300);
      return;
    }
    const moved = unseen ?? state;
    this.#states.set(moved, (this.#states.get(moved) ?? 0) + 1);
    const got = Object.entries({ read, write, change }).filter(([, done]) => done === "1");
    if (got.length === 0) return;
    this.#through++;
    this.#told = answer;
    for (const [name] of got) this.#got.set(name, (this.#got.get(name) ?? 0) + 1);
  }

  /** Whether so many were launched while so many things moved, and the commands saw more than one state of them. */
  isEnough({ launches, ran, moves }: Enough): boolean {
    return this.#launches >= launches && this.#launches - this.#refused >= ran && this.#moves >= moves &&
      this.#states.size >= FEWEST_STATES;
  }

  /** What was achieved that must not be; undefined: nothing. */
  get achieved(): string | undefined {
    if (this.#through === 0) return undefined;
    const got = [...this.#got].map(([name, times]) => `${times} ${name}`).join(", ");
    return `${this.#through} of ${this.#launches} launches got outside (${got})`;
  }

  /** An answer of one that got outside. */
  get answers(): readonly ToolAnswer[] {
    return this.#told === undefined ? [] : [this.#told];
  }

  /** What the last refused launch was told; empty: none was refused. */
  get refusal(): string {
    return this.#refusal;
  }

  get facts(): RaceFacts {
    return {
      launches: this.#launches,
      refused: this.#refused,
      moves: this.#moves,
      states: [...this.#states.values()].toSorted((one, other) => other - one),
      through: this.#through,
    };
  }
}
