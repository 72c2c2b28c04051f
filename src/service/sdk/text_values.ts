/** Values by name that must be texts (docs/design.md, "SDK corrections": wrong parameters). */
import { shorten } from "../../base/visible_text.ts";
import { isObject, member } from "../../wire/json_value.ts";
import { RequestError, RequestErrorCode } from "../../wire/request_error.ts";

/** Where a request has them. */
const PLACES: Readonly<Record<string, readonly string[]>> = {
  "prompts/get": ["arguments"],
  "completion/complete": ["context", "arguments"],
};

/** @throws {RequestError} -32602 At the first value that is not a text; the SDK would explain each of thousands. */
export function checkTexts(method: string, params: unknown): void {
  const place = PLACES[method] ?? [];
  const values = place.reduce((value: unknown, name) => member(value, name), place.length === 0 ? undefined : params);
  if (!isObject(values)) return;
  const wrong = Object.keys(values).find((name) => typeof values[name] !== "string");
  if (wrong === undefined) return;
  const path = ["params", ...place, shorten(wrong)].join(".");
  throw new RequestError(RequestErrorCode.InvalidParams, `Invalid parameters: ${path}: Invalid input: expected string`);
}
