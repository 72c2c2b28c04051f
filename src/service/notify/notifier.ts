import { messageOf } from "../../base/errors.ts";
import type { Logger } from "../../base/log.ts";
import type { ClientLink } from "../sdk/client_link.ts";

/** Sends notifications that belong to no open request; a failure is logged only. */
export class Outgoing {
  readonly #link: Pick<ClientLink, "notification">;
  readonly #log: Logger;

  constructor(link: Pick<ClientLink, "notification">, log: Logger) {
    this.#link = link;
    this.#log = log;
  }

  /** Sends a notification of the specification or of this server. Never rejects. */
  async notify(method: string, params?: Record<string, unknown>): Promise<void> {
    try {
      await this.#link.notification({ method, ...params !== undefined && { params } });
    } catch (thrown) {
      this.#log.debug(`Cannot send ${method}`, { error: messageOf(thrown) });
    }
  }

  /** Sends one after the answers that are on their way, because it refers to them. */
  notifyLater(method: string, params: Record<string, unknown>): void {
    setTimeout(() => void this.notify(method, params), 0);
  }
}
