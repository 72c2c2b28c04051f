/** The client of a script's calls: they ask it one after the other, and not without end (K11). */
import { failure } from "../../base/outcome.ts";
import type { AskedClient, QuestionAnswer } from "../../service/questions/question.ts";

/** Questions of one script's calls: some clients of 2026-07-28 repeat a request with answers ten times at most. */
const MOST_QUESTIONS = 8;

/** `client`, which then sees one question at a time, and few. */
export function askedInTurn(client: AskedClient): AskedClient {
  let asked = 0;
  let before: Promise<unknown> = Promise.resolve();
  return {
    owner: client.owner,
    offers: client.offers,
    get canAsk() {
      return client.canAsk && asked < MOST_QUESTIONS;
    },
    get logLevel() {
      return client.logLevel;
    },
    notify: (notice) => client.notify(notice),
    ask(question, signal) {
      if (++asked > MOST_QUESTIONS) {
        return Promise.resolve(failure(`The calls of one script ask at most ${MOST_QUESTIONS} questions`));
      }
      const ask = (): Promise<QuestionAnswer> | QuestionAnswer =>
        signal.aborted ? failure("The question was taken back") : client.ask(question, signal);
      const answer = before.then(ask);
      before = answer;
      return answer;
    },
  };
}
