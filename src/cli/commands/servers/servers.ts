/** `servers` (O7): what is configured, whether it works, what servers changed since a person trusted them, and that trust. */
import { toolsOf } from "../../../upstream/definitions/items.ts";
import { SILENT } from "../../../base/log.ts";
import { UsageError, UserError } from "../../../base/errors.ts";
import { didYouMean } from "../../../base/suggest.ts";
import { counted } from "../../../base/text.ts";
import { describeDiagnostic } from "../../../base/diagnostic.ts";
import { type KnownServer, type KnownServers, knownServers } from "../../../app/server_records.ts";
import { SERVER_ACTIONS } from "../../../settings/flags/subcommands.ts";
import { approved } from "../../../upstream/definitions/pins.ts";
import type { CommandContext } from "../../terminal/command_context.ts";
import { print, printProblem } from "../../terminal/print.ts";
import { describeServers, serverLines } from "./server_list.ts";
import { testServers } from "./test_servers.ts";
import { changedTools, diffLines } from "./server_diff.ts";

/** Lists, compares or approves; resolves with the exit code. */
export async function servers(context: CommandContext): Promise<number> {
  const { settings, environment, operands, flags } = context;
  const [action = "list", name, ...tools] = operands;
  if (settings.mcpConfigs.length === 0) {
    throw new UsageError('Cannot show servers: name the file of their configuration with "--mcp-config FILE"');
  }
  const known = await knownServers(settings, environment, SILENT);
  for (const diagnostic of known.diagnostics) await printProblem(describeDiagnostic(diagnostic));
  switch (action) {
    case "list":
      if (flags.has("json")) await print(`${JSON.stringify({ servers: describeServers(known) }, null, 2)}\n`);
      else await print(serverLines(known));
      return 0;
    case "test":
      return await testServers(context, operands.slice(1));
    case "diff":
      await print(diffLines(name === undefined ? known.usable : [chosen(known, name)]));
      return 0;
    case "approve":
      if (name === undefined) throw new UsageError('Cannot approve without a name: "ahma_mcp servers approve NAME"');
      await print(await approve(known, chosen(known, name), tools));
      return 0;
    default:
      throw new UsageError(
        `Unknown action "${action}": expected one of ${SERVER_ACTIONS.join(", ")}` +
          didYouMean(action, SERVER_ACTIONS),
      );
  }
}

function chosen({ usable }: KnownServers, name: string): KnownServer {
  const found = usable.find(({ spec }) => spec.name === name);
  if (found !== undefined) return found;
  throw new UserError(`No server is named "${name}"${didYouMean(name, usable.map(({ spec }) => spec.name))}`);
}

async function approve({ store }: KnownServers, server: KnownServer, tools: readonly string[]): Promise<string> {
  const { spec: { name }, id, record } = server;
  if (record === undefined) throw new UserError(`Nothing is known of server "${name}": it was never used`);
  const seen = record.seen.map((tool) => tool.name);
  const stranger = tools.find((tool) => !seen.includes(tool));
  if (stranger !== undefined) {
    throw new UserError(`Server "${name}" has no tool "${stranger}"${didYouMean(stranger, seen)}`);
  }
  const changed = changedTools(record).filter((tool) => tools.length === 0 || tools.includes(tool));
  await store.write(id, approved(record, tools.length === 0 ? undefined : tools));
  const onlyTools = changed.every((one) => toolsOf(record).some((tool) => tool.name === one));
  return `${name}: ${counted(changed.length, onlyTools ? "tool" : "definition")} approved${
    changed.length === 0 ? "" : `: ${changed.join(", ")}`
  }\n`;
}
