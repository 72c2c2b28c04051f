import type { Logger } from "../../base/log.ts";
import type { Outcome } from "../../base/outcome.ts";
import { controlDirectories } from "../place/control_directories.ts";
import { attachAnswer } from "./attach.ts";
import { ControlServer } from "./control_server.ts";
import { listedServer, type ShownServer } from "./shown_server.ts";

export interface OpenControlOptions {
  readonly environment: Readonly<Record<string, string>>;
  readonly server: ShownServer;
  readonly log: Logger;
}

/** Opens the socket of a server, with an answer for each request. The problem is why there is none. */
export async function openControl({ environment, server, log }: OpenControlOptions): Promise<Outcome<ControlServer>> {
  return await ControlServer.open({
    directories: controlDirectories(environment),
    log,
    answers: {
      list: async (_request, peer) => await peer.send({ event: "server", server: listedServer(server) }),
      attach: attachAnswer(server),
    },
  });
}
