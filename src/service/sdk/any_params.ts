/** Parameters as they came, for handlers that check them themselves (docs/design.md, "SDK corrections": wrong parameters). */
import { RequestError, RequestErrorCode } from "../../wire/request_error.ts";
import { shownValue } from "../../base/text.ts";
import { member } from "../../wire/json_value.ts";

/** A schema that accepts every value. */
export const ANYTHING = {
  "~standard": { version: 1, vendor: "ahma_mcp", validate: (value: unknown) => ({ value }) },
} as const;

/**
 * A member that must be a string.
 * @throws RequestError -32602
 */
export function textMember(params: unknown, name: string): string {
  const value = member(params, name);
  if (typeof value === "string") return value;
  throw new RequestError(
    RequestErrorCode.InvalidParams,
    `Invalid params: "${name}" is ${shownValue(value)}, expected a string`,
  );
}
