import { messageOf } from "../../base/errors.ts";
import type { Logger } from "../../base/log.ts";
import type { ClientLink } from "../sdk/client_link.ts";
import type { Unsubscribe } from "../../base/emitter.ts";
import type { Service } from "../service.ts";

/** Sends notifications without an open request; failures are only logged. */
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

  /** Sends a notification after all pending answers, because it refers to them. */
  notifyLater(method: string, params: Record<string, unknown>): void {
    setTimeout(() => void this.notify(method, params), 0);
  }
}

/** The experimental capability of a client that requests the signal. */
export const WORK_CAPABILITY = "ahma/work";
/** Its parameter `active` says whether any operation runs or waits. */
export const WORK_METHOD = "notifications/ahma/work";

/**
 * Tells the bridge in front of an isolated session's process from now on whether operations are active: they keep the
 * session in use (H8), and requests do not show them. At first nothing is active. Only a client that declares the
 * capability gets it; the bridge does, and passes nothing of this on.
 */
export function signalWork({ registry }: Service, link: ClientLink, outgoing: Outgoing): Unsubscribe {
  let told = false;
  return registry.subscribe(() => {
    const active = registry.runningCount + registry.queuedCount > 0;
    if (active === told || link.getClientCapabilities()?.experimental?.[WORK_CAPABILITY] === undefined) return;
    told = active;
    void outgoing.notify(WORK_METHOD, { active });
  });
}
