/** The text of results (X1, X4): the output, and short facts at the edges, because clients cut the middle. Pure. */
import { encodeText } from "../../base/text.ts";
import type { CallToolResult } from "@modelcontextprotocol/server";
import type { LeftRunning } from "../../base/command/command_end.ts";
import { denialSentence, DENIED_META_KEY } from "../../base/command/denial.ts";
import type { Operation } from "../../operation/operation_record.ts";
import { type Gap, type OutputView, type ViewLimits, viewOutput } from "../../operation/output/text_view.ts";
import { imitationNote } from "./imitation.ts";
import { inputNote, withoutQuestion } from "./input_note.ts";
import { outputUri } from "./resource_uri.ts";
import { duration } from "../../base/time.ts";
import {
  briefMeta,
  closingLine,
  elapsedMs,
  headingOf,
  newsLines,
  OPERATION_META_KEY,
  operationMeta,
  statusLine,
} from "./closing_line.ts";
import { protectedMeta, protectedNote } from "./protected_note.ts";
import type { CallContext, Service, ServiceSettings } from "../service.ts";

/** A shorter text has no room for the URI of the rest. */
const LEAST_FOR_ADVICE = 1024;
/** Maximum size of the output so far; the result has all of it. */
const OUTPUT_SO_FAR: ViewLimits = { bytes: 2000, lines: 20 };
/** Share of a long output's beginning: 20 and 100 of 120 lines kept most causes of ten programs' failures. */
const HEAD_SHARE = { completed: 1 / 2, other: 1 / 6 };
/** A command that completed within this many milliseconds is answered with its output alone. */
const QUICK_MS = 1000;

export interface ResultStyle extends Pick<ServiceSettings, "keepAnsi" | "exitErrors" | "toolPrefix" | "publishedAs"> {
  /** Maximum size of the whole text. */
  readonly limits: ViewLimits;
  /** The client reads resources, so results name addresses; absent: none is named. */
  readonly withAddress?: boolean;
}

/** The style of a service's results. */
export function styleOf(
  { settings }: Pick<Service, "settings">,
  { readsResources }: Pick<CallContext, "readsResources"> = {},
): ResultStyle {
  const { inline: limits, keepAnsi, exitErrors, toolPrefix = "", publishedAs } = settings;
  return { limits, keepAnsi, exitErrors, toolPrefix, publishedAs, ...readsResources === true && { withAddress: true } };
}

/** Errors (X4): nothing ran, timed out, cancelled; with `--exit-errors` all but completed ones. */
export function isErrorEnd({ state, end }: Operation, { exitErrors }: Pick<ResultStyle, "exitErrors">): boolean {
  const ranToItsEnd = end?.command !== undefined && end.command.kind !== "not_started";
  return state !== "completed" && (exitErrors || state !== "failed" || !ranToItsEnd);
}

/** A plain text result. */
export function textResult(text: string): CallToolResult {
  return { content: [{ type: "text", text }] };
}

/** A text result that the client shows as a failure. A wrong call is one, and never a protocol error. */
export function errorResult(text: string): CallToolResult {
  return { ...textResult(text), isError: true };
}

/** `direct`: answers the command's own call; `fetched`: the reader named the operation; `listed`: it did not. */
export type Frame = "direct" | "fetched" | "listed";

/** The result of an ended operation (X3, X4). */
export function finalResult(
  operation: Operation,
  style: ResultStyle,
  frame: Exclude<Frame, "listed"> = "direct",
): CallToolResult {
  if (operation.answer !== undefined && operation.stop === undefined) return answerOf(operation, operation.answer);
  const { text, view } = finalText(operation, style, frame);
  const quick = frame === "direct" && isQuick(operation);
  const meta = view.omittedBytes > 0 ? operationMeta(operation, view) : briefMeta(operation, quick);
  return {
    ...textResult(text),
    ...isErrorEnd(operation, style) && { isError: true },
    _meta: { [OPERATION_META_KEY]: meta, ...denialMeta([operation]), ...protectedMeta([operation]) },
  };
}

/** The result of another server, with the operation's facts added. */
function answerOf(operation: Operation, answer: Readonly<Record<string, unknown>>): CallToolResult {
  const result = answer as CallToolResult; // that it has content was checked when it was kept
  return { ...result, _meta: { ...result._meta, [OPERATION_META_KEY]: operationMeta(operation, undefined) } };
}

/** Images, links and the like of a result that another server gave; a text that lists it only names them. */
export function partsBesideText({ answer }: Operation): CallToolResult["content"] {
  const content = (answer as CallToolResult | undefined)?.content ?? []; // checked when it was kept
  return content.filter(({ type }) => type !== "text");
}

/**
 * The text of an ended operation and what it does not show. The output comes first where all of it fits, and the facts
 * close it; a quick success is its output alone. Else the facts open it, and the line about the gap names the call that
 * reads the rest.
 */
