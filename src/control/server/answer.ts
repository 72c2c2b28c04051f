/** What a person answers, and takes back, elsewhere than in the client of the server (S35, S36). */
import { readAnswer } from "../protocol/messages.ts";
import type { Answer } from "./control_server.ts";
import type { Peer } from "./peer.ts";
import type { ShownServer } from "./shown_server.ts";

type Questions = Pick<ShownServer, "questions">;

/** `answer`: to a question of the server. */
export function answerAnswer({ questions }: Questions): Answer {
  return async (request, peer) => {
    const read = readAnswer(request);
    if (!read.ok) return await tell(peer, read.problem);
    await tell(peer, questions === undefined ? NOTHING : questions.answer(read.value.question, read.value.answer));
  };
}

/** `take_back`: a grant of the session. */
export function takeBackAnswer({ questions }: Questions): Answer {
  return async ({ members: { grant } }, peer) => {
    await tell(peer, questions === undefined ? NOTHING : await questions.takeBack(String(grant)));
  };
}

/** `problem` undefined: it is done. */
async function tell(peer: Peer, problem: string | undefined): Promise<void> {
  await peer.send(problem === undefined ? { event: "answered" } : { event: "refused", problem });
}

const NOTHING = "It asks nothing: it was started without --ask";
