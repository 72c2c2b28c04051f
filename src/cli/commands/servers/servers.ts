/** `servers` (O7): what is configured, whether it works, what servers changed since a person trusted them, and that trust. */
import { SILENT } from "../../../base/log.ts";
import { UsageError, UserError } from "../../../base/errors.ts";
import { didYouMean } from "../../../base/suggest.ts";
import { printNameList } from "../../../base/network/name_list.ts";
import { counted } from "../../../base/text.ts";
import { describeDiagnostic } from "../../../base/diagnostic.ts";
import { type KnownServer, type KnownServers, knownServers } from "../../../app/server_records.ts";
import { SERVER_ACTIONS } from "../../../settings/flags/actions.ts";
import { approved, toolsOf } from "../../../upstream/definitions/pins.ts";
import type { CommandContext } from "../../terminal/command_context.ts";
import { print, printProblem } from "../../terminal/print.ts";
import { testServers } from "./test_servers.ts";
import { changedTools, diffLines } from "./server_diff.ts";
import type { ServerSpec, StdioSpec } from "../../../upstream/config/server_spec.ts";

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
  if (record === undefined) throw new UserError(`Nothing is known about server "${name}": it was never used`);
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

/** Every server as JSON, those that cannot be used with the reason. No value of a variable or header is shown. */
function describeServers({ usable, others }: KnownServers): readonly object[] {
  return [
    ...usable.map(({ spec, record }) => ({
      name: spec.name,
      state: record === undefined ? "unknown" : "cached",
      ...factsOf(spec),
      ...record !== undefined && { tools: toolsOf(record).length, changed: changedTools(record) },
    })),
    ...others,
  ];
}

/** A line for each server: name, state, how it is reached; tabs between. */
function serverLines({ usable, others }: KnownServers): string {
  const lines = [
    ...usable.map((server) => `${server.spec.name}\t${stateOf(server)}\t${placeOf(server.spec)}`),
    ...others.map((one) => `${one.name}\t${one.state}\t${one.state === "refused" ? one.problem : ""}`),
  ];
  return `${lines.join("\n")}\n`;
}

function stateOf({ record }: KnownServer): string {
  if (record === undefined) return "never used";
  const changed = changedTools(record).length;
  return `${counted(toolsOf(record).length, "tool")}${changed === 0 ? "" : `, ${changed} changed or new`}`;
}

function placeOf(spec: ServerSpec): string {
  return spec.kind === "http" ? spec.url.shown : [spec.command, ...spec.args].map(({ shown }) => shown).join(" ");
}

function factsOf(spec: ServerSpec): object {
  const { prefix, filter, pin } = spec;
  const common = {
    ...prefix !== undefined && { prefix },
    ...filter.include !== undefined && { include: filter.include },
  };
  const facts = { ...common, ...filter.exclude.length > 0 && { exclude: filter.exclude }, pin };
  if (spec.kind === "http") {
    return { kind: "http", url: spec.url.shown, headers: Object.keys(spec.headers), ...facts };
  }
  return {
    kind: "stdio",
    command: spec.command.shown,
    args: spec.args.map(({ shown }) => shown),
    environment: Object.keys(spec.environment),
    ...spec.directory !== undefined && { cwd: spec.directory },
    write: spec.write,
    read: spec.read,
    readScope: spec.readScope,
    network: shownNetwork(spec),
    unixSockets: spec.unixSockets ?? "as commands",
    ...facts,
  };
}

/** A word, or the hosts. */
function shownNetwork({ network }: StdioSpec): string {
  if (network === undefined) return "as commands";
  return network.network === "names" ? printNameList(network.names) : network.network;
}
