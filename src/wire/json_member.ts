/**
 * Parameters of a request as they came. The SDK answers what its own schemas refuse with -32603 and a dump of the
 * validator; the specification wants -32602 and words, which only the handler has.
 */
import { shownValue } from "../base/text.ts";
import { ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";

/** Lets everything through. */
export const ANYTHING = {
  "~standard": { version: 1, vendor: "ahma_mcp", validate: (value: unknown) => ({ value }) },
} as const;

/** A member of `params`; undefined where there is none. */
export function member(params: unknown, name: string): unknown {
  return typeof params === "object" && params !== null ? Reflect.get(params, name) : undefined;
}

/**
 * A member that must be a string.
 * @throws ProtocolError -32602
 */
export function textMember(params: unknown, name: string): string {
  const value = member(params, name);
  if (typeof value === "string") return value;
  throw new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    `Invalid params: "${name}" is ${shownValue(value)}, expected a string`,
  );
}
