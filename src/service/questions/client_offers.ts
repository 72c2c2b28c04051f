/** What a client takes, where its version says so. */
import { CLIENT_CAPABILITIES_META_KEY, type Server, type ServerContext } from "@modelcontextprotocol/server";
import { member } from "../../wire/json_value.ts";
import { type ClientOffers, offersOf } from "./question.ts";

/** With each request since 2026-07-28, with `initialize` before. */
export function clientOffers(server: Server, { mcpReq }: ServerContext): ClientOffers {
  const envelope = member(mcpReq.envelope, CLIENT_CAPABILITIES_META_KEY);
  return offersOf(envelope ?? server.getClientCapabilities());
}
