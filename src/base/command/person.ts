/** The person at the client of a call, as far as a question can reach one (S35). */
import type { Outcome } from "../outcome.ts";

export interface ChoiceForm {
  /** One line in our own words, safe to show. */
  readonly message: string;
  /** Shown and returned unchanged. The form preselects the last one, so that a stray Enter chooses it. */
  readonly choices: readonly string[];
}

export interface Person {
  /** Whether the client of this call shows forms. */
  readonly canBeAsked: boolean;
  /** The chosen text, or why there is none; never rejects. Aborting `signal` withdraws the form. */
  ask(form: ChoiceForm, signal: AbortSignal): Promise<Outcome<string>>;
}
