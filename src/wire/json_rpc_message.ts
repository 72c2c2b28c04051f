/** Classifies a message before the SDK sees it, because the SDK drops unreadable messages without an answer. */
import type {
  JSONRPCErrorResponse,
  JSONRPCMessage,
  JSONRPCNotification,
  JSONRPCRequest,
  JSONRPCResultResponse,
} from "@modelcontextprotocol/server";
import { hasMoreMembers, isObject } from "./json_value.ts";
import { type Excess, moreThan, MOST_META } from "./message_bounds.ts";

export type WireId = string | number;

/** JSON-RPC 2.0, section 5.1. */
export const PARSE_ERROR = -32700;
export const INVALID_REQUEST = -32600;

export type WireMessage =
  | { readonly kind: "request"; readonly id: WireId; readonly method: string; readonly message: JSONRPCMessage }
  /** `cancels`: the request that `notifications/cancelled` names. */
  | { readonly kind: "notification"; readonly cancels: WireId | undefined; readonly message: JSONRPCMessage }
  | { readonly kind: "response"; readonly message: JSONRPCMessage }
  | { readonly kind: "blank" }
  /** Used only if batches are supported; otherwise `BATCH_REFUSED`. No item is itself a batch. */
  | { readonly kind: "batch"; readonly items: readonly WireMessage[] }
  | InvalidMessage;

export interface InvalidMessage {
  readonly kind: "invalid";
  readonly id: WireId | null;
  readonly code: number;
  readonly problem: string;
  /** Only requests are answered: answers to answers could continue forever. An unclear message counts as a request. */
  readonly meantAs: "request" | "notification" | "answer";
  /** The limit that it exceeds; absent: none. */
  readonly excess?: Excess;
}

/** The longest id or token, UTF-16 units. */
const LONGEST_NAME = 1_024;
/** The most messages in one batch. */
const MOST_ITEMS = 100;
/** The only version with batches of messages. */
const VERSION_OF_BATCHES = "2025-03-26";

/** Whether a client of this version may send batches. */
export function takesBatches(version: string): boolean {
  return version === VERSION_OF_BATCHES;
}

/** The answer to a batch where batches are not supported. */
export const BATCH_REFUSED = {
  kind: "invalid",
  id: null,
  code: INVALID_REQUEST,
  problem: `Invalid request: batches are part of ${VERSION_OF_BATCHES} only; send one message at a time`,
  meantAs: "request",
} as const satisfies WireMessage;

/** Key of `_meta` for the task that a message belongs to (2025-11-25). */
export const RELATED_TASK_META_KEY = "io.modelcontextprotocol/related-task";
/** The extension of 2026-07-28 by which a server may answer a call with a task. */
export const TASKS_EXTENSION = "io.modelcontextprotocol/tasks";
/** The extension by which a server serves skills (SEP-2640). */
export const SKILLS_EXTENSION = "io.modelcontextprotocol/skills";

/** Classifies a value that was received as one message. Never throws. */
export function wireMessageOf(value: unknown): WireMessage {
  return Array.isArray(value) && value.length > 0 ? batchOf(value) : messageOf(value);
}

/** A message that is not JSON or not UTF-8. */
export function unreadable(thrown: unknown): InvalidMessage {
  const problem = `Parse error: ${thrown instanceof Error ? thrown.message : String(thrown)}`;
  return { kind: "invalid", id: null, code: PARSE_ERROR, problem, meantAs: "request" };
}

/** A message that exceeds a limit. `outline`: its members without their contents, as far as they are known. */
export function excessive(excess: Excess, outline: unknown): InvalidMessage {
  return { ...invalid(outline, `the message has ${moreThan(excess)}, the limit`), excess };
}

function batchOf(values: readonly unknown[]): WireMessage {
  if (values.length <= MOST_ITEMS) return { kind: "batch", items: values.map(messageOf) };
  return invalid(values, `a batch has at most ${MOST_ITEMS} messages`);
}

function messageOf(value: unknown): WireMessage {
  const long = tooLongName(value);
  if (long !== undefined) return invalid(value, `"${long}" has more than ${LONGEST_NAME} characters`);
  if (isRequest(value)) return { kind: "request", id: value.id, method: value.method, message: value };
  if (isNotification(value)) return { kind: "notification", cancels: cancelledId(value), message: value };
  if (isResult(value) || isErrorResponse(value)) return { kind: "response", message: value };
  return invalid(value, whatIsWrong(value));
}

function invalid(value: unknown, problem: string): InvalidMessage {
  return {
    kind: "invalid",
    id: idOf(value),
    code: INVALID_REQUEST,
    problem: `Invalid request: ${problem}`,
    meantAs: meaningOf(value),
  };
}

// The four forms are those of the SDK's schemas, which need 50 MB and, after a pause, a tenth of a millisecond.

