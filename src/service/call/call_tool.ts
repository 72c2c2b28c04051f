/** A tool call, answered by the first source that knows the tool. A mistake in it is a result with `isError`. */
import { shownValue } from "../../base/text.ts";
import type { CallToolResult, ProgressToken } from "@modelcontextprotocol/server";
import { RequestError, RequestErrorCode } from "../../wire/request_error.ts";
import { didYouMean } from "../../base/suggest.ts";
import { listedName } from "../result/listed_texts.ts";
import type { CallContext, Service, ToolCall, ToolSource, UnknownTool } from "../service.ts";
import { failure, type Outcome } from "../../base/outcome.ts";
import type { Operation } from "../../operation/operation_record.ts";
import { OPERATION_META_KEY, operationMeta } from "../result/closing_line.ts";
import { finalText, styleOf } from "../result/result_text.ts";
import type { ConnectionParts } from "../notify/notifications.ts";

/** Does one `tools/call`. @throws RequestError -32602 for a tool that does not exist */
export async function callTool(service: Service, call: ToolCall, context: CallContext): Promise<CallToolResult> {
  const { telemetry } = service;
  if (telemetry === undefined) return await answerOf(service, call, context);
  return await telemetry.call(call.name, context, (trace) => answerOf(service, call, { ...context, trace }));
}

async function answerOf(service: Service, call: ToolCall, context: CallContext): Promise<CallToolResult> {
  const answered = await askSources(service.sources, service, call, context);
  if (answered.ok) return answered.value;
  throw new RequestError(RequestErrorCode.InvalidParams, unknownTool(service, call.name, answered.problem));
}

function unknownTool(service: Service, name: string, { known, unavailable }: UnknownTool): string {
  if (unavailable !== undefined) return `Tool "${name}" is not available: ${unavailable}`;
  const guess = didYouMean(listedName(service, name), Iterator.from(known).map((one) => listedName(service, one)));
  return `Unknown tool ${shownValue(name)}${guess || "; `tools/list` names all tools"}`;
}

/** The answer of the first source that knows the tool; the problem combines the reasons of all sources. */
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

/** Parameters of one progress message, without the token. */
export interface ProgressFacts {
  readonly progress: number;
  readonly message?: string;
  readonly total?: number;
}

/** The progress members of a call's context for `token`; `send` sends one message. */
export function callProgress(
  parts: Pick<ConnectionParts, "service" | "revision" | "outgoing" | "use">,
  token: ProgressToken,
  send: (facts: ProgressFacts) => Promise<void>,
): Pick<CallContext, "sendProgress" | "onBackground"> {
  const { service, revision } = parts;
  let last = 0;
  return {
    sendProgress: async (progress, message, total) => {
      last = progress;
      await send({ progress, ...message !== undefined && { message }, ...total !== undefined && { total } });
    },
    ...revision === "2025-11-25" && service.settings.pushResults && {
      onBackground: (operation) => pushEnd(parts, operation, { token, next: () => last + 1 }),
    },
  };
}

/** For `--push-results`: the result as a progress message after the answer, which some old clients expect. */
function pushEnd(
  { service, outgoing, use }: Pick<ConnectionParts, "service" | "outgoing" | "use">,
  operation: Operation,
  { token, next }: { readonly token: ProgressToken; readonly next: () => number },
): void {
  void operation.ended.then(() => {
    const { text, view } = finalText(operation, styleOf(service, { readsResources: use.read }), "listed");
    const progress = next();
    outgoing.notifyLater("notifications/progress", {
      progressToken: token,
      progress,
      total: progress,
      message: text,
      _meta: { [OPERATION_META_KEY]: operationMeta(operation, view) },
    });
  });
}
