/** Runs rules with a time limit: a rule that does not end is dropped, and the others continue (K8). */
import { UserError } from "../../../base/errors.ts";
import type { Helpers } from "../../helper/helpers.ts";
import type { TextEngine } from "../format/rule.ts";
import type { AnsweredRule, RuleAnswer, RuleTask } from "./rule_work.ts";

/** Time limit for all rules on one file, milliseconds. */
const LONGEST_MS = 5_000;
/** The check fails after this many rules were dropped for their time or memory. */
const MOST_DROPPED = 5;

/** A task to match rules against a file; rules are identified by their index. */
export interface MatchTask extends Omit<RuleTask, "rules"> {
  readonly rules: readonly number[];
}

export interface BoundedRulesOptions {
  readonly helpers: Helpers;
  readonly signal: AbortSignal;
  /** Time limit for a file, milliseconds; absent: five seconds. */
  readonly longestMs?: number;
}

export class BoundedRules {
  readonly #engines: readonly (TextEngine | undefined)[];
  readonly #options: BoundedRulesOptions;
  readonly #dropped = new Map<number, string>();
  #hostile = 0;

  /** `engines` has an entry for each rule; undefined: the rule does not examine texts. */
  constructor(engines: readonly (TextEngine | undefined)[], options: BoundedRulesOptions) {
    this.#engines = engines;
    this.#options = options;
  }

  /** Whether the rule looks at texts. */
  looksAtTexts(rule: number): boolean {
    return this.#engines[rule] !== undefined;
  }

  /** Dropped rules with the reason. */
  get dropped(): ReadonlyMap<number, string> {
    return this.#dropped;
  }

  /** The answers by rule; those of dropped rules are missing. @throws {UserError} When cancelled. */
  async ask({ rules, path, text }: MatchTask): Promise<ReadonlyMap<number, RuleAnswer>> {
    const { helpers, signal, longestMs = LONGEST_MS } = this.#options;
    const answers = new Map<number, RuleAnswer>();
    const isOpen = ({ rule }: { readonly rule: number }) => !answers.has(rule) && !this.#dropped.has(rule);
    const asked = rules.flatMap((rule) => {
      const engine = this.#engines[rule];
      return engine === undefined ? [] : [{ rule, engine }];
    });
    for (let open = asked.filter(isOpen); open.length > 0; open = asked.filter(isOpen)) {
      let isBroken = false;
      const onPart = ({ rule, answer }: AnsweredRule) => {
        // Output after the helper broke is ignored.
        if (isBroken) return;
        isBroken = "skipped" in answer && answer.isBroken;
        if ("problem" in answer) this.#dropped.set(rule, `${answer.problem}, on ${path}`);
        else answers.set(rule, answer);
      };
      const task: RuleTask = { rules: open, path, text };
      const done = await helpers.ask<void, AnsweredRule>("rules", task, { signal, longestMs, onPart });
      if (done.ok || isBroken) continue;
      if (done.problem.kind === "cancelled") throw new UserError("The call was cancelled");
      this.#drop(open.find(isOpen)?.rule, `${done.problem.text} on ${path}`);
    }
    return answers;
  }

  #drop(rule: number | undefined, why: string): void {
    if (++this.#hostile > MOST_DROPPED) {
      throw new UserError(`Cannot check files: more than ${MOST_DROPPED} rules were too much, the last because ${why}`);
    }
    if (rule !== undefined) this.#dropped.set(rule, why);
  }
}
