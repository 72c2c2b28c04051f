/** The dashboard of a person's servers, and the address that it prints (V2). */
import type { Logger } from "../../../base/log.ts";
import { Dashboard } from "../../../dashboard/dashboard.ts";
import type { UnixStreams } from "../../../system/sockets/unix_stream.ts";
import { openStreams } from "../operations/your_servers.ts";
import type { CommandContext } from "../../terminal/command_context.ts";
import { dashboardSources } from "./dashboard_sources.ts";

const TOKEN_BYTES = 32;

/** With a new token. @throws {UserError} When the port is taken, or on a system without sockets. */
export async function openDashboard(
  context: Pick<CommandContext, "settings" | "environment" | "stop">,
  { port, log }: { readonly port: number; readonly log: Logger },
): Promise<OpenDashboard> {
  const { environment } = context;
  const streams = openStreams("show operations");
  try {
    const dashboard = await Dashboard.open({
      streams,
      environment,
      port,
      token: crypto.getRandomValues(new Uint8Array(TOKEN_BYTES)).toHex(),
      sources: dashboardSources({ ...context, log }),
      log,
    });
    return new OpenDashboard(dashboard, streams);
  } catch (thrown) {
    streams[Symbol.dispose]();
    throw thrown;
  }
}

export class OpenDashboard implements AsyncDisposable {
  readonly #dashboard: Dashboard;
  readonly #streams: UnixStreams;

  constructor(dashboard: Dashboard, streams: UnixStreams) {
    this.#dashboard = dashboard;
    this.#streams = streams;
  }

  get url(): URL {
    return this.#dashboard.url;
  }

  /** Resolves when the port is lost for good; otherwise never. */
  get lost(): Promise<Error> {
    return this.#dashboard.lost;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#dashboard[Symbol.asyncDispose]();
    this.#streams[Symbol.dispose]();
  }
}
