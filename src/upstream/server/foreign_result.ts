/** The part of a server's answer that reaches the client: content, without keys reserved for this program. Pure. */
import { type CallToolResult, isSpecType } from "@modelcontextprotocol/server";
import { visibleStart } from "../../base/visible_text.ts";
import type { Answer } from "../../child_server/pending_calls.ts";
import { errorResult } from "../../service/result/result_text.ts";
import { isObject } from "../../wire/json_value.ts";

/** Characters of a refusal: it is a message and no content. */
const LONGEST_REFUSAL = 4_096;

/**
 * Keys of `_meta` that a server may not set: ours, by which clients find operations, and those of the protocol itself,
 * by which they find tasks.
 */
const NOT_THEIRS = /^(?:ahma|(?:[\w.-]+\.)?(?:modelcontextprotocol|mcp)(?:\.[\w.-]+)?)\//;

/** The result for the client; a refusal becomes an error with the server's name. */
export function foreignResult(server: string, answer: Answer): CallToolResult {
  if ("error" in answer) {
    return errorResult(`${server}: ${visibleStart(answer.error.message, LONGEST_REFUSAL)}`);
  }
  const { content, structuredContent, isError, _meta } = answer.result;
  if (!Array.isArray(content)) return errorResult(`${server}: The server answered without content`);
  // Here the first malformed part ends it: the SDK would explain each of thousands.
  const malformed = content.findIndex((part) => !isSpecType.ContentBlock(part));
  if (malformed >= 0) {
    return errorResult(`${server}: The server answered with malformed content (item ${malformed + 1})`);
  }
  const meta = isObject(_meta) ? theirs(_meta) : {};
  return {
    content,
    ...isObject(structuredContent) && { structuredContent },
    ...typeof isError === "boolean" && { isError },
    ...Object.keys(meta).length > 0 && { _meta: meta },
  };
}

/** A copy only where it leaves something out: there may be many. */
function theirs(meta: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  if (!Object.keys(meta).some((key) => NOT_THEIRS.test(key))) return meta;
  return Object.fromEntries(Object.entries(meta).filter(([key]) => !NOT_THEIRS.test(key)));
}