function isRequest(value: unknown): value is JSONRPCRequest {
  return hasForm(value, ["jsonrpc", "id", "method", "params"]) && isId(value["id"]) &&
    typeof value["method"] === "string" && areParams(value["params"]);
}

function isNotification(value: unknown): value is JSONRPCNotification {
  return hasForm(value, ["jsonrpc", "method", "params"]) && typeof value["method"] === "string" &&
    areParams(value["params"]);
}

function isResult(value: unknown): value is JSONRPCResultResponse {
  if (!hasForm(value, ["jsonrpc", "id", "result"]) || !isId(value["id"])) return false;
  const { result } = value;
  return isObject(result) && (result["_meta"] === undefined || isObject(result["_meta"]));
}

function isErrorResponse(value: unknown): value is JSONRPCErrorResponse {
  if (!hasForm(value, ["jsonrpc", "id", "error"]) || "id" in value && !isId(value["id"])) return false;
  const { error } = value;
  return isObject(error) && Number.isSafeInteger(error["code"]) && typeof error["message"] === "string";
}

function hasForm(value: unknown, members: readonly string[]): value is Readonly<Record<string, unknown>> {
  return isObject(value) && value["jsonrpc"] === "2.0" && Object.keys(value).every((name) => members.includes(name));
}

function isId(value: unknown): value is WireId {
  return typeof value === "string" || Number.isSafeInteger(value);
}

function areParams(params: unknown): boolean {
  if (params === undefined) return true;
  if (!isObject(params)) return false;
  const { _meta: meta } = params;
  if (meta === undefined) return true;
  if (!isObject(meta) || hasMoreMembers(meta, MOST_META)) return false;
  const { progressToken: token, [RELATED_TASK_META_KEY]: task } = meta;
  return (token === undefined || isId(token)) &&
    (task === undefined || isObject(task) && typeof task["taskId"] === "string");
}

/** The part that is too long, if any: the other side chooses it, and the server stores and repeats it. */
function tooLongName(value: unknown): "id" | "progressToken" | undefined {
  if (!isObject(value)) return undefined;
  if (isLong(value["id"])) return "id";
  const meta = isObject(value["params"]) ? value["params"]["_meta"] : undefined;
  return isObject(meta) && isLong(meta["progressToken"]) ? "progressToken" : undefined;
}

function isLong(name: unknown): boolean {
  return typeof name === "string" && name.length > LONGEST_NAME;
}

function meaningOf(value: unknown): InvalidMessage["meantAs"] {
  if (!isObject(value)) return "request";
  if ("method" in value) return typeof value["method"] === "string" && !("id" in value) ? "notification" : "request";
  return "result" in value || "error" in value ? "answer" : "request";
}

function cancelledId(notification: { method: string; params?: Record<string, unknown> | undefined }) {
  return notification.method === "notifications/cancelled" ? asId(notification.params?.["requestId"]) : undefined;
}

function idOf(value: unknown): WireId | null {
  return isObject(value) ? asId(value["id"]) ?? null : null;
}

/** Undefined also for a number that lost digits in parsing, because the client sent another one. */
function asId(value: unknown): WireId | undefined {
  return typeof value === "string" && !isLong(value) || (typeof value === "number" && !isLossy(value))
    ? value
    : undefined;
}

function isLossy(value: number): boolean {
  return !Number.isFinite(value) || (Number.isInteger(value) && !Number.isSafeInteger(value));
}

function whatIsWrong(value: unknown): string {
  if (Array.isArray(value)) return "a batch is not empty, and not part of another one";
  if (!isObject(value)) return "a message is a JSON object";
  if (value["jsonrpc"] !== "2.0") return '"jsonrpc" must be "2.0"';
  if (typeof value["method"] !== "string") return '"method" must be a string';
  if (value["id"] === null) return '"id" must be a string or an integer, not null';
  if ("id" in value && !Number.isSafeInteger(value["id"]) && typeof value["id"] !== "string") {
    return `"id" must be a string or an integer of at most ${Number.MAX_SAFE_INTEGER}`;
  }
  if ("params" in value && !isObject(value["params"])) return '"params" must be an object';
  const meta = isObject(value["params"]) ? value["params"]["_meta"] : undefined;
  if (meta !== undefined && !isObject(meta)) return '"params._meta" must be an object';
  if (hasMoreMembers(meta, MOST_META)) {
    return `"params._meta" has more than ${MOST_META} keys and list items, the limit`;
  }
  if (isObject(meta) && "progressToken" in meta) {
    return `"progressToken" must be a string or an integer of at most ${Number.MAX_SAFE_INTEGER}`;
  }
  const unknown = Object.keys(value).find((name) => !["jsonrpc", "id", "method", "params"].includes(name));
  return unknown === undefined
    ? "it is malformed"
    : `the member "${unknown.slice(0, 40)}" does not exist in JSON-RPC 2.0`;
}
