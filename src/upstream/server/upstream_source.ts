/** The third tool source: tools of other servers, under our names (O2). */
import type { CallToolResult, Tool } from "@modelcontextprotocol/server";
import type { Unsubscribe } from "../../base/emitter.ts";
import type { Logger } from "../../base/log.ts";
import { failure, type Outcome, success } from "../../base/outcome.ts";
import { shorten } from "../../base/visible_text.ts";
import { appendFinished } from "../../service/result/finished_operations.ts";
import type { ClientOffers } from "../../service/questions/question.ts";
import type { CallContext, Service, ToolCall, ToolSource, UnknownTool } from "../../service/service.ts";
import { isOffered } from "../config/read_entry.ts";
import { clientTool, type Definition } from "../definitions/definition.ts";
import { headerArguments } from "../definitions/header_arguments.ts";
import type { ToolName } from "../definitions/tool_names.ts";
import { isObject } from "../../wire/json_value.ts";
import type { CallAudit, CallRecord } from "../../service/run/call_audit.ts";
import { OfferedList } from "./offered_list.ts";
import { NamedEntries, type ServerSet } from "./server_set.ts";
import { callRemote } from "./remote_call.ts";
import { type SeenTool, statusOf } from "./status_lines.ts";
import type { UpstreamServer } from "./upstream_server.ts";
import { toolsOf, withheldReason } from "../definitions/pins.ts";

export interface UpstreamSourceOptions {
  readonly set: ServerSet;
  /** A line for each server of the configuration that cannot be used. */
  readonly notes: readonly string[];
  /** Names taken by earlier sources. */
  readonly taken: () => Promise<readonly string[]>;
  /** Longest name, characters. */
  readonly longestName: number;
  /** Undefined: calls are not logged. */
  readonly audit: CallAudit | undefined;
  /** Undefined: what calls change is not recorded. */
  readonly recorded?: CallRecord | undefined;
  readonly log: Logger;
}

interface Entry extends SeenTool {
  readonly server: UpstreamServer;
  readonly definition: Definition;
  /** Its schema, if arguments must also be sent as headers. */
  readonly headerSchema: Readonly<Record<string, unknown>> | undefined;
  /** Undefined: it is not offered. */
  readonly tool: Tool | undefined;
}

export class UpstreamSource implements ToolSource {
  readonly #options: UpstreamSourceOptions;
  readonly #entries: NamedEntries<Entry>;
  readonly #list: OfferedList<readonly Tool[]>;

  constructor(options: UpstreamSourceOptions) {
    this.#options = options;
    const { set, taken, longestName: longest, log } = options;
    const seen = (server: UpstreamServer) =>
      toolsOf(server.record).filter(({ name }) => isOffered(server.spec.filter, name))
        .toSorted((one, other) => one.name < other.name ? -1 : 1)
        .map((tool) => [tool.name, (name: ToolName) => entryOf(server, tool, name)] as const);
    this.#entries = new NamedEntries({ set, taken, longest, seen });
    const now = async () => (await this.#entries.now()).flatMap(({ tool }) => tool ?? []);
    this.#list = new OfferedList(set, now, log);
  }

  noteOffers(offers: ClientOffers): void {
    this.#options.set.noteOffers(offers);
  }

  onChange(listener: () => void): Unsubscribe {
    return this.#list.onChange(listener);
  }

  list(): Promise<readonly Tool[]> {
    return this.#list.list();
  }

  async call(
    service: Service,
    { name, args }: ToolCall,
    context: CallContext,
  ): Promise<Outcome<CallToolResult, UnknownTool>> {
    if (context.ownToolsOnly === true) return failure({ known: [] });
    if (context.client !== undefined) this.noteOffers(context.client.offers);
    await this.#learnFor(name);
    const entries = await this.#entries.now();
    const entry = entries.find((one) => one.name === name);
    if (entry === undefined) {
      const known = entries.flatMap(({ tool, name }) => tool ? [name] : []);
      const unavailable = this.#unknownTo(name).find(({ reason }) => reason !== undefined)?.reason;
      return failure({ known, ...unavailable !== undefined && { unavailable } });
    }
    if (entry.problem !== undefined) return failure({ known: [], unavailable: entry.problem });
    const { server, definition: { name: tool }, headerSchema } = entry;
    const problem = () => toolProblem(server, tool);
    const { audit, recorded } = this.#options;
    const call = { server, name, tool, args, headerSchema, problem, audit, recorded };
    const result = await callRemote(service, call, context);
    return success(appendFinished(result, service, context));
  }

  unknown(): readonly string[] {
    const unknown = this.#options.set.servers.filter(({ record }) => record === undefined);
    return unknown.map(({ spec, state }) => `${spec.name} (${state})`);
  }

  /** A line for each server, for `status`. */
  async status(): Promise<readonly string[]> {
    const entries = await this.#entries.now();
    const { set, notes } = this.#options;
    return [
      "Servers:",
      ...set.servers.flatMap((server) => statusOf(server, entries.filter((entry) => entry.server === server))),
      ...notes,
    ];
  }

  /** Asks unknown servers whose prefix matches the name: a client may know the tool from elsewhere. */
  async #learnFor(name: string): Promise<void> {
    await Promise.all(this.#unknownTo(name).map((server) => server.learn()));
  }

  /** Unknown servers that may have a tool of this name. */
  #unknownTo(name: string): readonly UpstreamServer[] {
    return this.#options.set.servers.filter((server) =>
      server.record === undefined && this.#entries.mayBeOf(server, name)
    );
  }
}

function entryOf(
  server: UpstreamServer,
  definition: Definition,
  { name, collides }: ToolName,
): Entry {
  const reason = toolProblem(server, definition.name);
  const tool = clientTool(definition, name);
  const { inputSchema } = definition;
  const headers = server.spec.kind === "http" && tool.ok ? headerArguments(inputSchema) : success([]);
  const fault = tool.ok ? headers.ok ? undefined : headers.problem : tool.problem;
  const problem = reason ?? (fault === undefined ? undefined : `it is withheld: ${fault}`);
  const isAdded = server.record?.added.includes(definition.name) === true;
  return {
    server,
    definition,
    name,
    collides,
    isAdded,
    problem,
    headerSchema: headers.ok && headers.value.length > 0 && isObject(inputSchema) ? inputSchema : undefined,
    tool: problem === undefined && tool.ok ? tool.value : undefined,
  };
}

/** Why a tool of a server is not offered now, with the way out; undefined: it is offered. */
function toolProblem(server: UpstreamServer, tool: string): string | undefined {
  const { record, spec } = server;
  const definition = toolsOf(record).find(({ name }) => name === tool);
  if (record === undefined || definition === undefined) {
    return `server "${spec.name}" no longer has tool "${shorten(tool)}"`;
  }
  return withheldReason(server, definition);
}
