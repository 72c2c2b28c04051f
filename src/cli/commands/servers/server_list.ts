/** The configured servers for a person, and for programs. No value of a variable or header is shown. Pure. */
import { toolsOf } from "../../../upstream/definitions/items.ts";
import type { KnownServer, KnownServers } from "../../../app/server_records.ts";
import { counted } from "../../../base/text.ts";
import type { ServerSpec } from "../../../upstream/config/server_spec.ts";
import { changedTools } from "./server_diff.ts";

/** Every server as JSON, those that cannot be used with the reason. */
export function describeServers({ usable, others }: KnownServers): readonly object[] {
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
export function serverLines({ usable, others }: KnownServers): string {
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
    network: spec.network ?? "as commands",
    unixSockets: spec.unixSockets ?? "as commands",
    ...facts,
  };
}
