/** Parameters that a schema of the SDK refuses (C3; docs/design.md, "SDK corrections": wrong parameters). */
import { RequestError, RequestErrorCode } from "../../wire/request_error.ts";
import { member, parseJson } from "../../wire/json_value.ts";
import { messageOf } from "../../base/errors.ts";

/** One thing that is wrong, as the validator writes it. */
interface Issue {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** Characters of the sentence about one issue. */
const LONGEST_SENTENCE = 200;
/** Issues that are told: there may be one for each of thousands of values. */
const MOST_TOLD = 5;

/** The error for the client: -32602 with a sentence where a schema refused the parameters, anything else as it is. */
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
