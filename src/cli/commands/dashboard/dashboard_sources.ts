/** What the dashboard shows beyond running servers: their audit logs, and what operations changed (V2). */
import { compose } from "../../../app/compose_service.ts";
import { messageOf, UserError } from "../../../base/errors.ts";
import type { Logger } from "../../../base/log.ts";
import { failure, type Outcome, success } from "../../../base/outcome.ts";
import type { FoundServer } from "../../../control/client/running_servers.ts";
import type { DashboardSources } from "../../../dashboard/dashboard.ts";
import type { Settings } from "../../../settings/settings.ts";
import type { ToolArguments } from "../../../toolbox/frame/messages.ts";
import { reportOf } from "../audit/audit.ts";
import { settingsOfUndo } from "../undo/undo.ts";
import type { CommandContext } from "../../terminal/command_context.ts";
import { resultText } from "../../terminal/print.ts";

type Context = Pick<CommandContext, "settings" | "environment" | "stop"> & { readonly log: Logger };

/** The sources of a person's own files. */
export function dashboardSources(context: Context): DashboardSources {
  return {
    history: (since, servers) => history(context.settings, since, servers),
    changes: (server, operation) =>
      changes(context, server, { action: "show", ...operation !== undefined && { operation_id: operation } }),
    undo: (server, operation, paths) =>
      changes(context, server, { action: "undo", operation_id: operation, ...paths !== undefined && { paths } }),
  };
}

async function history(
  { auditLog }: Settings,
  since: string,
  servers: readonly FoundServer[],
): Promise<Outcome<string>> {
  const logs = new Set(
    [auditLog, ...servers.map(({ server }) => server.auditLog)].filter((path) => path !== undefined),
  );
  if (logs.size === 0) return failure("No audit log is kept: start servers with --audit-log FILE");
  return success(JSON.stringify(await reportOf([...logs], since)));
}

/** A call of the tool `changes` by a program of its own in the scope of a server: the server's agent is not concerned. */
async function changes(
  { settings, environment, stop, log }: Context,
  { server: { scopes, undo } }: FoundServer,
  args: ToolArguments,
): Promise<Outcome<string>> {
  if (undo !== true) return failure("This server keeps no changes: start it with --undo");
  try {
    const [place] = scopes;
    const own = settingsOfUndo({ ...settings, sandbox: { ...settings.sandbox, scopes } });
    if (place === undefined) return failure("This server has no scope");
    await using program = await compose({ settings: own, environment, log });
    const { isError, ...changed } = await program.toolbox.changes({ ...args, json: true }, stop);
    const text = resultText(changed);
    return isError === true && !text.startsWith("{") ? failure(text) : success(text);
  } catch (thrown) {
    if (!(thrown instanceof UserError)) throw thrown;
    return failure(messageOf(thrown));
  }
}
