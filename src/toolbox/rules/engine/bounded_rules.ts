/** Patterns of rules with a limit of time: a hostile rule that never ends is dropped, and the others continue (K8). */
import { UserError } from "../../../base/errors.ts";
import type { Helpers } from "../../helper/helpers.ts";
import type { TextEngine } from "../format/rule.ts";
import type { AnsweredRule, RuleAnswer, RuleTask } from "./rule_work.ts";

/** Time of all rules together for one file, milliseconds. */
const LONGEST_MS = 5_000;
/** After this many rules were dropped for their time or memory, the check gives up. */
const MOST_DROPPED = 5;

/** The question what rules find in a file; they are named by their place in the list. */
export interface MatchTask extends Omit<RuleTask, "rules"> {
  readonly rules: readonly number[];
}

export interface BoundedRulesOptions {
  readonly helpers: Helpers;
  readonly signal: AbortSignal;
  /** Milliseconds for a file; absent: five seconds. */
  readonly longestMs?: number;
}

export class BoundedRules {
  readonly #engines: readonly (TextEngine | undefined)[];
  readonly #options: BoundedRulesOptions;
  readonly #dropped = new Map<number, string>();
  #hostile = 0;

  /** `engines`: of each rule; undefined: it does not look at texts. */
  constructor(engines: readonly (TextEngine | undefined)[], options: BoundedRulesOptions) {
    this.#engines = engines;
    this.#options = options;
  }

  /** Whether the rule looks at texts. */
  looksAtTexts(rule: number): boolean {
    return this.#engines[rule] !== undefined;
  }

  /** Rules that are not run any more, and why. */
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
        // Later output of a broken helper is not an answer.
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
