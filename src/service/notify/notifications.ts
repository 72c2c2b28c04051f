/** Notifications of one connection, as its version allows them (X5d, S17, C3). */
import type { LoggingLevel } from "@modelcontextprotocol/server";
import type { Unsubscribe } from "../../base/emitter.ts";
import { messageOf } from "../../base/errors.ts";
import type { Transition } from "../../operation/registry.ts";
import { isEnded } from "../../operation/transitions.ts";
import type { LogLevel } from "../sdk/log_level.ts";
import { headingOf, statusLine } from "../result/closing_line.ts";
import type { Service } from "../service.ts";
import { watchSources } from "./source_changes.ts";
import type { Outgoing } from "./notifier.ts";
import { type ChangeListener, watchResources } from "../resources/resource_changes.ts";
import { answerOf, existingAddress, type ResourceUse, sourceOf } from "../resources/resources.ts";
import type { VersionedServer } from "../sdk/versioned_server.ts";
import { coreTask } from "../tasks/task_views.ts";

/** What one connection is served with. */
export interface ConnectionParts {
  readonly service: Service;
  readonly server: VersionedServer;
  readonly outgoing: Outgoing;
  /** The use that the client has made of resources so far. */
  readonly use: ResourceUse;
  /** Which log messages the client wants; undefined: its version says that elsewhere. */
  readonly level: LogLevel | undefined;
}

/**
 * For versions up to 2025-11-25: all changes, except of resources without a subscription and of a resource list that
 * the client never requested.
 */
export function announceTo2025(parts: ConnectionParts): Unsubscribe {
  const { service, server, outgoing, level } = parts;
  const { subscribed, end } = serveSubscriptions(service, server);
  const unsubscribes = [
    service.registry.subscribe((transition) => {
      if (level !== undefined) announceEnd(transition, level, outgoing);
      announceTask(transition, service.settings, { server, outgoing });
    }),
    ...announceChanges(parts, { subscribed }),
    end,
  ];
  server.oninitialized = () => void announceSandbox(service, outgoing);
  return () => unsubscribes.forEach((unsubscribe) => unsubscribe?.());
}

/** For 2026-07-28: changes only, which the SDK sends to matching subscriptions. */
export function announceTo2026(parts: ConnectionParts): Unsubscribe {
  const unsubscribes = announceChanges(parts, {});
  return () => unsubscribes.forEach((unsubscribe) => unsubscribe?.());
}

/** With `subscribed` the list of resources is that of a client which may never have asked for it. */
function announceChanges(
  { service, server, outgoing, use }: ConnectionParts,
  wanted: Pick<ChangeListener, "subscribed">,
): readonly (Unsubscribe | undefined)[] {
  return [
    watchSources(service.sources, () => void outgoing.own("tools/list_changed", server.sendToolListChanged())),
    watchSources(service.prompts, () => void outgoing.own("prompts/list_changed", server.sendPromptListChanged())),
    watchResources(service, {
      ...wanted,
      updated: (uri) => void outgoing.own("resources/updated", server.sendResourceUpdated({ uri })),
      listChanged: () => {
        if (wanted.subscribed !== undefined && !use.listed) return;
        void outgoing.own("resources/list_changed", server.sendResourceListChanged());
      },
    }),
  ];
}

/** Tells a client up to 2025-11-25 that its sandbox has ended (S17); to be called before the server is closed. */
export async function announceTermination(service: Service, outgoing: Outgoing, reason: string): Promise<void> {
  if (service.sandboxFacts !== undefined) await outgoing.notify("notifications/sandbox/terminated", { reason });
}

/** Answers `resources/subscribe` and `resources/unsubscribe`; gives what is subscribed, and what ends all of it. */
function serveSubscriptions(service: Service, server: VersionedServer) {
  const subscribed = new Map<string, Unsubscribe>();
  server.setRequestHandler("resources/subscribe", async ({ params: { uri } }) => {
    const source = sourceOf(service, uri);
    if (source === undefined) await existingAddress(service, uri);
    const unfollow = source === undefined || subscribed.has(uri) ? () => {} : answerOf(uri, await source.follow(uri));
    if (!subscribed.has(uri)) subscribed.set(uri, unfollow);
    return {};
  });
  server.setRequestHandler("resources/unsubscribe", ({ params: { uri } }) => {
    subscribed.get(uri)?.();
    subscribed.delete(uri);
    return {};
  });
  return { subscribed, end: () => subscribed.forEach((unfollow) => unfollow()) };
}

/** A log message for each operation that ended in the background (X5d). */
function announceEnd({ operation, to }: Transition, wanted: LogLevel, outgoing: Outgoing): void {
  if (!isEnded(to) || operation.delivery === "delivered") return;
  const level: LoggingLevel = to === "completed" ? "info" : "warning";
  if (!wanted.includes(level)) return;
  const data = `${statusLine(operation)} ${headingOf(operation)}`;
  void outgoing.notify("notifications/message", { level, logger: "ahma", data });
}

/** The end of a task of 2025-11-25, for clients that do not poll. */
function announceTask(
  { operation, to }: Transition,
  settings: Service["settings"],
  { server, outgoing }: Pick<ConnectionParts, "server" | "outgoing">,
): void {
  if (!operation.isTask || !isEnded(to) || !server.hasCoreTasks) return;
  outgoing.notifyLater("notifications/tasks/status", coreTask(operation, settings));
}

/** Reports the sandbox once the kernel's support is known (S17). */
async function announceSandbox({ sandboxFacts }: Service, outgoing: Outgoing): Promise<void> {
  if (sandboxFacts === undefined) return;
  try {
    await outgoing.notify("notifications/sandbox/configured", { ...await sandboxFacts() });
  } catch (thrown) {
    await outgoing.notify("notifications/sandbox/failed", { error: messageOf(thrown) });
  }
}
