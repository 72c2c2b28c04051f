/** Announces ended operations (X5c, X18) and watched lines (X21) after any later result, for every client. */
import type { CallToolResult } from "@modelcontextprotocol/server";
import type { Operation } from "../../operation/operation_record.ts";
import { lastLines, type ViewLimits } from "../../operation/output/text_view.ts";
import { headingOf, newsText, statusLine } from "./closing_line.ts";
import { listedName } from "./listed_texts.ts";
import { finalText, styleOf } from "./result_text.ts";
import type { CallContext, Service } from "../service.ts";

/** At most this many are announced; the others wait for the next results. */
const MOST_ANNOUNCED = 5;
/** A result up to this size is included completely: its facts, 20 lines, and messages of the sandbox. */
const WHOLE: ViewLimits = { bytes: 2048, lines: 24 };
/** Part of a longer output. */
const PART: ViewLimits = { bytes: 600, lines: 5 };

/** Appends unannounced ends and lines; whole output counts as delivered. `named`: the call's operation. */
export function appendFinished(
  result: CallToolResult,
  service: Service,
  context: Pick<CallContext, "readsResources" | "signal" | "task" | "unhurried">,
  named?: Operation,
): CallToolResult {
  // A cancelled request gets no answer, and a script reads the result of its call alone.
  if (context.signal.aborted || context.unhurried === true || context.task?.replacesResult() === true) return result;
  const texts = [watchedLines(service, named?.id), finishedOperations(service, context)].filter((text) => text !== "");
  if (texts.length === 0) return result;
  return { ...result, content: [...result.content, ...texts.map((text) => ({ type: "text", text }) as const)] };
}

/** Watched lines that the client has not seen, which now count as reported; empty: none. */
function watchedLines({ registry }: Service, named: string | undefined): string {
  const operations = registry.withNews(named);
  if (operations.length === 0) return "";
  const parts = operations.slice(0, MOST_ANNOUNCED).map((operation) => {
    const text = newsText(operation);
    registry.markTold(operation.id);
    return text;
  });
  const more = operations.length - parts.length;
  return ["\nWatched lines:", ...parts, ...more > 0 ? [`${more} more operations wrote such lines.`] : []].join("\n");
}

/** Ended operations that the client does not know of, which now count as reported; empty: none. */
function finishedOperations(service: Service, context: Pick<CallContext, "readsResources">): string {
  const { registry } = service;
  const ended = registry.unannounced();
  if (ended.length === 0) return "";
  const parts = ended.slice(0, MOST_ANNOUNCED).map((operation) => {
    const { text, whole } = describeFinished(operation, service, context);
    if (whole) registry.markDelivered(operation.id);
    else registry.markAnnounced(operation.id);
    return text;
  });
  const more = ended.length > MOST_ANNOUNCED
    ? [`${ended.length - MOST_ANNOUNCED} more ended; \`${listedName(service, "status")}\` lists them.`]
    : [];
  // Some clients join blocks without a separator.
  return ["\nEnded since:", ...parts, ...more].join("\n");
}

function describeFinished(
  operation: Operation,
  service: Service,
  context: Pick<CallContext, "readsResources">,
): { readonly text: string; readonly whole: boolean } {
  const style = styleOf(service, context);
  const { text, view } = finalText(operation, { ...style, limits: WHOLE }, "listed");
  if (view.omittedBytes === 0) return { text: indented(text.trimEnd()), whole: true };
  const last = lastLines(operation.output, PART, style).trimEnd();
  const isShort = finalText(operation, style, "fetched").view.omittedBytes === 0;
  const rest = `... \`${listedName(service, "await")}\` ${JSON.stringify({ operation_id: operation.id })} returns ` +
    `${isShort ? "all" : "both ends of its"} ${operation.output.totalLines} lines`;
  return { text: indented(`${statusLine(operation)} ${headingOf(operation)}\n${rest}\n${last}`), whole: false };
}

/** All lines but the first. */
function indented(text: string): string {
  return text.replaceAll("\n", "\n  ");
}
