/** A tool call goes to the first source that knows the tool. */
import type { CallToolResult } from "@modelcontextprotocol/server";
import { failure, type Outcome } from "../../base/outcome.ts";
import type { CallContext, Service, ToolCall, ToolSource, UnknownTool } from "../service.ts";

/** The answer of the first source that knows the tool; the problem joins what all say. */
export async function askSources(
  sources: readonly ToolSource[],
  service: Service,
  call: ToolCall,
  context: CallContext,
): Promise<Outcome<CallToolResult, UnknownTool>> {
  const refusals: UnknownTool[] = [];
  for (const source of sources) {
    const answered = await source.call(service, call, context);
    if (answered.ok) return answered;
    refusals.push(answered.problem);
  }
  const unavailable = refusals.find((refusal) => refusal.unavailable !== undefined)?.unavailable;
  const known = refusals.flatMap((refusal) => [...refusal.known]);
  return failure({ known, ...unavailable !== undefined && { unavailable } });
}
