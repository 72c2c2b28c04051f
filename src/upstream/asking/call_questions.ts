/** The questions of one call: how many are put, and that a person who does not agree twice is left alone (O2). */
import type { Question } from "../../service/questions/question.ts";

/** Questions that are put in one call; a completion asks no person of itself. */
const MOST: Readonly<Record<Question["method"], number>> = { "elicitation/create": 20, "sampling/createMessage": 100 };
/** Questions of a call that may be declined, cancelled or left without an answer. */
const MOST_DECLINED = 2;

export class CallQuestions {
  readonly #put = { "elicitation/create": 0, "sampling/createMessage": 0 };
  readonly #end = new AbortController();
  #declined = 0;

  /** Aborted when no more questions are put: those that are open are taken back. */
  get signal(): AbortSignal {
    return this.#end.signal;
  }

  /** Why a question is not put; undefined: it is, and counts. */
  refusal(method: Question["method"]): string | undefined {
    if (this.#declined >= MOST_DECLINED) return `${MOST_DECLINED} of its questions in this call were not accepted`;
    if (this.#put[method] >= MOST[method]) return `it has put ${MOST[method]} of these questions in this call`;
    this.#put[method]++;
    return undefined;
  }

  /** To be called when a question was declined, cancelled or left without an answer. */
  declined(): void {
    this.#declined++;
    if (this.#declined >= MOST_DECLINED) this.#end.abort();
  }
}
