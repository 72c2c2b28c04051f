/** The answer of a wait for output (X20). Pure. */
import type { CallToolResult } from "@modelcontextprotocol/server";
import type { Operation } from "../../operation/operation_record.ts";
import type { Awaited, Match, OutputWaitEnd } from "../../operation/output_wait.ts";
import { duration } from "../../base/time.ts";
import { visibleLine } from "../../base/visible_text.ts";
import { elapsedMs, OPERATION_META_KEY, operationMeta } from "./closing_line.ts";
import { imitationNote } from "./imitation.ts";
import { inputNote, withoutQuestion } from "./input_note.ts";
import { adviceOf, joinLines, outputSoFar, type ResultStyle, screenText } from "./result_text.ts";

interface WaitedStyle extends ResultStyle {
  readonly awaited: Awaited;
  /** Place in the queue; undefined: it runs. */
  readonly position: number | undefined;
  /** A line that matches was shown before the wait began. */
  readonly isSeen?: boolean;
}

/** Characters of a line around a match. */
const LONGEST_LINE = 400;

/** The answer about an operation that still runs: why the wait ended, and the line or the output so far. */
export function waitedResult(operation: Operation, end: OutputWaitEnd, style: WaitedStyle): CallToolResult {
  const why = whyOver(operation, end, style);
  const drawn = screenText(operation);
  const [shown, heading] = end.kind === "matched"
    ? [linesOf(end.match), " It wrote:"]
    : drawn === ""
    ? [withoutQuestion(outputSoFar(operation, style), why), " Output so far:"]
    : ["", ` ${drawn}`];
  const advice = adviceOf(operation, style, end.kind === "listening" ? "cancel" : "await");
  const line = `${operation.id} ${why}. ${advice}${drawn === "" ? shown && heading : heading}`;
  return {
    content: [{
      type: "text",
      text: joinLines(line, shown, end.kind === "matched" ? "" : imitationNote(shown, operation)),
    }],
    _meta: { [OPERATION_META_KEY]: { ...operationMeta(operation, undefined), position: end.position } },
  };
}

/** Why the wait for a running operation is over. */
export function whyOver(
  operation: Operation,
  end: OutputWaitEnd,
  { awaited, position, isSeen, publishedAs }: Pick<WaitedStyle, "awaited" | "position" | "isSeen" | "publishedAs">,
): string {
  const age = duration(elapsedMs(operation, Date.now()));
  if (position !== undefined) return `is queued at position ${position}`;
  const note = inputNote(operation);
  if (note !== undefined) return note;
  if (end.kind === "matched") return `still runs after ${age}`;
  if (end.kind === "listening") {
    const open = awaited.port === undefined ? undefined : publishedAs?.(awaited.port);
    const address = open === undefined ? "" : `, which the person can open at http://127.0.0.1:${open}`;
    return `still runs after ${age} and listens at port ${awaited.port}${address}`;
  }
  const quiet = end.kind === "quiet" ? `, silent for ${duration(awaited.quietMs ?? 0)}` : "";
  const closed = awaited.port === undefined ? "" : `, not listening at port ${awaited.port}`;
  const missed = awaited.until === undefined ? "" : ` without a new line with ${JSON.stringify(awaited.until.source)}`;
  const seen = isSeen === true ? "; an earlier one is found with from_start" : "";
  return `still runs after ${age}${quiet}${closed}${missed}${seen}`;
}

function linesOf({ lines, index }: Match): string {
  return lines.map((line, at) => `${at === index ? "> " : "  "}${cut(visibleLine(line))}`).join("\n");
}

function cut(line: string): string {
  return line.length <= LONGEST_LINE ? line : `${line.slice(0, LONGEST_LINE - 1).toWellFormed()}…`;
}

/** A final result; it says so if the command ended before the condition was met. */
export function withMissedLine(
  result: CallToolResult,
  end: OutputWaitEnd,
  awaited: Awaited | undefined,
): CallToolResult {
  const { until, port } = awaited ?? {};
  if (end.kind !== "ended" || until === undefined && port === undefined) return result;
  const missed = until === undefined
    ? `[ended without listening at port ${port}]`
    : `[ended without a line with ${JSON.stringify(until.source)}]`;
  const [first, ...others] = result.content;
  if (first?.type !== "text") return result;
  return { ...result, content: [{ ...first, text: joinLines(first.text, missed) }, ...others] };
}
