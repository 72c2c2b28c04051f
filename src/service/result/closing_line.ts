/** The facts of an operation on one line, and as data for programs (X4); its watched lines as text (X21). */
import { type TreeUsage, usageWords } from "../../base/command/tree_usage.ts";
import { duration } from "../../base/time.ts";
import { isToBeFeared } from "./protected_note.ts";
import type { Operation } from "../../operation/operation_record.ts";
import type { OutputView } from "../../operation/output/text_view.ts";
import { isEnded } from "../../operation/operation.ts";
import { inputNote } from "./input_note.ts";
import type { Service } from "../service.ts";
import { shorten, visibleLine } from "../../base/visible_text.ts";

/** Maximum length of a title in a list of operations, characters. */
const LONGEST_TITLE = 80;

/** Key of `_meta` for the facts of an operation. */
export const OPERATION_META_KEY = "ahma/operation";

/** `[op_… failed, exit code 2, 1.3 s]`: the facts of an ended operation on one line. */
export function statusLine(operation: Operation): string {
  return factsLine(operation, [`${operation.id} ${operation.state}`]);
}

/** `[exit code 3, 240 ms]`: closes a result, with the state if nothing else shows it, and "no output". */
export function closingLine(operation: Operation, hasOutput: boolean): string {
  const { state, end } = operation;
  const ranToItsEnd = end?.command !== undefined && end.command.kind !== "not_started";
  const tells = ranToItsEnd && (state === "completed" || state === "failed");
  return factsLine(operation, [...hasOutput ? [] : ["no output"], ...tells ? [] : [state]]);
}

function factsLine(operation: Operation, first: readonly string[]): string {
  const { end } = operation;
  const facts = [
    ...first,
    ...end?.command?.kind === "exited" ? [`exit code ${end.command.code}`] : [],
    ...end?.command?.kind === "signalled" ? [`signal ${end.command.signal}`] : [],
    ...usageWords(end?.command?.usage ?? {}),
    duration(elapsedMs(operation, operation.endedAt ?? operation.createdAt)),
    ...operation.protectedChanges.some(isToBeFeared) ? ["PROTECTED PATHS CHANGED"] : [],
  ];
  const message = end?.message === undefined ? "" : `: ${onOneLine(end.message)}`;
  return `[${facts.join(", ")}${message}]`;
}

/** `op_… make running for 1.3 s: make all`: an operation that has not ended on one line. */
export function activeLine({ registry }: Pick<Service, "registry">, operation: Operation): string {
  const position = registry.queuePosition(operation.id);
  const place = position === undefined ? "" : ` at position ${position}`;
  const stop = operation.stop === undefined ? "" : `, being ended (${operation.stop.message})`;
  const time = duration(elapsedMs(operation, Date.now()));
  const note = inputNote(operation);
  const input = note === undefined ? "" : `, ${note}`;
  return `${operation.id} ${operation.tool} ${operation.state}${place} for ${time}${stop}${input}: ${operation.title}`;
}

/** Tool and title on one short line, to distinguish operations of one tool. */
export function headingOf(operation: Operation): string {
  return `${operation.tool}: ${shorten(operation.title, LONGEST_TITLE)}`;
}

/** Milliseconds from the start of the work to its end or to `now`; from the call where the work never ran. */
export function elapsedMs(operation: Operation, now: number): number {
  return Math.max(0, (operation.endedAt ?? now) - (operation.startedAt ?? operation.createdAt));
}

/** The facts of an operation for programs; what is unknown is left out. */
export function operationMeta(operation: Operation, view: OutputView | undefined): Record<string, unknown> {
  const { end } = operation;
  return {
    operation_id: operation.id,
    tool: operation.tool,
    status: operation.state,
    ...end?.command?.kind === "exited" && { exit_code: end.command.code },
    ...end?.command?.kind === "signalled" && { signal: end.command.signal },
    ...end?.message !== undefined && { message: end.message },
    ...usageMeta(end?.command?.usage),
    ...isEnded(operation.state) && { duration_ms: elapsedMs(operation, operation.createdAt) },
    ...view !== undefined && {
      output_bytes: operation.output.totalBytes,
      output_lines: operation.output.totalLines,
      omitted_bytes: view.omittedBytes,
      omitted_lines: view.omittedLines,
    },
  };
}

function usageMeta(usage: TreeUsage | undefined): Record<string, unknown> {
  return {
    ...usage?.processorMs !== undefined && { processor_ms: usage.processorMs },
    ...usage?.memoryPeakBytes !== undefined && { memory_peak_bytes: usage.memoryPeakBytes },
    ...usage?.outOfMemory !== undefined && { out_of_memory: true },
  };
}

/** A whole result's facts for programs; its reader knows the operation. A quick success has the exit code only. */
export function briefMeta(operation: Operation, quick: boolean): Record<string, unknown> {
  if (quick) return { exit_code: 0 };
  const { operation_id: _id, tool: _tool, ...facts } = operationMeta(operation, undefined);
  return facts;
}

/** Joins lines with blanks. */
export function onOneLine(text: string): string {
  return text.split("\n").map((line) => line.trim()).filter((line) => line !== "").join(" ");
}

/** A line about the operation, then its new lines, each marked as output; empty: there are none. */
export function newsText(operation: Operation): string {
  const { news } = operation;
  if (news === undefined) return "";
  return [`${operation.id} ${headingOf(operation)}`, ...newsLines(news)].join("\n");
}

/** The lines, and what is to be said of others. */
export function newsLines(
  { lines, more, unread, isOff }: NonNullable<Operation["news"]>,
): readonly string[] {
  return [
    ...lines.map((line) => `> ${visibleLine(line)}`),
    ...more > 0 ? [`... ${more} more`] : [],
    ...unread > 0 ? [`... ${Math.ceil(unread / 1024)} KiB came too fast to be looked at`] : [],
    ...isOff ? ["... over 1,000 in 30 s: it is not watched any more"] : [],
  ];
}
