/** Answers 2026-07-28 calls without the SDK: a known envelope, name and arguments, and no progress to send. */
import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  type JSONRPCMessage,
  PROTOCOL_VERSION_META_KEY,
  type Result,
  SERVER_INFO_META_KEY,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { CallDelivery } from "../call/call_delivery.ts";
import { Outgoing } from "../notify/notifier.ts";
import type { ClientLink } from "../sdk/client_link.ts";
import { isRaw } from "../sdk/versioned_server.ts";
import type { Service } from "../service.ts";
import { isObject } from "../../wire/json_value.ts";
import type { WireId } from "../../wire/json_rpc_message.ts";
import { hasOnly, isPlainResult, RESERVED_KEYS } from "./plain_requests.ts";
import { hasKnownForm, isKnownClient } from "./first_answer.ts";

export interface PlainCall {
  readonly id: WireId;
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly meta: Readonly<Record<string, unknown>>;
}

const VERSION = "2026-07-28";
const ENVELOPE: readonly string[] = [PROTOCOL_VERSION_META_KEY, CLIENT_INFO_META_KEY, CLIENT_CAPABILITIES_META_KEY];

/** The call that a message is; undefined: the SDK must answer it. Pure. */
export function plainCall(message: JSONRPCMessage): PlainCall | undefined {
  if (!("method" in message && "id" in message) || message.method !== "tools/call") return undefined;
  const { _meta: meta, ...own } = message.params ?? {};
  const { name, arguments: args = {} } = own;
  if (!isObject(meta) || !hasOnly(own, "name", "arguments") || typeof name !== "string" || !isObject(args)) {
    return undefined;
  }
  const isOther = Object.keys(meta).some((key) => key.startsWith(RESERVED_KEYS) && !ENVELOPE.includes(key));
  if (isOther || "progressToken" in meta || meta[PROTOCOL_VERSION_META_KEY] !== VERSION) return undefined;
  if (CLIENT_INFO_META_KEY in meta && !isKnownClient(meta[CLIENT_INFO_META_KEY])) return undefined;
  if (!hasKnownForm(meta[CLIENT_CAPABILITIES_META_KEY])) return undefined;
  return { id: message.id, name, arguments: args, meta };
}

/** Does a call. @throws {RequestError} As the SDK's handler does. */
export async function resultOf(service: Service, call: PlainCall, signal: AbortSignal): Promise<Result> {
  const { name, arguments: args, meta } = call;
  const link = new ToldClient();
  const delivery = new CallDelivery({
    service,
    revision: VERSION,
    link,
    outgoing: new Outgoing(link, service.log),
    use: { listed: false, read: false },
    level: undefined,
    subscriptions: undefined,
    closed: signal,
  });
  const mcpReq = {
    signal,
    envelope: meta,
    _meta: meta,
    requestState: () => undefined,
    notify: () => link.notification(),
  };
  // The delivery uses nothing else of it: the call has no token, no log level and no answers to questions.
  return await delivery.answer({ name, arguments: args }, { mcpReq } as unknown as ServerContext);
}

/** The message with a result as the SDK writes it; undefined: only the SDK knows how. */
export function plainAnswerText({ info }: Service, { id }: PlainCall, result: Result): string | undefined {
  if (isRaw(result) || !isPlainResult(result)) return undefined;
  const _meta = { ...result._meta, [SERVER_INFO_META_KEY]: info };
  return JSON.stringify({ result: { ...result, resultType: "complete", _meta }, jsonrpc: "2.0", id });
}

/** A client that tells everything about itself with its request, and hears nothing but the answer. */
class ToldClient implements ClientLink {
  readonly hasCoreTasks = false;

  getClientCapabilities(): undefined {}

  getClientVersion(): undefined {}

  notification(): Promise<void> {
    return Promise.resolve();
  }

  ask(): Promise<never> {
    return Promise.reject(new Error("This version of the protocol asks by results only"));
  }

  checkedResult(result: Result): Promise<Result> {
    return Promise.resolve(result);
  }
}
