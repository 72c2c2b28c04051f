/**
 * A tool call: the first source that knows the tool answers it. Whatever is wrong with the call is a result with
 * `isError`, so that the model can correct it; only a tool that does not exist is a protocol error.
 */
import { shownValue } from "../../base/text.ts";
import { type CallToolResult, ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import { didYouMean } from "../../base/suggest.ts";
import { listedName } from "../result/listed_texts.ts";
import type { CallContext, Service, ToolCall, UnknownTool } from "../service.ts";

/**
 * Does one `tools/call`.
 * @throws ProtocolError -32602 for a tool that does not exist
 */
export async function callTool(service: Service, call: ToolCall, context: CallContext): Promise<CallToolResult> {
  const refusals: UnknownTool[] = [];
  for (const source of service.sources) {
    const answered = await source.call(service, call, context);
    if (answered.ok) return answered.value;
    refusals.push(answered.problem);
  }
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, unknownTool(service, call.name, refusals));
}

function unknownTool(service: Service, name: string, refusals: readonly UnknownTool[]): string {
  const reason = refusals.find(({ unavailable }) => unavailable !== undefined)?.unavailable;
  if (reason !== undefined) return `Tool "${name}" is not available: ${reason}`;
  const known = refusals.flatMap((refusal) => [...refusal.known]).map((one) => listedName(service, one));
  const guess = didYouMean(listedName(service, name), known);
  return `Unknown tool ${shownValue(name)}${guess || "; `tools/list` names all tools"}`;
}
