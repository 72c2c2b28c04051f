/** The parts of one connection, used by the SDK's server and by the direct answers without it. */
import type { ListToolsResult } from "@modelcontextprotocol/server";
import type { ClientLink } from "../sdk/client_link.ts";
import type { ConnectionParts } from "../notify/notifications.ts";
import { Outgoing } from "../notify/notifier.ts";
import { Subscriptions } from "../notify/subscriptions.ts";
import { PromptList } from "../prompts/serve_prompts.ts";
import type { ClientOffers } from "../questions/question.ts";
import { LogLevel } from "../sdk/log_level.ts";
import type { Revision, Service } from "../service.ts";
import { withApp } from "../apps/operations_app.ts";
import { toolList } from "./tool_list.ts";
import { shownValue } from "../../base/text.ts";
import { RequestError, RequestErrorCode } from "../../wire/request_error.ts";

/** The parts that answer list requests. */
export interface ListingParts extends ConnectionParts {
  readonly prompts: PromptList;
  /** `tools/list`. @throws {RequestError} For a cursor: the list has one page. */
  readonly listTools: (cursor: string | undefined, offers: ClientOffers) => Promise<ListToolsResult>;
}

/** Parts that have not reported to the client yet. */
export function connectionParts(service: Service, link: ClientLink, revision: Revision): ListingParts {
  const hasSessions = revision === "2025-11-25";
  const tools = toolList(service);
  return {
    service,
    revision,
    link,
    outgoing: new Outgoing(link, service.log),
    use: { listed: false, read: false },
    level: hasSessions ? new LogLevel(service.onLogLevel) : undefined,
    subscriptions: hasSessions ? new Subscriptions(service) : undefined,
    prompts: new PromptList(service),
    listTools: async (cursor, offers) => {
      for (const source of service.sources) source.noteOffers?.(offers);
      if (cursor !== undefined) {
        const message = `Invalid cursor ${shownValue(cursor)}: the list has one page`;
        throw new RequestError(RequestErrorCode.InvalidParams, message);
      }
      const { plain, withTasks } = await tools();
      const listed = link.hasCoreTasks ? withTasks : plain;
      return { tools: offers.apps === true ? withApp(service, listed) : listed };
    },
  };
}
