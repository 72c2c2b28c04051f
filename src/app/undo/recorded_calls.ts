/** Has the worker look at the project before and after each call that may write (S39). A record that fails stops no call. */
import type { WorkerLink } from "../../toolbox/link/worker_link.ts";
import { UNDO_BEGIN, UNDO_END } from "../../toolbox/definition/undo.ts";
import { textOf } from "../../toolbox/source/toolbox_source.ts";
import { shorten } from "../../base/visible_text.ts";

/** What is recorded. */
export interface RecordedCall {
  /** Of the operation. */
  readonly id: string;
  /** A line for lists. */
  readonly title: string;
}

/** A record ends even where its call was cancelled. */
const NEVER = new AbortController().signal;
const LONGEST_TITLE = 200;

export class RecordedCalls {
  readonly #link: Pick<WorkerLink, "call">;

  constructor(link: Pick<WorkerLink, "call">) {
    this.#link = link;
  }

  /** Works between two looks; sentences for the result: what changed, and what was not recorded. */
  async around<Result>(
    { id, title }: RecordedCall,
    work: () => Promise<Result>,
  ): Promise<{ readonly result: Result; readonly notes: readonly string[] }> {
    const begun = await this.#ask(UNDO_BEGIN, { operation: id, title: shorten(title, LONGEST_TITLE) });
    try {
      const result = await work();
      const ended = await this.#ask(UNDO_END, { operation: id });
      // Both often fail for one reason.
      return { result, notes: [...new Set([begun, ended])].filter((note) => note !== "") };
    } catch (thrown) {
      await this.#ask(UNDO_END, { operation: id });
      throw thrown;
    }
  }

  async #ask(call: string, args: Readonly<Record<string, string>>): Promise<string> {
    const answer = await this.#link.call(call, args, { signal: NEVER });
    const text = textOf(answer);
    if (answer.isError !== true) return text;
    // The agent knows nothing of the two calls.
    return `Not recorded for undo: ${shorten(text.replace(`Cannot run "${call}": `, ""), 300)}`;
  }
}
