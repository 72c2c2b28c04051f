/** Runs a job as an operation and answers its call (X1, X3). */
import type { CallToolResult } from "@modelcontextprotocol/server";
import { isEnded, type Work } from "../../operation/operation.ts";
import type { Operation, StartOptions } from "../../operation/operation_record.ts";
import { type Awaited, type OutputWaitEnd, waitForOutput } from "../../operation/output_wait.ts";
import { TaskCall } from "../../operation/protocol_tasks.ts";
import { chooseMode, longestConditionWait, longestWait, type Mode, type ModeChoices } from "./mode.ts";
import { personAt } from "../questions/person.ts";
import { ProgressStream } from "../result/progress.ts";
import { duration } from "../../base/time.ts";
import { elapsedMs } from "../result/closing_line.ts";
import { finalResult, startedResult, styleOf } from "../result/result_text.ts";
import { waitedResult, withMissedLine } from "../result/waited_result.ts";
import type { CallContext, Service, TaskRequest } from "../service.ts";

type Asked = "timeoutSeconds" | "exclusive" | "turns" | "watch" | "preview";

/** The work of a tool call, ready to start. */
export interface Job extends Omit<ModeChoices, "forced">, Pick<StartOptions, Asked> {
  readonly tool: string;
  /** One line that says what runs. */
  readonly title: string;
  readonly work: Work;
  /** The condition for an early answer; absent or undefined: only the end or the limit of the mode. */
  readonly awaited?: Awaited | undefined;
}

/** Milliseconds without progress messages in a call that may end within `--inline-wait`. */
const QUIET_MS = 500;

/** Starts `job` as an operation and answers: with the result as soon as it has ended, or with its id (X1). */
export async function runOperation(service: Service, job: Job, context: CallContext): Promise<CallToolResult> {
  const { registry } = service;
  const { until, port, quietMs, input } = job.awaited ?? {};
  const isLong = until !== undefined || port !== undefined || quietMs !== undefined && input !== true;
  const chosen = chooseMode({ ...job, forced: service.settings.synchronous });
  const mode = isLong ? "synchronous" : chosen;
  const { task, ...withoutTask } = context;
  const limitMs = isLong
    ? longestConditionWait(context)
    : longestWait(service, mode, job.awaited === undefined ? context : withoutTask);
  const operation = registry.start(job.tool, job.title, job.work, {
    ...job,
    person: context.client && personAt(context.client),
    trace: service.telemetry?.child(context.trace),
  });
  const isTaskCall = task !== undefined && (job.awaited !== undefined || task.required && wantsId(job));
  using _ = isTaskCall ? beginTaskCall(service, operation, { task, isLong, chosen }) : undefined;
  let end: OutputWaitEnd | undefined;
  if (limitMs > 0) {
    registry.markDelivered(operation.id);
    const quietMs = mode === "undecided" ? QUIET_MS : undefined;
    // The progress of a task that its client asked for is sent with the task.
    const waiting = isTaskCall && task.required ? { ...context, sendProgress: undefined } : context;
    end = await waitInForeground(service, operation, { context: waiting, limitMs, quietMs, awaited: job.awaited });
    if (operation.screen !== undefined) await operation.screen.read();
    if (isEnded(operation.state)) {
      const result = finalResult(operation, styleOf(service, context));
      return end === undefined ? result : withMissedLine(result, end, job.awaited);
    }
    registry.markUndelivered(operation.id);
  }
  if (!isTaskCall) {
    if (task !== undefined) registry.markTask(operation.id);
    const tell = task?.begin ?? context.onBackground;
    tell?.(operation);
  }
  registry.markSeen(operation.id, end?.kind === "matched" ? end.position : undefined);
  const position = registry.queuePosition(operation.id);
  return end === undefined || job.awaited === undefined
    ? startedResult(operation, styleOf(service, context), position)
    : waitedResult(operation, end, { ...styleOf(service, context), awaited: job.awaited, position });
}

/** A model does not know about tasks; when it asks for an id, it wants to continue. */
function wantsId({ executionMode }: Job): boolean {
  return executionMode === "AsyncResultPush";
}

interface TaskCallChoices {
  readonly task: TaskRequest;
  readonly isLong: boolean;
  readonly chosen: Mode;
}

/** Makes the call, not its operation, a task (X5a): at once if asked, else when it takes long; disposal cancels. */
function beginTaskCall(
  { registry, settings }: Service,
  operation: Operation,
  { task, isLong, chosen }: TaskCallChoices,
): Disposable | undefined {
  const begin = () => {
    if (isEnded(operation.state)) return;
    registry.markTask(operation.id, new TaskCall());
    task.begin(operation);
  };
  if (task.required) begin();
  if (task.required || !isLong || chosen === "synchronous") return undefined;
  const timer = setTimeout(begin, chosen === "asynchronous" ? 0 : settings.inlineWaitMs);
  return { [Symbol.dispose]: () => clearTimeout(timer) };
}

/** The progress message for an operation without output. */
export function activeHeartbeat(operation: Operation): string {
  return `${operation.tool} ${operation.state}, ${duration(elapsedMs(operation, Date.now()))}`;
}

interface Waiting {
  readonly context: CallContext;
  readonly limitMs: number;
  readonly quietMs: number | undefined;
  readonly awaited: Awaited | undefined;
}

/** Waits for end, limit or condition, and returns which came first. A cancelled request ends the work (B6). */
async function waitInForeground(
  service: Service,
  operation: Operation,
  { context: { signal, sendProgress }, limitMs, quietMs, awaited }: Waiting,
): Promise<OutputWaitEnd | undefined> {
  const onAbort = () => void service.registry.cancel(operation.id, CANCELLED_BY_CLIENT);
  const progress = sendProgress && new ProgressStream({
    send: sendProgress,
    heartbeat: () => activeHeartbeat(operation),
    signal,
    keepAnsi: service.settings.keepAnsi,
    log: service.log,
    ...quietMs !== undefined && { quietMs },
  });
  progress?.watch(operation, "");
  signal.addEventListener("abort", onAbort, { once: true });
  if (signal.aborted) onAbort();
  // A cancelled request ends the operation, which ends the wait.
  const end = awaited === undefined
    ? await service.registry.wait([operation.id], { timeoutMs: limitMs }).then(() => undefined)
    : await waitForOutput(operation, awaited, { from: 0, timeoutMs: limitMs, signal: NEVER });
  // An answer before the end costs the client another call.
  if (end?.kind === "matched") await service.registry.wait([operation.id], { timeoutMs: ENDS_SOON_MS });
  signal.removeEventListener("abort", onAbort);
  await progress?.close();
  return end;
}

/** Milliseconds that a command has to end after the awaited line. */
const ENDS_SOON_MS = 50;
const NEVER = new AbortController().signal;
const CANCELLED_BY_CLIENT = "The client cancelled the request";
