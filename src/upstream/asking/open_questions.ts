/** The questions of one call that a client has not answered yet. */
import type { AskedClient, QuestionAnswer } from "../../service/questions/question.ts";

/** Counts the questions to a client that are open. */
export class OpenQuestions {
  /** The client whose questions are counted; undefined: it takes none. */
  readonly client: AskedClient | undefined;
  readonly #open = new Set<Promise<QuestionAnswer>>();

  constructor(client: AskedClient | undefined) {
    this.client = client && {
      owner: client.owner,
      offers: client.offers,
      get logLevel() {
        return client.logLevel;
      },
      notify: (notice) => client.notify(notice),
      ask: async (question, signal) => {
        const answer = client.ask(question, signal);
        this.#open.add(answer);
        return await answer.finally(() => this.#open.delete(answer));
      },
    };
  }

  /** Waits for the answers to those that are open; false: none is. */
  async answered(): Promise<boolean> {
    const open = [...this.#open];
    await Promise.all(open);
    return open.length > 0;
  }
}
