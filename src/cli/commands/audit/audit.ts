/** `audit` (V1): what the audit logs of a person's servers add up to. */
import { UserError } from "../../../base/errors.ts";
import { absolutePath, realPath } from "../../../system/paths.ts";
import { colours } from "../../terminal/colours.ts";
import type { CommandContext } from "../../terminal/command_context.ts";
import { mayColour, print, printProblems, terminalWidth } from "../../terminal/print.ts";
import { AuditAdder, type AuditFilter } from "./audit_sum.ts";
import { type AuditReport, auditText, problemsOf } from "./audit_text.ts";
import { yourServers } from "../operations/your_servers.ts";
import { readLog, sinceMs } from "./log_lines.ts";

/** Of a line in a pipe. */
const WIDTH_IN_PIPE = 200;

/** Exit code 1: a log or line was unreadable. @throws {UsageError} for wrong words, {UserError} without logs */
export async function audit(context: CommandContext): Promise<number> {
  const { flags, environment } = context;
  const [since = "7d"] = flags.get("since") ?? [];
  const [tool] = flags.get("tool") ?? [];
  const [named] = flags.get("in") ?? [];
  const place = named === undefined ? undefined : absolutePath(named, Deno.cwd());
  const directory = place === undefined ? undefined : realPath(place) ?? place;
  const report = await reportOf(await logsOf(context), since, { tool, directory });
  const deniedOnly = flags.has("denials");
  await print(
    flags.has("json") ? `${JSON.stringify(deniedOnly ? onlyDenied(report) : report, null, 2)}\n` : auditText(report, {
      width: terminalWidth() ?? WIDTH_IN_PIPE,
      colours: colours(mayColour(environment)),
      deniedOnly,
    }),
  );
  return await printProblems(problemsOf(report));
}

/** What logs add up to. @throws {UsageError} When `since` is no time such as `7d`. */
export async function reportOf(
  paths: readonly string[],
  since: string,
  filter: AuditFilter = {},
): Promise<AuditReport> {
  const earliest = Date.now() - sinceMs(since);
  const adder = new AuditAdder(filter);
  const logs = [];
  for (const path of paths) logs.push(await readLog(path, earliest, (line) => adder.add(line)));
  return { since, logs, ...adder.sum };
}

function onlyDenied({ since, logs, denials, names }: AuditReport): object {
  return { since, logs, denials, names: names.filter(({ refused }) => refused > 0) };
}

/** The named ones; else that of the settings, and those that running servers write to. @throws {UserError} When there is none. */
async function logsOf({ operands, settings, environment }: CommandContext): Promise<readonly string[]> {
  const own = operands.length > 0 ? operands : settings.auditLog === undefined ? [] : [settings.auditLog];
  const { servers, [Symbol.dispose]: end } = await yourServers(operands.length > 0 ? undefined : environment);
  end();
  const others = servers.map(({ server }) => server.auditLog).filter((path) => path !== undefined);
  const paths = [...own, ...others].map((path) => absolutePath(path, Deno.cwd()));
  if (paths.length > 0) return [...new Set(paths.map((path) => realPath(path) ?? path))];
  throw new UserError(
    "Cannot tell what ran: no audit log is kept. Start servers with --audit-log FILE, or name a file",
  );
}
