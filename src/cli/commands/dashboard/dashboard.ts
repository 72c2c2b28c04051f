/** `dashboard` (V2): a page for all servers of this user, until a signal ends it. */
import { hasBrowser, openBrowser } from "../../../app/logins/open_browser.ts";
import { aborted } from "../../../base/time.ts";
import { Dashboard } from "../../../dashboard/dashboard.ts";
import type { UnixStreams } from "../../../system/sockets/unix_stream.ts";
import type { CommandContext } from "../../terminal/command_context.ts";
import { isOnTerminal, print, printProblem } from "../../terminal/print.ts";
import { openRunLog } from "../../terminal/run_log.ts";
import { openStreams } from "../operations/your_servers.ts";
import { dashboardSources } from "./dashboard_sources.ts";
import { privateLink } from "./private_link.ts";

const TOKEN_BYTES = 32;

/** Resolves with the exit code. @throws {UserError} When the port is taken, or on a system without sockets. */
export async function dashboard(context: CommandContext): Promise<number> {
  const streams = openStreams("show operations");
  try {
    return await show(streams, context);
  } finally {
    streams[Symbol.dispose]();
  }
}

async function show(streams: UnixStreams, { flags, environment, settings, stop }: CommandContext): Promise<number> {
  await using log = openRunLog({ settings, warnings: [], environment });
  await using page = await Dashboard.open({
    streams,
    environment,
    port: Number(flags.get("port")?.[0] ?? 0),
    token: crypto.getRandomValues(new Uint8Array(TOKEN_BYTES)).toHex(),
    sources: dashboardSources({ settings, environment, stop, log: log.logger }),
    log: log.logger,
  });
  const { url } = page;
  await print(`${url.href}\n`);
  await printProblem("A person with this address can see and end what your agents run. ctrl-c ends the dashboard");
  const isShown = isOnTerminal() && !flags.has("no-open") && hasBrowser(environment);
  await using link = isShown ? await privateLink(url, environment) : undefined;
  const problem = link && openBrowser(link.url, environment);
  if (problem !== undefined) await printProblem(problem);
  const lost = await Promise.race([page.lost, aborted(stop)]);
  if (lost !== undefined) throw lost;
  return 0;
}
