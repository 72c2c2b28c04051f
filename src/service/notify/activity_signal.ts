/**
 * Tells the bridge in front of an isolated session's process whether operations are active: they keep the session in
 * use (H8), and requests do not show them. Only a client that declares the capability gets it; the bridge does, and
 * passes nothing of this on.
 */
import type { Unsubscribe } from "../../base/emitter.ts";
import type { ClientLink } from "../sdk/client_link.ts";
import type { Service } from "../service.ts";
import type { Outgoing } from "./notifier.ts";

/** The experimental capability of a client that requests the signal. */
export const WORK_CAPABILITY = "ahma/work";
/** Its parameters: `active`, whether anything runs or waits. */
export const WORK_METHOD = "notifications/ahma/work";

/** Tells of each change from now on; at first nothing is active. */
export function signalWork({ registry }: Service, link: ClientLink, outgoing: Outgoing): Unsubscribe {
  let told = false;
  return registry.subscribe(() => {
    const active = registry.runningCount + registry.queuedCount > 0;
    if (active === told || link.getClientCapabilities()?.experimental?.[WORK_CAPABILITY] === undefined) return;
    told = active;
    void outgoing.notify(WORK_METHOD, { active });
  });
}
