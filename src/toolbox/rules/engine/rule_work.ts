/** What rules find in texts. A pattern may take any time, so a helper does it. */
import { messageOf } from "../../../base/errors.ts";
import type { WorkerSetup } from "../../frame/messages.ts";
import type { HelperWork, WorkHooks } from "../../helper/messages.ts";
import type { TextEngine } from "../format/rule.ts";
import { FileProblem, TextRules } from "./find_in_text.ts";
import type { FoundPlace } from "./match_text.ts";

/** The question what rules find in a file. `rule` names one in the answer. */
export interface RuleTask {
  readonly rules: readonly { readonly rule: number; readonly engine: TextEngine }[];
  readonly path: string;
  readonly text: string;
}

/** What one rule answers: places in the text. */
export type RuleAnswer =
  | { readonly found: readonly FoundPlace[] }
  /** For this file alone; `isBroken`: the helper is of no use any more. */
  | { readonly skipped: string; readonly isBroken: boolean }
  /** For all files. */
  | { readonly problem: string };

/** A part of an answer, in the order of the rules of the task. */
export interface AnsweredRule {
  readonly rule: number;
  readonly answer: RuleAnswer;
}

/** The work of a helper for rules. */
export function ruleWork({ data }: WorkerSetup, { post, spend }: WorkHooks): HelperWork {
  const texts = new TextRules(data, spend);
  const answerOf = async (engine: TextEngine, path: string, text: string): Promise<RuleAnswer> => {
    try {
      return { found: await texts.find(engine, path, text) };
    } catch (thrown) {
      if (thrown instanceof FileProblem) return { skipped: thrown.message, isBroken: texts.isBroken };
      return { problem: messageOf(thrown) };
    }
  };
  return async ({ rules, path, text }: RuleTask) => {
    for (const { rule, engine } of rules) {
      post({ rule, answer: await answerOf(engine, path, text) } satisfies AnsweredRule);
    }
  };
}
