/** `await` (B2): the one tool that waits. It never ends an operation, even if the request is cancelled. */
import type { CallToolResult } from "@modelcontextprotocol/server";
import type { Operation } from "../../operation/operation_record.ts";
import type { ViewLimits } from "../../operation/output/text_view.ts";
import { isEnded } from "../../operation/operation.ts";
import {
  type BuiltinTool,
  BY_ID_ONLY,
  OPERATION_PARAMETER,
  toolFilter,
  TOOLS_PARAMETER,
  unknownOperation,
} from "./builtin_tool.ts";
import type { BuiltinArguments } from "../builtin_parameters.ts";
import { patienceMs } from "../run/mode.ts";
import { type Condition, conditionIn, PLAIN_CONDITIONS, readCondition } from "../run/output_condition.ts";
import { waitedResult, withMissedLine } from "../result/waited_result.ts";
import { type Awaited, waitForOutput } from "../../operation/output_wait.ts";
import { listedName } from "../result/listed_texts.ts";
import { appendFinished } from "../result/finished_operations.ts";
import { imitationNote } from "../result/imitation.ts";
import { protectedMeta } from "../result/protected_note.ts";
import { ProgressStream } from "../result/progress.ts";
import { activeLine, OPERATION_META_KEY, operationMeta } from "../result/closing_line.ts";
import {
  denialMeta,
  errorResult,
  finalResult,
  finalText,
  isErrorEnd,
  joinLines,
  outputSoFar,
  partsBesideText,
  type ResultStyle,
  startedResult,
  styleOf,
  textResult,
} from "../result/result_text.ts";
import type { CallContext, Service } from "../service.ts";

/** Many clients cut a request at 60 s. */
const DEFAULT_LIMIT_SECONDS = 50;
const RUNNING_OUTPUT: ViewLimits = { bytes: 1000, lines: 10 };
/** Minimum size of each of several results; results that do not fit wait for the next call. */
const SMALLEST_SHARE: ViewLimits = { bytes: 512, lines: 8 };
/** The part of each share that the lines between results take. */
const BETWEEN: ViewLimits = { bytes: 8, lines: 2 };
/** At most this many running operations are described; the others are counted. */
const MOST_RUNNING = 10;

export const AWAIT_TOOL: BuiltinTool = {
  name: "await",
  title: "Wait for operations",
  describe: () =>
    "Waits for background operations to end (one by operation_id, else all) and returns their results. After " +
    `timeout_seconds (default ${DEFAULT_LIMIT_SECONDS}) it lists what still runs.`,
  annotations: { idempotentHint: true, openWorldHint: false },
  parameters: [
    OPERATION_PARAMETER,
    TOOLS_PARAMETER,
    { name: "timeout_seconds", kind: "wait" },
    ...PLAIN_CONDITIONS,
    { name: "from_start", kind: "flag", description: "until looks at all output, not only at what is new." },
  ],
  // It returns results itself; results that do not fit wait for the next call.
  appendsFinished: false,
  call: awaitOperations,
};

const CANCELLED_WAIT = "The wait was cancelled; the operations go on.";

async function awaitOperations(
  service: Service,
  args: BuiltinArguments,
  context: CallContext,
): Promise<CallToolResult> {
  const id = args.text("operation_id");
  const named = id === undefined ? undefined : service.registry.get(id);
  if (id !== undefined && named === undefined) return errorResult(unknownOperation(service, id));
  if (id === undefined && service.registry.byIdOnly) {
    return errorResult(`Cannot wait without "operation_id": ${BY_ID_ONLY}`);
  }
  const awaited = named === undefined ? openOperations(service, args.text("tools")) : [named];
  if (awaited.length === 0) return appendFinished(nothingOpen(service, args.text("tools")), service, context);
  const limitSeconds = Math.min(args.number("timeout_seconds") ?? DEFAULT_LIMIT_SECONDS, patienceMs(context) / 1000);
  // An operation that waits for input does not end by itself.
  const condition = conditionIn(args) ?? (named?.command?.input === undefined ? undefined : {});
  if (condition !== undefined) return awaitOutput(service, args, { awaited, condition, limitSeconds, context });
  await waitFor(service, awaited, limitSeconds, context);
  // A cancelled request gets no answer, so it delivers nothing.
  if (context.signal.aborted) return textResult(CANCELLED_WAIT);
  return named === undefined ? answerAll(service, awaited, context) : answerOne(service, named, context);
}

