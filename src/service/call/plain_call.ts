/** Calls of tools of which nothing is said but what they call, and what progress is told under: as most are. */
import type { ProgressToken, Result } from "@modelcontextprotocol/server";
import type { ConnectionParts } from "../notify/notifications.ts";
import { offersOf } from "../questions/question.ts";
import { SessionClient } from "../questions/session_client.ts";
import { calledName } from "../result/listed_texts.ts";
import { isObject } from "../../wire/json_value.ts";
import { callProgress } from "./call_progress.ts";
import { callTool } from "./call_tool.ts";

/** Such a call. */
export interface PlainCall {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  /** Undefined: no progress is wanted. */
  readonly progressToken: ProgressToken | undefined;
}

/** Does a call of a session. @throws {RequestError} For a tool that does not exist; what the SDK says of a wrong result. */
export async function answerPlainCall(
  parts: ConnectionParts,
  { name, arguments: args, progressToken: token }: PlainCall,
  signal: AbortSignal,
): Promise<Result> {
  const { service, link, use, level } = parts;
  const offers = offersOf(link.getClientCapabilities());
  const client = new SessionClient({ owner: link, offers, request: undefined, level });
  const context = {
    signal,
    client,
    readsResources: use.read,
    sendProgress: undefined,
    ...token !== undefined && callProgress(
      parts,
      token,
      (facts) => link.notification({ method: "notifications/progress", params: { progressToken: token, ...facts } }),
    ),
  };
  const result = await callTool(service, { name: calledName(service, name), args }, context);
  return isPlainResult(result) ? result : await link.checkedResult(result);
}

/** Whether the SDK would send a result as it is: text, and what we say about it. */
function isPlainResult({ content, isError, _meta, ...more }: Result): boolean {
  return Object.keys(more).length === 0 && Array.isArray(content) && content.every(isText) &&
    (isError === undefined || typeof isError === "boolean") && (_meta === undefined || isObject(_meta));
}

function isText(block: unknown): boolean {
  return isObject(block) && block["type"] === "text" && typeof block["text"] === "string" &&
    Object.keys(block).length === 2;
}
