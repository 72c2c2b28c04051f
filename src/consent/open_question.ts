/** One question that waits for its answer; equal wishes wait for the same one (S35). */
import type { GrantAnswer } from "../base/command/grant_answer.ts";
import { withTimeout } from "../base/time.ts";
import { ANSWER_TEXTS, answerOf, questionText } from "./form.ts";
import type { Wish } from "./wish.ts";

/** An answer, or what counts as one. */
export interface Given {
  readonly answer: GrantAnswer;
  /** Where a person gave it; absent: no person did. */
  readonly from?: "client" | "terminal";
  /** Why it is a no without a person; follows the denied subject in a sentence. */
  readonly reason?: string;
  /** True: no command waits for it. */
  readonly isWithdrawn?: true;
}

export class OpenQuestion {
  readonly id: string;
  /** `terminal`: its client shows no forms, so that it waits without a command. */
  readonly way: "form" | "terminal";
  readonly wish: Wish;
  /** Milliseconds since the epoch. */
  readonly asked = Date.now();
  readonly #answers: readonly GrantAnswer[];
  readonly #given = Promise.withResolvers<Given>();
  readonly #withdrawn = new AbortController();
  #settled: Promise<Given> | undefined;
  #waiting = 0;

  constructor({ id, way, wish, answers }: {
    readonly id: string;
    readonly way: OpenQuestion["way"];
    readonly wish: Wish;
    readonly answers: readonly GrantAnswer[];
  }) {
    this.id = id;
    this.way = way;
    this.wish = wish;
    this.#answers = answers;
  }

  get run(): object {
    return this.wish.run;
  }

  get given(): Promise<Given> {
    return this.#given.promise;
  }

  /** Called with the outcome. */
  settle(settled: Promise<Given>): void {
    this.#settled = settled;
  }

  /** The first answer counts. */
  answer(given: Given): void {
    this.#given.resolve(given);
    this.#withdrawn.abort();
  }

  /** Shows the form, unless an answer is known by then; settles once it is. */
  async put(answerMs: number): Promise<void> {
    const { wish: { person, subject, by } } = this;
    if (this.#withdrawn.signal.aborted || person === undefined) return;
    const choices = this.#answers.map((answer) => ANSWER_TEXTS[answer]);
    const asking = person.ask({ message: questionText(subject, by), choices }, this.#withdrawn.signal);
    const chosen = await Promise.race([withTimeout(asking, answerMs), this.given.then(() => undefined)]);
    if (chosen === undefined) return this.answer({ answer: "no", reason: UNANSWERED });
    const answer = chosen.ok ? answerOf(chosen.value) : undefined;
    this.answer(
      answer !== undefined && this.#answers.includes(answer)
        ? { answer, from: "client" }
        : { answer: "no", reason: UNANSWERED },
    );
  }

  /** Waits for the answer; once nothing waits, the question is withdrawn. */
  async join(signal: AbortSignal): Promise<Given> {
    this.#waiting++;
    const left = Promise.withResolvers<Given>();
    const leave = () => {
      left.resolve(WITHDRAWN);
      if (--this.#waiting === 0) this.answer(WITHDRAWN);
    };
    signal.addEventListener("abort", leave, { once: true });
    if (signal.aborted) leave();
    const given = await Promise.race([left.promise, this.#settled ?? this.given]);
    signal.removeEventListener("abort", leave);
    return given;
  }
}

const UNANSWERED = "was asked for, and no person allowed it";
const WITHDRAWN: Given = { answer: "no", reason: UNANSWERED, isWithdrawn: true };
