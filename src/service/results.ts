/** The text of results (X1, X4): facts first and last, because clients cut long texts in the middle. Pure. */
import type { CallToolResult } from "@modelcontextprotocol/server";
import { denialSentence } from "../base/denial.ts";
import type { Operation } from "../operation/operation_record.ts";
import { type OutputView, type ViewLimits, viewOutput } from "../operation/text_view.ts";
import { isEnded } from "../operation/transitions.ts";
import { outputUri } from "./delivery/resource_uri.ts";
import { leftSentence } from "./left_sentence.ts";
import { protectedMeta, protectedNote } from "./protected_note.ts";
import { shorten } from "./prepare_call.ts";

/** In characters, where a list shows several operations. */
const LONGEST_TITLE = 80;

/** A text of fewer bytes has no room for where the rest of it is. */
const LEAST_FOR_ADVICE = 1024;

/** Where the facts of an operation stand for programs. */
export const OPERATION_META_KEY = "ahma/operation";

/** Where what the sandbox kept from a failed command stands for programs. */
const DENIED_META_KEY = "ahma/sandbox_denied";

/** How results are written. */
export interface ResultStyle {
  /** Of the whole text. */
  readonly limits: ViewLimits;
  readonly keepAnsi: boolean;
}

/** A plain text result. */
export function textResult(text: string): CallToolResult {
  return { content: [{ type: "text", text }] };
}

/** A text result the client shows as a failure; what is wrong with a call goes here, never into a protocol error. */
export function errorResult(text: string): CallToolResult {
  return { ...textResult(text), isError: true };
}

/** The result of an ended operation (X3, X4): an error unless it completed. */
export function finalResult(operation: Operation, style: ResultStyle): CallToolResult {
  const { text, view } = finalText(operation, style);
  return {
    ...textResult(text),
    ...operation.state !== "completed" && { isError: true },
    _meta: {
      [OPERATION_META_KEY]: operationMeta(operation, view),
      ...denialMeta([operation]),
      ...protectedMeta([operation]),
    },
  };
}

/** The text of an ended operation and what it does not show. */
export function finalText(
  operation: Operation,
  style: ResultStyle,
): { readonly text: string; readonly view: OutputView } {
  const facts = statusLine(operation);
  const note = sandboxNote(operation);
  const changed = protectedNote(operation);
  const room = roomBeside(`${facts}\n${facts}\n${note}${changed}`, style.limits);
  const view = viewOutput(operation.output, room, { keepAnsi: style.keepAnsi });
  if (view.omittedBytes > 0 && style.limits.bytes >= LEAST_FOR_ADVICE) {
    const advice = `[The rest: \`status\` with this operation_id and "lines", or resource ${
      outputUri(operation.id)
    }]\n`;
    const shorter = viewOutput(operation.output, roomBeside(advice, room), { keepAnsi: style.keepAnsi });
    return { text: `${facts}\n${shorter.text}${advice}${note}${facts}${changed}`, view: shorter };
  }
  const text = view.text === ""
    ? `${facts}\n(no output)${note === "" ? "" : `\n${note.trimEnd()}`}${changed}`
    : `${facts}\n${view.text}${note}${facts}${changed}`;
  return { text, view };
}

/** What these lines leave. */
function roomBeside(lines: string, limits: ViewLimits): ViewLimits {
  return {
    bytes: Math.max(0, limits.bytes - byteLength(lines)),
    lines: Math.max(0, limits.lines - (lines.match(/\n/g)?.length ?? 0)),
  };
}

/** What the sandbox kept from it and what ended with it, a line each; empty when nothing is known (S15, X17). */
function sandboxNote({ end }: Operation): string {
  const left = end?.left === undefined ? "" : `${leftSentence(end.left)}\n`;
  return (end?.denials ?? []).map((denial) => `Sandbox: ${denialSentence(denial)}\n`).join("") + left;
}

/** The same for programs, by its own key of `_meta`. */
export function denialMeta(operations: readonly Operation[]): Record<string, unknown> {
  const denials = operations.flatMap(({ end }) => end?.denials ?? []);
  return denials.length === 0 ? {} : { [DENIED_META_KEY]: denials };
}

/** The answer to a call whose operation goes on (X1). `position`: its place in the queue, undefined when it runs. */
export function startedResult(operation: Operation, position: number | undefined): CallToolResult {
  const queued = position === undefined ? "" : ` (queued at position ${position})`;
  const text = `${operation.id} started${queued}: ${operation.tool}, in the background.\n` +
    `\`await\` with operation_id "${operation.id}" returns its result when it has ended; ` +
    "`status` shows how far it is, `cancel` ends it. Other work can go on meanwhile.";
  return {
    ...textResult(text),
    _meta: {
      [OPERATION_META_KEY]: { operation_id: operation.id, tool: operation.tool, status: operation.state },
    },
  };
}

/** `[op_… failed, exit code 2, 1.3 s]`: the facts of an ended operation on one line. */
export function statusLine(operation: Operation): string {
  const { end } = operation;
  const facts = [
    `${operation.id} ${operation.state}`,
    ...end?.exitCode === undefined ? [] : [`exit code ${end.exitCode}`],
    ...end?.signal === undefined ? [] : [`signal ${end.signal}`],
    duration(elapsedMs(operation, operation.endedAt ?? operation.createdAt)),
    ...operation.protectedChanges.length === 0 ? [] : ["PROTECTED PATHS CHANGED"],
  ];
  const message = end?.message === undefined ? "" : `: ${end.message.replaceAll(/\s*\n\s*/g, " ")}`;
  return `[${facts.join(", ")}${message}]`;
}

/**
 * `op_… make running for 1.3 s: make all`: an operation that has not ended on one line. `position`: its place in the
 * queue, undefined when it runs.
 */
export function activeLine(operation: Operation, position: number | undefined): string {
  const place = position === undefined ? "" : ` at position ${position}`;
  const stop = operation.stop === undefined ? "" : `, being ended (${operation.stop.message})`;
  const time = duration(elapsedMs(operation, Date.now()));
  return `${operation.id} ${operation.tool} ${operation.state}${place} for ${time}${stop}: ${operation.title}`;
}

/** Tool and title on one short line: what tells several operations of one tool apart. */
export function headingOf(operation: Operation): string {
  return `${operation.tool}: ${shorten(operation.title, LONGEST_TITLE)}`;
}

/** Milliseconds from the start of the work (or, where it never ran, from the call) to its end or to `now`. */
export function elapsedMs(operation: Operation, now: number): number {
  return Math.max(0, (operation.endedAt ?? now) - (operation.startedAt ?? operation.createdAt));
}

/** `12 ms`, `1.3 s`, `2 min 5 s`. */
export function duration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** The facts of an operation for programs; what is unknown is left out. */
export function operationMeta(operation: Operation, view: OutputView | undefined): Record<string, unknown> {
  const { end } = operation;
  return {
    operation_id: operation.id,
    tool: operation.tool,
    status: operation.state,
    ...end?.exitCode !== undefined && { exit_code: end.exitCode },
    ...end?.signal !== undefined && { signal: end.signal },
    ...end?.message !== undefined && { message: end.message },
    ...isEnded(operation.state) && { duration_ms: elapsedMs(operation, operation.createdAt) },
    ...view !== undefined && {
      output_bytes: operation.output.totalBytes,
      output_lines: operation.output.totalLines,
      omitted_bytes: view.omittedBytes,
      omitted_lines: view.omittedLines,
    },
  };
}

function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}
