import type { Server } from "@modelcontextprotocol/server";
import { messageOf } from "../../base/errors.ts";
import type { Logger } from "../../base/log.ts";

/** Notifications of a server that belong to no open request; that one cannot be sent is logged and nothing more. */
export class Outgoing {
  readonly #server: Server;
  readonly #log: Logger;

  constructor(server: Server, log: Logger) {
    this.#server = server;
    this.#log = log;
  }

  /** Sends one, spec-defined or our own. */
  notify(method: string, params: Record<string, unknown>): Promise<void> {
    return this.own(method, this.#server.notification({ method, params }));
  }

  /** Sends one after the answers that are on their way: what it tells of may be news to the client only then. */
  notifyLater(method: string, params: Record<string, unknown>): void {
    setTimeout(() => void this.notify(method, params), 0);
  }

  /** Never rejects. */
  own(what: string, sending: Promise<void>): Promise<void> {
    return sending.catch((thrown) => this.#log.debug(`Cannot send ${what}`, { error: messageOf(thrown) }));
  }
}
