/**
 * Patterns of rules with a limit of time: a rule of a hostile repository that never ends is dropped, and the
 * others go on (K8).
 */
import { UserError } from "../../../base/errors.ts";
import { endThread } from "../../thread/end_thread.ts";
import {
  RULE_THREAD,
  type RuleAnswer,
  THREAD_MODULE,
  type ThreadMessage,
  type ThreadRule,
  type ThreadTask,
} from "./rule_thread.ts";

/** All rules together may take so long for one task, milliseconds. */
const LONGEST_MS = 5_000;
/** So many rules may be dropped for their time until the check is given up. */
const MOST_LATE = 5;
/** A thread may take so long until it is there. */
const LONGEST_START_MS = 30_000;

export type RuleTask = Exclude<ThreadTask, { kind: "rules" }>;

export interface BoundedRulesOptions {
  readonly signal: AbortSignal;
  /** Directory of grammars; absent: there are none. */
  readonly data?: string | undefined;
  /** Milliseconds for a task; absent: five seconds. */
  readonly longestMs?: number;
}

type End = "ready" | "late" | "cancelled";

export class BoundedRules implements Disposable {
  readonly #rules: readonly ThreadRule[];
  readonly #options: BoundedRulesOptions;
  readonly #dropped = new Map<number, string>();
  #late = 0;
  #thread: Worker | undefined;
  /** It has a task, and has not answered it to the end. */
  #isWorking = false;

  constructor(rules: readonly ThreadRule[], options: BoundedRulesOptions) {
    this.#rules = rules;
    this.#options = options;
  }

  /** Rules that answer no more, each with the reason. */
  get dropped(): ReadonlyMap<number, string> {
    return this.#dropped;
  }

  /** The answers by rule; those of dropped rules are missing. `what` names the task. @throws {UserError} When cancelled. */
  async ask(task: RuleTask, what: string): Promise<ReadonlyMap<number, RuleAnswer>> {
    const answers = new Map<number, RuleAnswer>();
    for (;;) {
      const rules = task.rules.filter((rule) => !answers.has(rule) && !this.#dropped.has(rule));
      const [first] = rules;
      if (first === undefined) return answers;
      let isBroken = false;
      const end = await this.#run({ ...task, rules }, (rule, answer) => {
        // What follows in a broken thread is no answer.
        if (isBroken) return;
        isBroken = "skipped" in answer && answer.isBroken;
        if ("problem" in answer) this.#dropped.set(rule, `${answer.problem}, ${what}`);
        else answers.set(rule, answer);
      });
      if (end === "cancelled") throw new UserError("The call was cancelled");
      if (isBroken) this[Symbol.dispose]();
      else if (end === "late") {
        this.#dropLate(rules.find((rule) => !answers.has(rule) && !this.#dropped.has(rule)), what);
      }
    }
  }

  [Symbol.dispose](): void {
    if (this.#thread !== undefined) endThread(this.#thread, { isWorking: this.#isWorking });
    this.#thread = undefined;
  }

  #dropLate(rule: number | undefined, what: string): void {
    const seconds = (this.#options.longestMs ?? LONGEST_MS) / 1000;
    if (++this.#late > MOST_LATE) {
      throw new UserError(`Cannot check files: more than ${MOST_LATE} rules took longer than ${seconds} s each`);
    }
    if (rule !== undefined) this.#dropped.set(rule, `it took longer than ${seconds} s ${what}`);
    this[Symbol.dispose]();
  }

  async #run(task: RuleTask, onAnswer: (rule: number, answer: RuleAnswer) => void): Promise<End> {
    if (this.#thread === undefined) {
      const started = new Worker(THREAD_MODULE, { type: "module", name: RULE_THREAD });
      this.#thread = started;
      const first = { kind: "rules", rules: this.#rules, data: this.#options.data } as const;
      const end = await this.#await(started, first, () => {}, LONGEST_START_MS);
      if (end === "late") throw new UserError("Cannot check rules: the machine is too busy to start a thread");
      if (end === "cancelled") return end;
    }
    return await this.#await(this.#thread, task, onAnswer, this.#options.longestMs ?? LONGEST_MS);
  }

  async #await(
    thread: Worker,
    task: ThreadTask,
    onAnswer: (rule: number, answer: RuleAnswer) => void,
    longestMs: number,
  ): Promise<End> {
    const { promise, resolve, reject } = Promise.withResolvers<End>();
    const { signal } = this.#options;
    const cancel = () => resolve("cancelled");
    const timer = setTimeout(() => resolve("late"), longestMs);
    signal.addEventListener("abort", cancel, { once: true });
    thread.onmessage = ({ data }: MessageEvent<ThreadMessage>) => {
      this.#isWorking = data.kind !== "ready";
      if (data.kind === "ready") resolve("ready");
      else onAnswer(data.rule, data.answer);
    };
    thread.onerror = (event) => {
      event.preventDefault();
      this.#isWorking = false;
      reject(new Error(event.message));
    };
    try {
      if (signal.aborted) cancel();
      else {
        this.#isWorking = true;
        thread.postMessage(task);
      }
      return await promise;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", cancel);
    }
  }
}