interface OutputAwait {
  readonly condition: Condition;
  readonly awaited: readonly Operation[];
  readonly limitSeconds: number;
  readonly context: CallContext;
}

/** Waits for output of one operation: the named one, or the only one. */
async function awaitOutput(
  service: Service,
  args: BuiltinArguments,
  { awaited, condition, limitSeconds, context }: OutputAwait,
): Promise<CallToolResult> {
  const read = await readCondition("await", condition, { isOpen: awaited[0]?.command?.input !== undefined });
  if (!read.ok) return errorResult(read.problem);
  const [operation, ...others] = awaited;
  if (operation === undefined || others.length > 0) {
    return errorResult(`Cannot wait for output of ${awaited.length} operations: give the "operation_id" of one`);
  }
  const { registry } = service;
  const wanted = read.value ?? {};
  const from = args.flag("from_start") ? 0 : operation.seenBytes;
  const progress = progressOf(service, [operation], context);
  const options = { from, timeoutMs: limitSeconds * 1000, signal: context.signal };
  const end = await waitForOutput(operation, wanted, options);
  await progress?.close();
  await operation.screen?.read();
  const isSeen = from > 0 && end.kind === "timed_out" && await isThere(operation, wanted, context.signal);
  if (context.signal.aborted) return textResult(CANCELLED_WAIT);
  if (isEnded(operation.state)) {
    return withMissedLine(answerOne(service, operation, context), end, wanted);
  }
  registry.markSeen(operation.id, end.kind === "matched" ? end.position : undefined);
  const position = registry.queuePosition(operation.id);
  const style = { ...styleOf(service, context), awaited: wanted, position, isSeen };
  return appendFinished(waitedResult(operation, end, style), service, context, operation);
}

/** Whether the existing output already has the line. */
async function isThere(operation: Operation, { until }: Awaited, signal: AbortSignal): Promise<boolean> {
  return until !== undefined &&
    (await waitForOutput(operation, { until }, { from: 0, timeoutMs: 0, signal })).kind === "matched";
}

/** Running operations, and ended ones that are not delivered yet. */
function openOperations(service: Service, tools: string | undefined): readonly Operation[] {
  const open = [...service.registry.undelivered(), ...service.registry.listActive()];
  // Operations of synchronous calls are left out, because their requests are still waiting.
  return open.filter(({ delivery }) => delivery !== "delivered").filter(toolFilter(tools));
}

async function waitFor(
  service: Service,
  awaited: readonly Operation[],
  limitSeconds: number,
  context: CallContext,
): Promise<void> {
  const running = awaited.filter((operation) => !isEnded(operation.state));
  if (running.length === 0) return;
  const progress = progressOf(service, running, context);
  const ids = running.map((operation) => operation.id);
  const over = new AbortController();
  const signal = AbortSignal.any([context.signal, over.signal]);
  const asking = running.filter(({ command }) => command?.input !== undefined).map((operation) =>
    waitForOutput(operation, { input: true }, { from: operation.output.totalBytes, timeoutMs: Infinity, signal })
  );
  const ended = service.registry.wait(ids, { timeoutMs: limitSeconds * 1000, signal, orNews: true });
  await Promise.race([ended, ...asking]);
  over.abort();
  await progress?.close();
}

