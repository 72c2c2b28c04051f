/** `dashboard` (V2): a page for all servers of this user, until a signal ends it. */
import { hasBrowser, openBrowser } from "../../../app/logins/open_browser.ts";
import { aborted } from "../../../base/time.ts";
import type { CommandContext } from "../../terminal/command_context.ts";
import { isOnTerminal, print, printProblem } from "../../terminal/print.ts";
import { openRunLog } from "../../terminal/run_log.ts";
import { openDashboard } from "./open_dashboard.ts";
import { privateLink } from "./private_link.ts";

/** Resolves with the exit code. @throws {UserError} When the port is taken, or on a system without sockets. */
export async function dashboard(context: CommandContext): Promise<number> {
  const { flags, environment, settings, stop } = context;
  await using log = openRunLog({ settings, warnings: [], environment });
  const port = Number(flags.get("port")?.[0] ?? 0);
  await using page = await openDashboard(context, { port, log: log.logger });
  await print(`${page.url.href}\n`);
  await printProblem("A person with this address can see and end what your agents run. ctrl-c ends the dashboard");
  const isShown = isOnTerminal() && !flags.has("no-open") && hasBrowser(environment);
  await using link = isShown ? await privateLink(page.url, environment) : undefined;
  const problem = link && openBrowser(link.url, environment);
  if (problem !== undefined) await printProblem(problem);
  const lost = await Promise.race([page.lost, aborted(stop)]);
  if (lost !== undefined) throw lost;
  return 0;
}
