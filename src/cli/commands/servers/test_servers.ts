/** `servers test` (O7): each server is started or connected as real use does it, in its sandbox, and lists what it has. */
import { itemsOf, toolsOf } from "../../../upstream/definitions/pins.ts";
import { UserError } from "../../../base/errors.ts";
import { didYouMean } from "../../../base/suggest.ts";
import { compose } from "../../../app/compose_service.ts";
import type { OpenServers } from "../../../app/open_servers.ts";
import type { UpstreamServer } from "../../../upstream/server/upstream_server.ts";
import type { CommandContext } from "../../terminal/command_context.ts";
import { print } from "../../terminal/print.ts";
import { openRunLog } from "../../terminal/run_log.ts";
import { changedTools } from "./server_diff.ts";
import { counted } from "../../../base/text.ts";
import { shorten } from "../../../base/visible_text.ts";

/** Tests all servers, or those of these names; resolves with 1 when one failed. @throws {UserError} For a strange name. */
export async function testServers(context: CommandContext, names: readonly string[]): Promise<number> {
  const { settings: given, warnings, environment, flags, stop } = context;
  const settings = { ...given, pool: false, hotReload: false };
  await using log = openRunLog({ settings, warnings, environment });
  await using program = await compose({ settings, environment, log: log.logger });
  log.start();
  const { servers = [], refused = [] } = program.servers ?? {};
  const wanted = chosen({ servers, refused }, names);
  const onStop = () => void Promise.all(wanted.servers.map((server) => server.close()));
  stop.addEventListener("abort", onStop, { once: true });
  const running = wanted.servers.map(tryServer);
  const isJson = flags.has("json");
  const tried: TriedServer[] = [];
  for (const trying of [...running, ...wanted.refused.map(refusedServer)]) {
    const server = await trying;
    tried.push(server);
    if (!isJson) await print(triedLine(server));
  }
  stop.removeEventListener("abort", onStop);
  if (isJson) await print(`${JSON.stringify({ servers: tried }, null, 2)}\n`);
  return tried.some(({ state }) => state === "failed") ? 1 : 0;
}

type Configured = Pick<OpenServers, "servers" | "refused">;

function chosen({ servers, refused }: Configured, names: readonly string[]): Configured {
  const known = [...servers.map(({ spec }) => spec.name), ...refused.map(({ name }) => name)];
  const stranger = names.find((name) => !known.includes(name));
  if (stranger !== undefined) throw new UserError(`No server is named "${stranger}"${didYouMean(stranger, known)}`);
  const isMeant = (name: string) => names.length === 0 || names.includes(name);
  return {
    servers: servers.filter(({ spec }) => isMeant(spec.name)),
    refused: refused.filter(({ name }) => isMeant(name)),
  };
}

async function tryServer(server: UpstreamServer): Promise<TriedServer> {
  const begin = performance.now();
  await server.learn();
  const { spec: { name }, hello, record, problem } = server;
  const took = () => Math.round(performance.now() - begin);
  if (server.state !== "ready" || hello === undefined) {
    return { name, state: "failed", milliseconds: took(), problem: problem ?? "It was closed before it was ready" };
  }
  return {
    name,
    state: "ready",
    protocol: hello.protocolVersion,
    tools: toolsOf(record).length,
    resources: itemsOf(record, "resource").length,
    prompts: itemsOf(record, "prompt").length,
    changed: record === undefined ? [] : changedTools(record),
    milliseconds: took(),
  };
}

function refusedServer({ name, problem }: OpenServers["refused"][number]): TriedServer {
  return { name, state: "failed", milliseconds: 0, problem };
}

/** A server that was started or connected as real use does it. */
export interface TriedServer {
  readonly name: string;
  readonly state: "ready" | "failed";
  /** Version of the protocol; absent: it was never ready. */
  readonly protocol?: string;
  /** How many it has; absent: it was never ready. */
  readonly tools?: number;
  readonly resources?: number;
  readonly prompts?: number;
  /** Names of tools that a person has not approved, the new ones too. */
  readonly changed?: readonly string[];
  /** Until it had listed everything, or had failed. */
  readonly milliseconds: number;
  /** Why it failed, and the way out; several lines. Absent: it has not. */
  readonly problem?: string;
}

const LONGEST_LINE = 500;

/** Name, state, time, and either version and what it offers, or the reason, with its last words below; tabs between. */
export function triedLine(server: TriedServer): string {
  const { name, state, protocol, milliseconds, problem, changed = [] } = server;
  const time = milliseconds < 10_000 ? `${milliseconds} ms` : `${(milliseconds / 1000).toFixed(1)} s`;
  if (problem !== undefined) {
    const [reason = "", ...more] = problem.split("\n").map((line) => shorten(line, LONGEST_LINE));
    return `${[[name, state, time, reason].join("\t"), ...more.map((line) => `  ${line}`)].join("\n")}\n`;
  }
  const approval = changed.length === 0
    ? []
    : [`${counted(changed.length, "tool")} changed or new: ahma_mcp servers diff ${name}`];
  return `${[name, state, time, protocol, offers(server), ...approval].join("\t")}\n`;
}

function offers({ tools, resources, prompts }: TriedServer): string {
  const all = [[tools, "tool"], [resources, "resource"], [prompts, "prompt"]] as const;
  return all.flatMap(([count, what]) => count === undefined || count === 0 ? [] : [counted(count, what)]).join(", ") ||
    "nothing";
}
