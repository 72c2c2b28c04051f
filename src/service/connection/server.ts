/** One SDK server for one connection. State that outlives it is in the service: HTTP needs a new server for each request. */
import type { McpRequestContext } from "@modelcontextprotocol/server";
import { messageOf } from "../../base/errors.ts";
import { capabilitiesOf } from "./capabilities.ts";
import { ToolList } from "./tool_list.ts";
import { announceTermination, announceTo2025, announceTo2026 } from "../notify/notifications.ts";
import { CallDelivery } from "../call/call_delivery.ts";
import type { AnswerCall } from "../call/plain_call.ts";
import { serveCompletions } from "../resources/completions.ts";
import { serveCoreTasks } from "../tasks/tasks_2025_11.ts";
import { serveExtensionTasks } from "../tasks/tasks_2026_07.ts";
import { Outgoing } from "../notify/notifier.ts";
import { servePrompts } from "../prompts/serve_prompts.ts";
import { serveResources } from "../resources/resources.ts";
import { LogLevel } from "../sdk/log_level.ts";
import { VersionedServer } from "../sdk/versioned_server.ts";
import { clientOffers } from "../questions/client_offers.ts";
import { signalWork } from "../notify/activity_signal.ts";
import { instructionsOf } from "../result/instructions.ts";
import type { Revision, Service } from "../service.ts";

export interface ServerOptions {
  readonly revision: Revision;
  /** `request`: it serves one request of HTTP and announces nothing; absent: a connection that lasts. */
  readonly lifetime?: "request";
}

/** The revision in the SDK's word for it. */
export function revisionOf({ era }: Pick<McpRequestContext, "era">): Revision {
  return era === "legacy" ? "2025-11-25" : "2026-07-28";
}

/** A server and what its connection does at its end. */
export interface ConnectionServer {
  /** Ready to be connected; closing it ends its subscriptions. */
  readonly server: VersionedServer;
  /** Undefined: the version has no plain calls. */
  readonly answerCall: AnswerCall | undefined;
  /** Tells the client that the session ends, where its version has a notification for that (S17). */
  farewell(reason: string): Promise<void>;
}

/** A server that is ready to be connected; closing it ends its subscriptions. */
export function buildServer(service: Service, options: ServerOptions): VersionedServer {
  return buildConnection(service, options).server;
}

/** The same with the farewell, for the transport that ends the connection. */
export function buildConnection(service: Service, { revision, lifetime }: ServerOptions): ConnectionServer {
  const server = new VersionedServer(service.info, {
    capabilities: capabilitiesOf(service, revision),
    instructions: instructionsOf(service),
  });
  const outgoing = new Outgoing(server, service.log);
  const closed = new AbortController();
  const use = serveResources(server, service);
  const hasSessions = revision === "2025-11-25";
  const level = hasSessions ? new LogLevel(server, service.onLogLevel) : undefined;
  const calls = new CallDelivery({ service, server, outgoing, revision, use, level, closed: closed.signal });
  const tools = new ToolList(service);
  server.setRequestHandler("tools/list", async ({ params }, context) => {
    for (const source of service.sources) source.meet?.(clientOffers(server, context));
    return { tools: await tools.page(params?.cursor, server.hasCoreTasks) };
  });
  // Its results are those of `tools/call`, or raw ones, which the server hands on as they are.
  server.setRequestHandler("tools/call", ({ params }, context) => calls.answer(params, context) as Promise<never>);
  servePrompts(server, service);
  serveCompletions(server, service);
  if (!service.settings.synchronous) (hasSessions ? serveCoreTasks : serveExtensionTasks)(server, service, use);
  const announce = hasSessions ? announceTo2025 : announceTo2026;
  const unsubscribe = lifetime === "request" ? undefined : announce({ service, server, outgoing, use, level });
  const noSignal = hasSessions ? signalWork(service, server, outgoing) : undefined;
  server.onclose = () => {
    unsubscribe?.();
    noSignal?.();
    closed.abort();
  };
  server.onerror = (error) => service.log.debug("MCP", { error: messageOf(error) });
  const farewell = async (reason: string) => {
    if (hasSessions) await announceTermination(service, outgoing, reason);
  };
  const answerCall: AnswerCall | undefined = hasSessions
    ? (call, signal) => calls.answerPlain(call, signal)
    : undefined;
  return { server, answerCall, farewell };
}
