import type { Server } from "@modelcontextprotocol/server";
import { messageOf } from "../../base/errors.ts";
import type { Logger } from "../../base/log.ts";

/** Sends notifications that belong to no open request; a failure is logged only. */
export class Outgoing {
  readonly #server: Server;
  readonly #log: Logger;

  constructor(server: Server, log: Logger) {
    this.#server = server;
    this.#log = log;
  }

  /** Sends a notification of the specification or of this server. */
  notify(method: string, params: Record<string, unknown>): Promise<void> {
    return this.own(method, this.#server.notification({ method, params }));
  }

  /** Sends one after the answers that are on their way, because it refers to them. */
  notifyLater(method: string, params: Record<string, unknown>): void {
    setTimeout(() => void this.notify(method, params), 0);
  }

  /** Never rejects. */
  own(what: string, sending: Promise<void>): Promise<void> {
    return sending.catch((thrown) => this.#log.debug(`Cannot send ${what}`, { error: messageOf(thrown) }));
  }
}
