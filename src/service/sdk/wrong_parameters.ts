/** Unchecked parameters for handlers with their own checks (docs/design.md, "SDK corrections": wrong parameters). */
import { RequestError, RequestErrorCode } from "../../wire/request_error.ts";
import { shownValue } from "../../base/text.ts";
import { isObject, member, parseJson } from "../../wire/json_value.ts";
import { shorten } from "../../base/visible_text.ts";
import { messageOf } from "../../base/errors.ts";

export const ANYTHING = {
  "~standard": { version: 1, vendor: "ahma_mcp", validate: (value: unknown) => ({ value }) },
} as const;

/** A member that must be a string. @throws RequestError -32602 */
export function textMember(params: unknown, name: string): string {
  const value = member(params, name);
  if (typeof value === "string") return value;
  throw new RequestError(
    RequestErrorCode.InvalidParams,
    `Invalid params: "${name}" is ${shownValue(value)}, expected a string`,
  );
}

/** The parameters of a request. */
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

/** One issue in the validator's form. */
interface Issue {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** Maximum length of the sentence about one issue, characters. */
const LONGEST_SENTENCE = 200;
/** Maximum number of reported issues, because thousands of values may each have one. */
const MOST_TOLD = 5;

/** The error for the client: -32602 with a sentence where a schema refused the parameters, anything else unchanged. */
export function asInvalidParams(thrown: unknown): unknown {
  const text = messageOf(thrown);
  const start = text.indexOf("[\n");
  const issues = start < 0 ? undefined : issuesIn(text.slice(start));
  if (issues === undefined) return thrown;
  const sentences = issues.slice(0, MOST_TOLD).map(({ path, message }) =>
    `${path.join(".")}: ${message}`.slice(0, LONGEST_SENTENCE).toWellFormed()
  );
  const more = issues.length > MOST_TOLD ? [`${issues.length - MOST_TOLD} more`] : [];
  const message = `Invalid parameters: ${[...sentences, ...more].join("; ")}`;
  return new RequestError(RequestErrorCode.InvalidParams, message);
}

/** Undefined: the text is not a dump of the validator. */
function issuesIn(text: string): readonly Issue[] | undefined {
  const parsed = parseJson(text);
  const issues = parsed.ok && Array.isArray(parsed.value) ? parsed.value : [];
  return issues.length > 0 && issues.every(isIssue) ? issues : undefined;
}

function isIssue(value: unknown): value is Issue {
  return Array.isArray(member(value, "path")) && typeof member(value, "message") === "string";
}
