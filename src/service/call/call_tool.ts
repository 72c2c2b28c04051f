/**
 * A tool call: the first source that knows the tool answers it. Whatever is wrong with the call is a result with
 * `isError`, so that the model can correct it; only a tool that does not exist is a protocol error.
 */
import { shownValue } from "../../base/text.ts";
import type { CallToolResult } from "@modelcontextprotocol/server";
import { RequestError, RequestErrorCode } from "../../wire/request_error.ts";
import { askSources } from "./ask_sources.ts";
import { didYouMean } from "../../base/suggest.ts";
import { listedName } from "../result/listed_texts.ts";
import type { CallContext, Service, ToolCall, UnknownTool } from "../service.ts";

/**
 * Does one `tools/call`.
 * @throws RequestError -32602 for a tool that does not exist
 */
export async function callTool(service: Service, call: ToolCall, context: CallContext): Promise<CallToolResult> {
  const answered = await askSources(service.sources, service, call, context);
  if (answered.ok) return answered.value;
  throw new RequestError(RequestErrorCode.InvalidParams, unknownTool(service, call.name, answered.problem));
}

function unknownTool(service: Service, name: string, { known, unavailable }: UnknownTool): string {
  if (unavailable !== undefined) return `Tool "${name}" is not available: ${unavailable}`;
  const guess = didYouMean(listedName(service, name), Iterator.from(known).map((one) => listedName(service, one)));
  return `Unknown tool ${shownValue(name)}${guess || "; `tools/list` names all tools"}`;
}
