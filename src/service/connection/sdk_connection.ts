/** Serves with the SDK what is not answered directly, in both protocol eras. */
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import type { McpRequestContext } from "@modelcontextprotocol/server";
import { messageOf } from "../../base/errors.ts";
import { ListenLayer } from "../notify/listen_layer.ts";
import { InitializeOrder } from "../sdk/initialize_order.ts";
import type { VersionedServer } from "../sdk/versioned_server.ts";
import type { Service } from "../service.ts";
import type { DirectAnswers, SdkConnection } from "./direct_answers.ts";
import { buildServer, revisionOf } from "./server.ts";

/** Connects the SDK to the messages that `direct` passes on. */
export function connectSdk(service: Service, direct: DirectAnswers): SdkConnection {
  const { promise: server, resolve } = Promise.withResolvers<VersionedServer>();
  const build = (context: McpRequestContext) => {
    const revision = revisionOf(context);
    const isSession = revision === "2025-11-25";
    const built = buildServer(service, { revision, ...isSession && { parts: direct.parts } });
    // A client may have tried the other era first.
    if (isSession) resolve(built);
    return built;
  };
  const connection = serveStdio(build, {
    transport: new ListenLayer(new InitializeOrder(direct), service),
    onerror: (error) => service.log.debug("MCP connection", { error: messageOf(error) }),
  });
  return { server, close: () => connection.close() };
}
