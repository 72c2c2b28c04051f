/** One SDK server for one connection. It holds no state of ours: on HTTP the SDK wants a fresh one per request. */
import { type LoggingLevel, Server, type ServerContext } from "@modelcontextprotocol/server";
import { messageOf } from "../base/errors.ts";
import { isEnded } from "../operation/transitions.ts";
import { callTool } from "./call_tool.ts";
import type { ToolLister } from "./definitions.ts";
import { instructionsOf } from "./instructions.ts";
import { LogLevel } from "./log_level.ts";
import { headingOf, statusLine } from "./results.ts";
import type { CallContext, Service } from "./service.ts";

export interface ServerOptions {
  /** `legacy`: versions up to 2025-11-25. Log messages without a request exist only there. */
  readonly era: "legacy" | "modern";
  readonly tools: ToolLister;
}

/** A server that is ready to be connected; closing it ends its subscriptions. */
export function buildServer(service: Service, options: ServerOptions): Server {
  const { catalog, info, onCatalogChange } = service;
  const logs = options.era === "legacy";
  const server = new Server(info, {
    capabilities: {
      tools: onCatalogChange === undefined ? {} : { listChanged: true },
      ...logs && { logging: {} },
    },
    instructions: instructionsOf(service),
  });
  server.setRequestHandler("tools/list", async ({ params }) => ({
    tools: options.tools.list(await catalog(), params?.cursor),
  }));
  server.setRequestHandler(
    "tools/call",
    ({ params }, context) => callTool(service, { name: params.name, args: params.arguments ?? {} }, contextOf(context)),
  );
  const unsubscribes = [
    onCatalogChange?.(() => own(service, "tools/list_changed", server.sendToolListChanged())),
    logs ? announceEnds(service, server, new LogLevel(server)) : undefined,
  ];
  server.onclose = () => unsubscribes.forEach((unsubscribe) => unsubscribe?.());
  server.onerror = (error) => service.log.debug("MCP", { error: messageOf(error) });
  return server;
}

function contextOf({ mcpReq }: ServerContext): CallContext {
  const progressToken = mcpReq._meta?.progressToken;
  return {
    signal: mcpReq.signal,
    sendProgress: progressToken === undefined
      ? undefined
      : (progress, message) =>
        mcpReq.notify({ method: "notifications/progress", params: { progressToken, progress, message } }),
  };
}

/** A log message for each operation that ended in the background (X5d). */
function announceEnds(service: Service, server: Server, wanted: LogLevel) {
  return service.registry.subscribe(({ operation, to }) => {
    if (!isEnded(to) || operation.collected) return;
    const level: LoggingLevel = to === "completed" ? "info" : "warning";
    if (!wanted.includes(level)) return;
    const data = `${statusLine(operation)} ${headingOf(operation)}`;
    own(service, "message", server.sendLoggingMessage({ level, logger: "ahma", data }));
  });
}

function own(service: Service, what: string, sending: Promise<void>): void {
  sending.catch((thrown) => service.log.debug(`Cannot send notifications/${what}`, { error: messageOf(thrown) }));
}
