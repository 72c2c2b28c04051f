/** What a call may not change, in the words of other denials (S15). */
import { type Denial, denialSentence, DENIED_META_KEY } from "../../base/command/denial.ts";
import { UserError } from "../../base/errors.ts";

export class DeniedError extends UserError {
  override readonly name = "DeniedError";
  readonly #denial: Denial;

  /** `what` is the sentence before that of the denial, without its end. */
  constructor(what: string, denial: Denial) {
    super(`${what}.\nSandbox: ${denialSentence(denial)}`);
    this.#denial = denial;
  }

  /** `_meta` of the result. */
  get meta(): Readonly<Record<string, unknown>> {
    return { [DENIED_META_KEY]: [this.#denial] };
  }
}
