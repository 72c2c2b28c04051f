/**
 * Answers of a session that cannot get a scope (H3). Most clients do not show errors of `tools/list`, so the session
 * lists one tool, `status`, which says what to do.
 */
import { type ClientCall, paramsOf } from "../backends/client_calls.ts";

/**
 * The answer to a request of such a session; undefined: an error with the problem. `status`: the tool's listed name.
 */
export function answerWithoutScope(
  request: ClientCall,
  { status, problem }: { readonly status: string; readonly problem: string },
): Readonly<Record<string, unknown>> | undefined {
  const text = `The tools of this server cannot be used: ${problem}`;
  if (request.method === "tools/list") {
    const annotations = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };
    const inputSchema = { type: "object", properties: {}, additionalProperties: false };
    return { tools: [{ name: status, title: "Why there are no tools", description: text, inputSchema, annotations }] };
  }
  const asksStatus = request.method === "tools/call" && paramsOf(request.message)?.["name"] === status;
  return asksStatus ? { content: [{ type: "text", text }] } : undefined;
}
