/** Calls of tools in their plainest form, as most are: nothing of it needs the checks of the SDK. */
import type { JSONRPCMessage, Result } from "@modelcontextprotocol/server";
import { isObject } from "../../wire/json_value.ts";

/** A call of which nothing is said but what it calls. */
export interface PlainCall {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/** Does a call; what it throws is the error of the answer, as with the SDK. */
export type AnswerCall = (call: PlainCall, signal: AbortSignal) => Promise<Result>;

/** Undefined: the message is another one, or says more. */
export function plainCall(message: JSONRPCMessage): PlainCall | undefined {
  if (!("method" in message) || !("id" in message) || message.method !== "tools/call") return undefined;
  const { name, arguments: args = {}, ...more } = message.params ?? {};
  return typeof name === "string" && isObject(args) && Object.keys(more).length === 0
    ? { name, arguments: args }
    : undefined;
}

/** Whether the SDK would send a result as it is: text, and what we say about it. */
export function isPlainResult({ content, isError, _meta, ...more }: Result): boolean {
  return Object.keys(more).length === 0 && Array.isArray(content) && content.every(isText) &&
    (isError === undefined || typeof isError === "boolean") && (_meta === undefined || isObject(_meta));
}

function isText(block: unknown): boolean {
  return isObject(block) && block["type"] === "text" && typeof block["text"] === "string" &&
    Object.keys(block).length === 2;
}
