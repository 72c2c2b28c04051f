/** `answer`: a person answers a question of the server elsewhere than in its client (S35). */
import { readAnswer } from "../protocol/messages.ts";
import type { Answer } from "./control_server.ts";
import type { ShownServer } from "./shown_server.ts";

/** Gives the answer to the questions of the server. */
export function answerAnswer({ questions }: Pick<ShownServer, "questions">): Answer {
  return async (request, peer) => {
    const read = readAnswer(request);
    const problem = !read.ok
      ? read.problem
      : questions === undefined
      ? "It asks nothing: it was started without --ask"
      : questions.answer(read.value.question, read.value.answer);
    await peer.send(problem === undefined ? { event: "answered" } : { event: "refused", problem });
  };
}
