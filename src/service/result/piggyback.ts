/** News of operations that ended since, after any later result (X5c, X18). Works with every client. */
import type { CallToolResult } from "@modelcontextprotocol/server";
import type { Operation } from "../../operation/operation_record.ts";
import { lastLines, type ViewLimits } from "../../operation/output/text_view.ts";
import { headingOf, statusLine } from "./facts.ts";
import { listedName } from "./listed_texts.ts";
import { finalText, styleOf } from "./result_text.ts";
import type { CallContext, Service } from "../service.ts";

/** More than these are told by the next results. */
const MOST_TOLD = 5;
/** What is no longer is told whole: its facts, 20 lines, and what the sandbox says. */
const WHOLE: ViewLimits = { bytes: 2048, lines: 24 };
/** Of what is longer. */
const PART: ViewLimits = { bytes: 600, lines: 5 };

/** `result` with the news after it; the same object when there is none. Who was told a whole output has its result. */
export function appendNews(
  result: CallToolResult,
  service: Service,
  context: Pick<CallContext, "readsResources" | "signal">,
): CallToolResult {
  // A cancelled request gets no answer.
  if (context.signal.aborted) return result;
  const { registry } = service;
  const ended = registry.untold();
  if (ended.length === 0) return result;
  const parts = ended.slice(0, MOST_TOLD).map((operation) => {
    const news = newsOf(operation, service, context);
    if (news.whole) registry.markCollected(operation.id);
    else registry.markMentioned(operation.id);
    return news.text;
  });
  const more = ended.length > MOST_TOLD
    ? [`${ended.length - MOST_TOLD} more ended; \`${listedName(service, "status")}\` lists them.`]
    : [];
  // Some clients put blocks together without anything between them.
  const text = ["\nEnded in the meantime:", ...parts, ...more].join("\n");
  return { ...result, content: [...result.content, { type: "text", text }] };
}

function newsOf(
  operation: Operation,
  service: Service,
  context: Pick<CallContext, "readsResources">,
): { readonly text: string; readonly whole: boolean } {
  const style = styleOf(service, context);
  const { text, view } = finalText(operation, { ...style, limits: WHOLE }, "listed");
  if (view.omittedBytes === 0) return { text: indented(text.trimEnd()), whole: true };
  const last = lastLines(operation.output, PART, style).trimEnd();
  const rest =
    `... \`${listedName(service, "await")}\` ${JSON.stringify({ operation_id: operation.id })} returns all ` +
    `${operation.output.totalLines} lines`;
  return { text: indented(`${statusLine(operation)} ${headingOf(operation)}\n${rest}\n${last}`), whole: false };
}

/** All lines but the first. */
function indented(text: string): string {
  return text.replaceAll("\n", "\n  ");
}
