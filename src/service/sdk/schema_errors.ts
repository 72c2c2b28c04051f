/**
 * What a schema of the SDK refuses, in words. The SDK answers it with -32603, or with a dump of its validator; parameters
 * that are wrong are -32602 (C3).
 */
import { ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import { messageOf } from "../base/errors.ts";

/** One thing that is wrong, as the validator writes it. */
interface Issue {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** Characters of one issue's words. */
const LONGEST_WORDS = 200;

/** The error for the client: -32602 with words where a schema refused the parameters, anything else as it is. */
export function inWords(thrown: unknown): unknown {
  const text = messageOf(thrown);
  const start = text.indexOf("[\n");
  const issues = start < 0 ? undefined : issuesIn(text.slice(start));
  if (issues === undefined) return thrown;
  const words = issues.map(({ path, message }) =>
    `${path.join(".")}: ${message}`.slice(0, LONGEST_WORDS).toWellFormed()
  );
  return new ProtocolError(ProtocolErrorCode.InvalidParams, `Invalid parameters: ${words.join("; ")}`);
}

/** Undefined: the text is no dump of the validator. */
function issuesIn(text: string): readonly Issue[] | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (thrown) {
    if (thrown instanceof SyntaxError) return undefined;
    throw thrown;
  }
  return Array.isArray(value) && value.length > 0 && value.every(isIssue) ? value : undefined;
}

function isIssue(value: unknown): value is Issue {
  return typeof value === "object" && value !== null && "path" in value && Array.isArray(value.path) &&
    "message" in value && typeof value.message === "string";
}
