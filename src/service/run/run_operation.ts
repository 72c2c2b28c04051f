/** Runs a job as an operation and answers its call (X1, X3). */
import type { CallToolResult } from "@modelcontextprotocol/server";
import { isEnded, type Work } from "../../operation/operation.ts";
import type { Operation } from "../../operation/operation_record.ts";
import { chooseMode, longestWait, type ModeChoices } from "./mode.ts";
import { ProgressStream } from "../result/progress.ts";
import { duration } from "../../base/time.ts";
import { elapsedMs } from "../result/closing_line.ts";
import { finalResult, startedResult, styleOf } from "../result/result_text.ts";
import type { CallContext, Service } from "../service.ts";

/** The work of a tool call, ready to start. */
export interface Job extends Omit<ModeChoices, "forced"> {
  readonly tool: string;
  /** One line that says what runs. */
  readonly title: string;
  readonly work: Work;
  readonly timeoutSeconds: number | undefined;
  /** See `StartOptions.exclusive`; absent: it runs in parallel with all others. */
  readonly exclusive?: string | undefined;
}

/** Milliseconds without progress messages in a call that may end within `--inline-wait`. */
const QUIET_MS = 500;

/** Starts `job` as an operation and answers: with the result as soon as it has ended, or with its id (X1). */
export async function runOperation(service: Service, job: Job, context: CallContext): Promise<CallToolResult> {
  const { registry } = service;
  const { timeoutSeconds, exclusive } = job;
  const mode = chooseMode({ ...job, forced: service.settings.synchronous });
  const limitMs = longestWait(service, mode, context);
  const operation = registry.start(job.tool, job.title, job.work, { timeoutSeconds, exclusive });
  if (limitMs > 0) {
    registry.markDelivered(operation.id);
    const quietMs = mode === "undecided" ? QUIET_MS : undefined;
    await waitInForeground(service, operation, { context, limitMs, quietMs });
    if (isEnded(operation.state)) return finalResult(operation, styleOf(service, context));
    registry.markUndelivered(operation.id);
  }
  const { task } = context;
  if (task !== undefined) registry.markTask(operation.id);
  const tell = task?.begin ?? context.onBackground;
  tell?.(operation);
  return startedResult(operation, styleOf(service, context), registry.queuePosition(operation.id));
}

/** The progress message for an operation without output. */
export function activeHeartbeat(operation: Operation): string {
  return `${operation.tool} ${operation.state}, ${duration(elapsedMs(operation, Date.now()))}`;
}

interface Waiting {
  readonly context: CallContext;
  readonly limitMs: number;
  readonly quietMs: number | undefined;
}

/** Waits for the end or the limit; streams output, and a cancel of the request ends the operation (B6). */
async function waitInForeground(
  service: Service,
  operation: Operation,
  { context: { signal, sendProgress }, limitMs, quietMs }: Waiting,
): Promise<void> {
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
  await service.registry.wait([operation.id], { timeoutMs: limitMs });
  signal.removeEventListener("abort", onAbort);
  await progress?.close();
}

const CANCELLED_BY_CLIENT = "The client cancelled the request";
