/** Notifications of one connection that its version allows (X5d, S17, C3). */
import type { LoggingLevel } from "@modelcontextprotocol/server";
import type { Unsubscribe } from "../../base/emitter.ts";
import { messageOf } from "../../base/errors.ts";
import type { Transition } from "../../operation/registry.ts";
import { isEnded } from "../../operation/operation.ts";
import type { LogLevel } from "../sdk/log_level.ts";
import type { Operation } from "../../operation/operation_record.ts";
import { isTaskOver } from "../../operation/protocol_tasks.ts";
import { headingOf, newsText, statusLine } from "../result/closing_line.ts";
import type { ClientLink } from "../sdk/client_link.ts";
import type { Revision, Service } from "../service.ts";
import { type Outgoing, signalWork } from "./notifier.ts";
import { watchResources } from "../resources/resource_changes.ts";
import type { ResourceUse } from "../resources/resources.ts";
import type { Subscriptions } from "./subscriptions.ts";
import { coreTask } from "../tasks/task_views.ts";

/** The parts for serving one connection. */
export interface ConnectionParts {
  readonly service: Service;
  readonly revision: Revision;
  readonly link: ClientLink;
  readonly outgoing: Outgoing;
  /** How the client has used resources so far. */
  readonly use: ResourceUse;
  /** Which log messages the client wants; undefined: its version declares this with each request. */
  readonly level: LogLevel | undefined;
  /** Undefined: its version has subscriptions of another kind. */
  readonly subscriptions: Subscriptions | undefined;
}

/**
 * Tells the client of changes from now on. To versions up to 2025-11-25: all changes, except of resources without a
 * subscription and of a resource list that the client never requested; to 2026-07-28: changes only, which the SDK sends
 * to matching subscriptions.
 */
export function announce(parts: ConnectionParts): Unsubscribe {
  const { service, link, outgoing, level } = parts;
  const unsubscribes = [
    ...announceChanges(parts),
    ...level === undefined ? [] : [
      service.registry.subscribe((transition) => announceEnd(transition, level, outgoing)),
      service.registry.tasks.subscribe((operation) => announceTask(operation, service.settings, { link, outgoing })),
      service.registry.subscribeNews((operation) => announceNews(operation, level, outgoing)),
      signalWork(service, link, outgoing),
    ],
  ];
  return () => {
    unsubscribes.forEach((unsubscribe) => unsubscribe?.());
    parts.subscriptions?.[Symbol.dispose]();
  };
}

function announceChanges(
  { service, outgoing, use, subscriptions }: ConnectionParts,
): readonly (Unsubscribe | undefined)[] {
  return [
    watchSources(service.sources, () => void outgoing.notify("notifications/tools/list_changed")),
    watchSources(service.prompts, () => void outgoing.notify("notifications/prompts/list_changed")),
    watchResources(service, {
      ...subscriptions !== undefined && { subscribed: subscriptions.uris },
      updated: (uri) => void outgoing.notify("notifications/resources/updated", { uri }),
      listChanged: () => {
        // With `subscriptions` the client may get changes of a resource list that it never requested.
        if (subscriptions !== undefined && !use.listed) return;
        void outgoing.notify("notifications/resources/list_changed");
      },
    }),
  ];
}

/** Tells a client up to 2025-11-25 that its sandbox has ended (S17); to be called before the server is closed. */
export async function announceTermination(service: Service, outgoing: Outgoing, reason: string): Promise<void> {
  if (service.sandboxFacts !== undefined) await outgoing.notify("notifications/sandbox/terminated", { reason });
}

/** A log message for each operation that ended in the background (X5d). */
function announceEnd({ operation, to }: Transition, wanted: LogLevel, outgoing: Outgoing): void {
  if (!isEnded(to) || operation.delivery === "delivered") return;
  const level: LoggingLevel = to === "completed" ? "info" : "warning";
  if (!wanted.includes(level)) return;
  const data = `${statusLine(operation)} ${headingOf(operation)}`;
  void outgoing.notify("notifications/message", { level, logger: "ahma", data });
}

/** A log message about watched lines (X21). */
function announceNews(operation: Operation, wanted: LogLevel, outgoing: Outgoing): void {
  if (!wanted.includes("notice") || operation.delivery === "delivered" && isEnded(operation.state)) return;
  void outgoing.notify("notifications/message", { level: "notice", logger: "ahma", data: newsText(operation) });
}

/** The end of a task of 2025-11-25, for clients that do not poll. */
function announceTask(
  operation: Operation,
  settings: Service["settings"],
  { link, outgoing }: Pick<ConnectionParts, "link" | "outgoing">,
): void {
  if (!isTaskOver(operation) || !link.hasCoreTasks) return;
  outgoing.notifyLater("notifications/tasks/status", coreTask(operation, settings));
}

/** Reports the sandbox to a client up to 2025-11-25 once the kernel's support is known (S17). */
export async function announceSandbox({ sandboxFacts }: Service, outgoing: Outgoing): Promise<void> {
  if (sandboxFacts === undefined) return;
  try {
    await outgoing.notify("notifications/sandbox/configured", { ...await sandboxFacts() });
  } catch (thrown) {
    await outgoing.notify("notifications/sandbox/failed", { error: messageOf(thrown) });
  }
}

/** A source whose content may change. */
export interface Changing {
  /** Calls the listener once for each change; absent: the list never changes. */
  onChange?(listener: () => void): Unsubscribe;
}

/** Subscribes to changes of all sources; undefined: none of them ever changes. */
export function watchSources(sources: readonly Changing[], listener: () => void): Unsubscribe | undefined {
  const changing = sources.filter(({ onChange }) => onChange !== undefined);
  if (changing.length === 0) return undefined;
  const unsubscribes = changing.map((source) => source.onChange?.(listener));
  return () => unsubscribes.forEach((unsubscribe) => unsubscribe?.());
}
