/**
 * What a worker says, read as that of a stranger: it parses pages and files of others, and a fault in a parser may make it
 * theirs. Pure.
 */
import { DENIED_META_KEY } from "../../base/command/denial.ts";
import { isObject } from "../../wire/json_value.ts";
import type { FromWorker, ToolResult } from "./messages.ts";

/** Key of `_meta` for the fingerprint of what a call replaced. */
export const REPLACED_META_KEY = "ahma/replaced_rev";

/** Key of `_meta` with the counts of a check by rules, by severity. */
export const RULES_META_KEY = "ahma/rules";

/** Other keys would name operations and tasks, which a worker does not have. */
const META_KEYS: readonly string[] = [DENIED_META_KEY, REPLACED_META_KEY, RULES_META_KEY];

/** A worker's message, with known members only. @throws {Error} When it is not a message. */
export function readAnswer(message: unknown): FromWorker {
  if (!isObject(message) || typeof message["id"] !== "number") throw new Error("A message of no known kind");
  const { kind, id, progress, result, last } = message;
  if (kind === "progress" && isObject(progress)) return { kind, id, progress };
  if (kind === "result" && isObject(result)) {
    return { kind, id, result: readResult(result), ...last === true && { last } };
  }
  throw new Error("A message of no known kind");
}

function readResult({ content, isError, _meta }: Readonly<Record<string, unknown>>): ToolResult {
  if (!Array.isArray(content)) throw new Error("A result without content");
  const known = isObject(_meta) ? Object.entries(_meta).filter(([key]) => META_KEYS.includes(key)) : [];
  return {
    content: content.map(readPart),
    ...isError === true && { isError },
    ...known.length > 0 && { _meta: Object.fromEntries(known) },
  };
}

function readPart(part: unknown): ToolResult["content"][number] {
  if (isObject(part)) {
    const { type, text, data, mimeType } = part;
    if (type === "text" && typeof text === "string") return { type, text };
    if (type === "image" && typeof data === "string" && typeof mimeType === "string") return { type, data, mimeType };
  }
  throw new Error("A result with a part that is neither text nor image");
}
