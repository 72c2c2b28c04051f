/** The dashboard of a person's servers, and the address that it prints (V2). */
import type { Logger } from "../../../base/log.ts";
import { Dashboard } from "../../../dashboard/dashboard.ts";
import { openStreams } from "../operations/your_servers.ts";
import type { CommandContext } from "../../terminal/command_context.ts";
import { dashboardSources } from "./dashboard_sources.ts";

const TOKEN_BYTES = 32;

/** With a new token. @throws {UserError} When the port is taken, or on a system without sockets. */
export async function openDashboard(
  context: Pick<CommandContext, "settings" | "environment" | "stop">,
  { port, log }: { readonly port: number; readonly log: Logger },
): Promise<Dashboard> {
  const { environment } = context;
  const streams = openStreams("show operations");
  try {
    return await Dashboard.open({
      streams,
      environment,
      port,
      token: crypto.getRandomValues(new Uint8Array(TOKEN_BYTES)).toHex(),
      sources: dashboardSources({ ...context, log }),
      log,
    });
  } catch (thrown) {
    streams[Symbol.dispose]();
    throw thrown;
  }
}
