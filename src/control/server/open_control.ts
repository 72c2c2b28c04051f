/** The socket of a server, and its answers to `output`, `kill`, `answer` and `take_back` (V1, S35, S36). */
import type { Logger } from "../../base/log.ts";
import type { Outcome } from "../../base/outcome.ts";
import { controlDirectories, isLedThere } from "../place/control_directories.ts";
import { attachAnswer } from "./attach.ts";
import { type Answer, ControlServer } from "./control_server.ts";
import { listAnswer } from "./list.ts";
import { findOperation, listedOperation, type ShownServer } from "./shown_server.ts";
import { isEnded } from "../../operation/operation.ts";
import { feedOutput } from "./output_feed.ts";
import { readAnswer } from "../protocol/messages.ts";
import type { Peer } from "./peer.ts";

export interface OpenControlOptions {
  readonly environment: Readonly<Record<string, string>>;
  readonly server: ShownServer;
  readonly log: Logger;
  /** Whether commands can write to a path. */
  readonly isOpen: (path: string) => boolean;
}

/** Opens the socket of a server, with an answer for each request. The problem is why there is none. */
export async function openControl(options: OpenControlOptions): Promise<Outcome<ControlServer>> {
  const { environment, server, log, isOpen } = options;
  return await ControlServer.open({
    directories: controlDirectories(environment).filter(({ path }) => !isLedThere(path, isOpen)),
    log,
    answers: {
      list: listAnswer(server),
      attach: attachAnswer(server),
      answer: answerAnswer(server),
      take_back: takeBackAnswer(server),
      output: outputAnswer(server),
      kill: killAnswer(server),
    },
  });
}

/** The reason that the agent reads. */
const REASON = "Ended by the user, with ahma_mcp kill";

/** The answer of a server, once no process of the operation is left. */
function killAnswer(server: ShownServer): Answer {
  return async ({ members: { operation: id } }, peer) => {
    const found = findOperation(server, id);
    if (!found.ok) return await peer.send({ event: "refused", problem: found.problem });
    const { operation, connection } = found.value;
    const { describeEnd } = server;
    if (isEnded(operation.state)) {
      return await peer.send({ event: "refused", problem: `It has ended: ${describeEnd(operation)}` });
    }
    // Logged first. If that fails, the operation is ended anyway, because it may be filling the disk.
    await server.auditKill?.(operation);
    await connection.registry.cancel(operation.id, REASON);
    await peer.send({ event: "end", line: describeEnd(operation), end: operation.end });
  };
}

function outputAnswer(server: ShownServer): Answer {
  return async ({ members: { operation: id, follow } }, peer) => {
    const found = findOperation(server, id);
    if (!found.ok) return await peer.send({ event: "refused", problem: found.problem });
    const { operation, connection } = found.value;
    const taken = peer.drain();
    const until = follow === true ? undefined : operation.output.totalBytes;
    await peer.send({ event: "attached", operation: listedOperation(operation, connection, server) });
    await feedOutput(operation, {
      from: 0,
      until,
      isWhole: true,
      send: (event) => peer.send(event),
      signal: peer.gone,
    });
    const { end } = operation;
    if (end !== undefined) await peer.send({ event: "end", line: server.describeEnd(operation), end });
    peer[Symbol.dispose]();
    await taken;
  };
}

type Questions = Pick<ShownServer, "questions">;

/** `answer`: to a question of the server. */
function answerAnswer({ questions }: Questions): Answer {
  return async (request, peer) => {
    const read = readAnswer(request);
    if (!read.ok) return await tell(peer, read.problem);
    await tell(peer, questions === undefined ? NOTHING : questions.answer(read.value.question, read.value.answer));
  };
}

/** `take_back`: a grant of the session. */
function takeBackAnswer({ questions }: Questions): Answer {
  return async ({ members: { grant } }, peer) => {
    await tell(peer, questions === undefined ? NOTHING : await questions.takeBack(String(grant)));
  };
}

/** `problem` undefined: the request succeeded. */
async function tell(peer: Peer, problem: string | undefined): Promise<void> {
  await peer.send(problem === undefined ? { event: "answered" } : { event: "refused", problem });
}

const NOTHING = "It asks no questions: it was started without --ask";
