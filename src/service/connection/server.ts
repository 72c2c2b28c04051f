/** One SDK server for one connection. State belongs to the service: HTTP needs a server for each request. */
import type { McpRequestContext } from "@modelcontextprotocol/server";
import { messageOf } from "../../base/errors.ts";
import { listHints, toolsTtlMs } from "./cache_hints.ts";
import { capabilitiesOf } from "./capabilities.ts";
import { connectionParts, type ListingParts } from "./connection_parts.ts";
import { announce, announceSandbox } from "../notify/notifications.ts";
import { CallDelivery, clientOffers } from "../call/call_delivery.ts";
import { serveCompletions } from "../resources/completions.ts";
import { serveCoreTasks } from "../tasks/tasks_2025_11.ts";
import { serveExtensionTasks } from "../tasks/tasks_2026_07.ts";
import { servePrompts } from "../prompts/serve_prompts.ts";
import { serveSkills, skillsOf } from "../skills/serve_skills.ts";
import { listResources, listTemplates, serveReading } from "../resources/resources.ts";
import { ANYTHING } from "../sdk/wrong_parameters.ts";
import { VersionedServer } from "../sdk/versioned_server.ts";
import { instructionsOf } from "../result/listed_texts.ts";
import { member } from "../../wire/json_value.ts";
import type { Revision, Service } from "../service.ts";

export interface ServerOptions {
  readonly revision: Revision;
  /** `request`: it serves one HTTP request and announces nothing; absent: it serves a lasting connection. */
  readonly lifetime?: "request";
  /** The parts of a connection that announces changes itself; absent: the server does, with its own parts. */
  readonly parts?: ListingParts;
}

/** The revision as the SDK names it. */
export function revisionOf({ era }: Pick<McpRequestContext, "era">): Revision {
  return era === "legacy" ? "2025-11-25" : "2026-07-28";
}

/** A server that is ready to connect; closing it ends its subscriptions. */
export function buildServer(service: Service, { revision, lifetime, parts }: ServerOptions): VersionedServer {
  const server = new VersionedServer(service.info, {
    capabilities: capabilitiesOf(service, revision),
    instructions: instructionsOf(service),
    cacheHints: listHints(service),
  });
  const closed = new AbortController();
  const all = parts ?? connectionParts(service, server, revision);
  serveLists(server, all, revision);
  serveReading(server, service, all.use);
  const calls = new CallDelivery({ ...all, closed: closed.signal });
  // Results are those of `tools/call`, or raw results that the server passes on unchanged.
  server.setRequestHandler("tools/call", ({ params }, context) => calls.answer(params, context) as Promise<never>);
  if (service.prompts.length > 0) servePrompts(server, service);
  const skills = skillsOf(service);
  if (skills !== undefined) serveSkills(server, skills, all.use);
  serveCompletions(server, service);
  if (revision === "2025-11-25") serveSession(server, all);
  if (!service.settings.synchronous) {
    (revision === "2025-11-25" ? serveCoreTasks : serveExtensionTasks)(server, service, all.use);
  }
  const unsubscribe = parts === undefined && lifetime !== "request" ? announce(all) : undefined;
  server.onclose = () => {
    unsubscribe?.();
    closed.abort();
  };
  server.onerror = (error) => service.log.debug("MCP", { error: messageOf(error) });
  return server;
}

function serveLists(
  server: VersionedServer,
  { service, use, prompts, listTools }: ListingParts,
  revision: Revision,
): void {
  server.setRequestHandler("tools/list", async ({ params }, context) => {
    const ttlMs = toolsTtlMs(service);
    const tools = await listTools(params?.cursor, clientOffers(server, context));
    return revision === "2026-07-28" ? { ...tools, ttlMs } : tools;
  });
  server.setRequestHandler("resources/list", ({ params }) => listResources(service, use, params?.cursor));
  server.setRequestHandler("resources/templates/list", ({ params }) => listTemplates(service, params?.cursor));
  // Without a source, requests for prompts are unknown, as the capabilities declare.
  if (service.prompts.length > 0) {
    server.setRequestHandler("prompts/list", ({ params }) => prompts.page(params?.cursor));
  }
}

/** Handlers that only versions with sessions have. */
function serveSession(server: VersionedServer, { service, outgoing, level, subscriptions }: ListingParts): void {
  server.oninitialized = () => void announceSandbox(service, outgoing);
  server.setRequestHandler("logging/setLevel", { params: ANYTHING }, (params) => {
    level?.choose(member(params, "level"));
    return {};
  });
  server.setRequestHandler("resources/subscribe", async ({ params: { uri } }) => {
    await subscriptions?.subscribe(uri);
    return {};
  });
  server.setRequestHandler("resources/unsubscribe", ({ params: { uri } }) => {
    subscriptions?.unsubscribe(uri);
    return {};
  });
}
