/** Answers most requests of a session without the SDK's checks; its server has the same parts and answers. */
import type { JSONRPCRequest, ProgressToken, Result, Tool } from "@modelcontextprotocol/server";
import type { WireId } from "../../wire/json_rpc_message.ts";
import { traceIn } from "../../wire/trace_context.ts";
import { offersOf } from "../questions/question.ts";
import { listResources, listTemplates } from "../resources/resources.ts";
import { isObject } from "../../wire/json_value.ts";
import type { ListingParts } from "./connection_parts.ts";
import type { ConnectionParts } from "../notify/notifications.ts";
import { SessionClient } from "../questions/session_client.ts";
import { calledName } from "../result/listed_texts.ts";
import { callProgress, callTool } from "../call/call_tool.ts";

/** Handles a request, or throws the error for its answer; undefined: the SDK must answer. */
export type Answer = (signal: AbortSignal) => Promise<Result | undefined>;

type Members = Readonly<Record<string, unknown>>;

/** Keys of `_meta` with a meaning in the protocol. */
export const RESERVED_KEYS = "io.modelcontextprotocol/";

/** Undefined: the SDK must answer. */
export function plainAnswer(parts: ListingParts, { id, method, params = {} }: JSONRPCRequest): Answer | undefined {
  const { _meta: meta = {}, ...own } = params;
  if (Object.keys(meta).some((key) => key.startsWith(RESERVED_KEYS))) return undefined;
  switch (method) {
    case "tools/call":
      return callAnswer(parts, own, { id, meta });
    case "ping":
      return hasOnly(own) ? () => Promise.resolve({}) : undefined;
    case "logging/setLevel":
      return hasOnly(own, "level") ? () => levelAnswer(parts, own["level"]) : undefined;
    default:
      return hasOnly(own, "cursor") ? listAnswer(parts, method, own["cursor"]) : undefined;
  }
}

function callAnswer(parts: ListingParts, own: Members, call: Pick<PlainCall, "id" | "meta">): Answer | undefined {
  const { name, arguments: args = {} } = own;
  if (!hasOnly(own, "name", "arguments") || typeof name !== "string" || !isObject(args)) return undefined;
  return (signal) => answerPlainCall(parts, { ...call, name, arguments: args }, signal);
}

function levelAnswer({ level }: ListingParts, chosen: unknown): Promise<Result> {
  return Promise.try(() => {
    level?.choose(chosen);
    return {};
  });
}

function listAnswer(parts: ListingParts, method: string, cursor: unknown): Answer | undefined {
  if (cursor !== undefined && typeof cursor !== "string") return undefined;
  const { service, link, use, prompts } = parts;
  switch (method) {
    case "tools/list":
      return async () => {
        const result = await parts.listTools(cursor, offersOf(link.getClientCapabilities()));
        return result.tools.some(needsTranslation) ? undefined : result;
      };
    case "resources/list":
      return () => listResources(service, use, cursor);
    case "resources/templates/list":
      return () => listTemplates(service, cursor);
    case "prompts/list":
      return service.prompts.length > 0 ? () => prompts.page(cursor) : undefined;
    default:
      return undefined;
  }
}

/** In sessions results are objects; the SDK wraps any other value. */
function needsTranslation({ outputSchema }: Tool): boolean {
  return outputSchema !== undefined && outputSchema["type"] !== "object";
}

/** Whether an object has no members but these. */
export function hasOnly(value: Members, ...names: readonly string[]): boolean {
  return Object.keys(value).every((name) => names.includes(name));
}

/** `_meta` of a call. */
type CallMeta = Members & {
  /** Absent: no progress is wanted. */
  readonly progressToken?: ProgressToken | undefined;
};

export interface PlainCall {
  readonly id: WireId;
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly meta: CallMeta;
}

/** Does a call of a session. @throws {RequestError} For an unknown tool, or the SDK's error about a wrong result. */
export async function answerPlainCall(
  parts: ConnectionParts,
  { id, name, arguments: args, meta }: PlainCall,
  signal: AbortSignal,
): Promise<Result> {
  const { service, link, use, level } = parts;
  const { progressToken: token } = meta;
  const related = { relatedRequestId: id };
  const client = new SessionClient({
    owner: link,
    offers: offersOf(link.getClientCapabilities()),
    request: {
      notify: (notification) => link.notification(notification, related),
      ask: (question, options) => link.ask(question, { ...options, ...related }),
    },
    level,
  });
  const context = {
    signal,
    client,
    readsResources: use.read,
    sendProgress: undefined,
    trace: traceIn(meta),
    clientInfo: link.getClientVersion(),
    ...token !== undefined && callProgress(
      parts,
      token,
      (facts) =>
        link.notification({ method: "notifications/progress", params: { progressToken: token, ...facts } }, related),
    ),
  };
  const result = await callTool(service, { name: calledName(service, name), args }, context)
    .finally(() => client.answered());
  return isPlainResult(result) ? result : await link.checkedResult(result);
}

/** Whether the SDK would send a result unchanged: text, and our `_meta`. */
export function isPlainResult({ content, isError, _meta, ...more }: Result): boolean {
  return Object.keys(more).length === 0 && Array.isArray(content) && content.every(isText) &&
    (isError === undefined || typeof isError === "boolean") && (_meta === undefined || isObject(_meta));
}

function isText(block: unknown): boolean {
  return isObject(block) && block["type"] === "text" && typeof block["text"] === "string" &&
    Object.keys(block).length === 2;
}
