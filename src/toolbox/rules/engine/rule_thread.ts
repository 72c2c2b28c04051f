/**
 * The thread in which patterns of rules run. It loads the module that holds this file, as the thread of a
 * search does, and is ended from outside when one of them takes too long.
 */
import { messageOf } from "../../../base/errors.ts";
import { isThread } from "../../thread/in_thread.ts";
import type { TextEngine } from "../format/rule.ts";
import { FileProblem, TextRules } from "./find_in_text.ts";
import type { FoundPlace } from "./match_text.ts";

/** What the thread needs of a rule; undefined: it does not look at texts. */
export type ThreadRule = TextEngine | undefined;

/** Rules are named by their place in the list. */
export type ThreadTask =
  /** The first: it is answered with `ready`. */
  | { readonly kind: "rules"; readonly rules: readonly ThreadRule[]; readonly data: string | undefined }
  /** What a rule finds in a file. */
  | { readonly kind: "match"; readonly rules: readonly number[]; readonly path: string; readonly text: string };

/** What one rule answers: places in the text. */
export type RuleAnswer =
  | { readonly found: readonly FoundPlace[] }
  /** For this file alone; `isBroken`: the thread is of no use any more. */
  | { readonly skipped: string; readonly isBroken: boolean }
  /** For all files. */
  | { readonly problem: string };

/** From the thread; a task is answered rule by rule in their order, then by `ready`. */
export type ThreadMessage =
  | { readonly kind: "ready" }
  | { readonly kind: "answer"; readonly rule: number; readonly answer: RuleAnswer };

interface ThreadScope {
  onmessage: (event: { readonly data: ThreadTask }) => void;
  postMessage(message: ThreadMessage): void;
}

/** Address of the module that a thread begins with, and its name. */
export const THREAD_MODULE: string = import.meta.url;
export const RULE_THREAD = "rules";

class RuleService {
  readonly #post: (message: ThreadMessage) => void;
  #rules: readonly ThreadRule[] = [];
  #texts = new TextRules(undefined);

  constructor(post: (message: ThreadMessage) => void) {
    this.#post = post;
  }

  async take(task: ThreadTask): Promise<void> {
    if (task.kind === "rules") {
      this.#rules = task.rules;
      this.#texts = new TextRules(task.data);
    } else {
      for (const rule of task.rules) {
        const answer = await this.#answer(rule, task);
        this.#post({ kind: "answer", rule, answer });
      }
    }
    this.#post({ kind: "ready" });
  }

  async #answer(index: number, { path, text }: Extract<ThreadTask, { kind: "match" }>): Promise<RuleAnswer> {
    const engine = this.#rules[index];
    try {
      return { found: engine === undefined ? [] : await this.#texts.find(engine, path, text) };
    } catch (thrown) {
      if (thrown instanceof FileProblem) return { skipped: thrown.message, isBroken: this.#texts.isBroken };
      return { problem: messageOf(thrown) };
    }
  }
}

if (isThread() && globalThis.name === RULE_THREAD) {
  const scope = globalThis as unknown as ThreadScope; // a thread's own, which the types of programs lack
  const service = new RuleService((message) => scope.postMessage(message));
  scope.onmessage = ({ data }) => void service.take(data);
}