/** Streams the output of operations to a client that wants progress. */
function progressOf(
  service: Service,
  running: readonly Operation[],
  { sendProgress, signal }: CallContext,
): ProgressStream | undefined {
  const progress = sendProgress && new ProgressStream({
    send: sendProgress,
    heartbeat: () => running.filter((one) => !isEnded(one.state)).map((one) => activeLine(service, one)).join("\n"),
    signal,
    keepAnsi: service.settings.keepAnsi,
    log: service.log,
  });
  for (const operation of running) progress?.watch(operation, running.length === 1 ? "" : `[${operation.tool}] `);
  return progress;
}

function nothingOpen(service: Service, tools: string | undefined): CallToolResult {
  const which = tools === undefined || tools.trim() === "" ? "operation" : `operation of the tools "${tools}"`;
  const status = listedName(service, "status");
  return textResult(`No ${which} is running, and every result has been read; \`${status}\` lists what ended.`);
}

/** The answer about the operation that the call named. */
function answerOne(service: Service, operation: Operation, context: CallContext): CallToolResult {
  const style = styleOf(service, context);
  const result = isEnded(operation.state)
    ? finalResult(operation, style, "fetched")
    : startedResult(operation, style, service.registry.queuePosition(operation.id), { isAwaited: true });
  if (isEnded(operation.state)) service.registry.markDelivered(operation.id);
  else service.registry.markSeen(operation.id);
  return appendFinished(result, service, context, operation);
}

/** The answer about all awaited operations; each part begins with the facts of its operation. */
function answerAll(service: Service, awaited: readonly Operation[], context: CallContext): CallToolResult {
  const { inline } = service.settings;
  const allEnded = awaited.filter((operation) => isEnded(operation.state));
  const ended = allEnded.slice(0, mostResults(inline));
  const running = awaited.filter((operation) => !isEnded(operation.state));
  const style = { ...styleOf(service, context), limits: share(inline, ended.length) };
  const finals = ended.map((operation) => ({ operation, ...finalText(operation, style, "listed") }));
  for (const operation of ended) service.registry.markDelivered(operation.id);
  const texts = finals.map(({ text }) => text.trimEnd());
  const left = allEnded.length - ended.length;
  if (left > 0) texts.push(`${left} more ended: another \`${listedName(service, "await")}\` gives their results.`);
  if (running.length > 0) texts.push(stillRunning(service, running, style));
  const metas = [
    ...finals.map(({ operation, view }) => operationMeta(operation, view.omittedBytes > 0 ? view : undefined)),
    ...running.map((operation) => operationMeta(operation, undefined)),
  ];
  const result = {
    content: [{ type: "text", text: texts.join("\n\n") } as const, ...ended.flatMap(partsBesideText)],
    ...ended.some((operation) => isErrorEnd(operation, style)) && { isError: true },
    _meta: {
      ...metas.length === 1 ? { [OPERATION_META_KEY]: metas[0] } : { "ahma/operations": metas },
      ...denialMeta(ended),
      ...protectedMeta(ended),
    },
  };
  return left > 0 ? result : appendFinished(result, service, context);
}

function stillRunning(service: Service, running: readonly Operation[], style: ResultStyle): string {
  const parts = running.slice(0, MOST_RUNNING).map((operation) => {
    const output = outputSoFar(operation, style, RUNNING_OUTPUT);
    return joinLines(activeLine(service, operation), output, imitationNote(output, operation));
  });
  const more = running.length > parts.length ? `... ${running.length - parts.length} more` : "";
  return joinLines(...parts, more, `Another \`${listedName(service, "await")}\` waits on.`);
}

/** The number of results that fit into one answer (X4). */
function mostResults({ bytes, lines }: ViewLimits): number {
  return Math.max(1, Math.floor(Math.min(bytes / SMALLEST_SHARE.bytes, lines / SMALLEST_SHARE.lines)));
}

function share(limits: ViewLimits, count: number): ViewLimits {
  if (count <= 1) return limits;
  return {
    bytes: Math.floor(limits.bytes / count) - BETWEEN.bytes,
    lines: Math.floor(limits.lines / count) - BETWEEN.lines,
    ...limits.cutLines !== undefined && { cutLines: Math.floor(limits.cutLines / count) },
  };
}
