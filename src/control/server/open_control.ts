import type { Logger } from "../../base/log.ts";
import type { Outcome } from "../../base/outcome.ts";
import { controlDirectories, isLedThere } from "../place/control_directories.ts";
import { answerAnswer, takeBackAnswer } from "./answer.ts";
import { attachAnswer } from "./attach.ts";
import { ControlServer } from "./control_server.ts";
import { killAnswer } from "./kill.ts";
import { listAnswer } from "./list.ts";
import { outputAnswer } from "./output.ts";
import type { ShownServer } from "./shown_server.ts";

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