export function finalText(
  operation: Operation,
  style: ResultStyle,
  frame: Frame,
): { readonly text: string; readonly view: OutputView } {
  const own = joinLines(...sandboxNotes(operation), protectedNote(operation));
  // Watched lines may lie in a gap.
  const watched = operation.news === undefined ? "" : ["Watched lines:", ...newsLines(operation.news)].join("\n");
  const opening = frame === "listed" ? `${statusLine(operation)} ${headingOf(operation)}` : statusLine(operation);
  const viewBeside = (lines: string) =>
    viewOutput(operation.output, roomBeside(`${opening}\n${lines}\n${watched}`, style.limits), {
      keepAnsi: style.keepAnsi,
      headShare: headShareOf(operation),
      ...style.limits.bytes >= LEAST_FOR_ADVICE && { advise: adviceFor(operation, style) },
    });
  const first = viewBeside(own);
  const notes = joinLines(imitationNote(first.text, operation), own);
  const view = notes === own ? first : viewBeside(notes);
  const opens = frame === "listed" || view.omittedBytes > 0;
  if (opens) {
    const told = view.omittedBytes === 0 ? "" : watched;
    return { text: joinLines(opening, view.text === "" ? NO_OUTPUT : view.text, told, notes), view };
  }
  if (frame === "direct" && isQuick(operation)) {
    return { text: joinLines(view.text === "" && notes === "" ? NO_OUTPUT : view.text, notes), view };
  }
  return { text: joinLines(view.text, notes, closingLine(operation, view.text !== "")), view };
}

const NO_OUTPUT = "[no output]";

/** The answer to a call whose operation continues (X1). `position`: in the queue, undefined when it runs. */
export function startedResult(
  operation: Operation,
  style: ResultStyle,
  position: number | undefined,
  { isAwaited = false } = {},
): CallToolResult {
  const age = elapsedMs(operation, Date.now());
  const running = inputNote(operation) ??
    (!isAwaited && age < QUICK_MS ? "started" : `still runs after ${duration(age)}`);
  const state = position === undefined ? running : `queued at position ${position}`;
  const advice = adviceOf(operation, style, isAwaited ? "await again" : "await");
  const drawn = screenText(operation);
  const output = drawn === "" ? withoutQuestion(outputSoFar(operation, style), running) : "";
  const line = `${operation.id} ${state}. ${advice}${drawn && ` ${drawn}`}${output === "" ? "" : " Output so far:"}`;
  return {
    ...textResult(joinLines(line, output, imitationNote(output, operation))),
    _meta: { [OPERATION_META_KEY]: operationMeta(operation, undefined) },
  };
}

/** The next call: `send` where input is open, else what `next` names. Listening servers are not waited for. */
export function adviceOf(
  { command }: Operation,
  { toolPrefix = "" }: ResultStyle,
  next: "await" | "await again" | "cancel",
): string {
  if (command?.input !== undefined) return `\`${toolPrefix}send\` types.`;
  if (next === "cancel") return `\`${toolPrefix}cancel\` ends it.`;
  return next === "await" ? `\`${toolPrefix}await\` returns its result.` : `Another \`${toolPrefix}await\` waits on.`;
}

/** The screen of a full-screen program, below a line about it; empty: there is none. */
export function screenText(operation: Operation): string {
  const { screen } = operation;
  if (screen?.isDrawn !== true) return "";
  const { lines, row, column } = screen.now;
  const note = imitationNote(lines.join("\n"), operation);
  return [`Its screen, the cursor in line ${row}, column ${column}:`, ...lines, ...note === "" ? [] : [note]].join(
    "\n",
  );
}

/** Both ends of the output so far. */
export function outputSoFar(operation: Operation, style: ResultStyle, limits: ViewLimits = OUTPUT_SO_FAR): string {
  const advise = adviceFor(operation, style);
  return viewOutput(operation.output, limits, { keepAnsi: style.keepAnsi, headShare: headShareOf(operation), advise })
    .text;
}

function headShareOf({ state }: Operation): number {
  return state === "completed" ? HEAD_SHARE.completed : HEAD_SHARE.other;
}

/** Joins the non-empty `texts` by line feeds. */
export function joinLines(...texts: readonly string[]): string {
  return texts.reduce(
    (all, text) => text === "" || all === "" || all.endsWith("\n") ? all + text : `${all}\n${text}`,
    "",
  );
}

function isQuick(operation: Operation): boolean {
  return operation.state === "completed" && elapsedMs(operation, operation.createdAt) < QUICK_MS;
}

/** The call that reads the omitted part, and the resource for clients that have read one. */
function adviceFor({ id }: Operation, { withAddress, toolPrefix = "" }: ResultStyle): (gap: Gap) => string {
  return ({ first, last, insideLine, offset }) => {
    const part = insideLine ? { offset } : { lines: first === last ? `${first}` : `${first}-${last}` };
    const address = withAddress === true ? `, or resource ${outputUri(id)}` : "";
    return `; ${toolPrefix}status ${JSON.stringify({ operation_id: id, ...part })} reads them${address}`;
  };
}

/** The size that these lines leave. */
function roomBeside(lines: string, limits: ViewLimits): ViewLimits {
  return {
    ...limits,
    bytes: Math.max(0, limits.bytes - encodeText(lines).length),
    lines: Math.max(0, limits.lines - (lines.match(/\n/g)?.length ?? 0)),
  };
}

/** Denials, what ended with the command, and what became of its session, a line each; empty: none are known (S15, X17). */
export function sandboxNotes({ end }: Operation): readonly string[] {
  const { denials = [], left, notes = [] } = end?.command ?? {};
  return [
    ...denials.map((denial) => `Sandbox: ${denialSentence(denial)}`),
    ...left === undefined ? [] : [leftSentence(left)],
    ...notes,
  ];
}

function leftSentence({ commands, more }: LeftRunning): string {
  const others = more === 0 ? "" : ` and ${more} more`;
  return `Ended with the command: ${
    commands.join("; ")
  }${others}. Start such a program in its own call or in a session.`;
}

/** The same for programs, by its own key of `_meta`. */
export function denialMeta(operations: readonly Operation[]): Record<string, unknown> {
  const denials = operations.flatMap(({ end }) => end?.command?.denials ?? []);
  return denials.length === 0 ? {} : { [DENIED_META_KEY]: denials };
}
