/** A server may refuse a call until the user has been at an address (2025-11-25). */
import type { Answer } from "../../child_server/pending_calls.ts";
import { isObject, member } from "../../wire/json_value.ts";

/** The code of such a refusal. */
const URL_NEEDED = -32042;
const CANNOT_BE_USED = -32000;

/** The answer; such a refusal says what came of the questions that `ask` put. The call is not repeated. */
export async function afterAddresses(answer: Answer, ask: (question: object) => Promise<Answer>): Promise<Answer> {
  const wanted = "error" in answer && answer.error.code === URL_NEEDED ? member(answer.error.data, "elicitations") : [];
  const questions = Array.isArray(wanted) ? wanted.filter(isObject).map((one) => ({ ...one, mode: "url" })) : [];
  if (questions.length === 0) return answer;
  const answers = await Promise.all(questions.map(ask));
  const agreed = answers.every((one) => "result" in one && one.result["action"] === "accept");
  const message = agreed
    ? "The user opens an address of the server: repeat the call when the user is done there"
    : "The server wants the user to open an address first, which did not happen";
  return { error: { code: CANNOT_BE_USED, message } };
}
