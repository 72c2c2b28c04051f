/** From something to run to the answer of the call that asked for it (X1, X3). */
import type { CallToolResult } from "@modelcontextprotocol/server";
import type { Work } from "../operation/operation.ts";
import type { Operation } from "../operation/operation_record.ts";
import { isEnded } from "../operation/transitions.ts";
import type { Mode } from "./mode.ts";
import { ProgressStream } from "./progress.ts";
import { duration, elapsedMs, finalResult, startedResult } from "./results.ts";
import type { CallContext, Service } from "./service.ts";

/** What a tool call comes down to. */
export interface Job {
  readonly tool: string;
  /** One line that says what runs. */
  readonly title: string;
  readonly work: Work;
  readonly timeoutSeconds: number | undefined;
  readonly mode: Mode;
  /** See `StartOptions.exclusive`; absent: beside any other. */
  readonly exclusive?: string | undefined;
}

/** Starts `job` as an operation and answers: at once, or with the result. */
export async function runOperation(service: Service, job: Job, context: CallContext): Promise<CallToolResult> {
  const { registry, settings } = service;
  const { timeoutSeconds, exclusive } = job;
  const operation = registry.start(job.tool, job.title, job.work, { timeoutSeconds, exclusive });
  const { task } = context;
  if (task?.required === true || (job.mode === "asynchronous" && !(await endsEarly(service, operation, context)))) {
    if (task !== undefined) registry.markTask(operation.id);
    const tell = task?.begin ?? context.onBackground;
    tell?.(operation);
    return startedResult(operation, registry.queuePosition(operation.id));
  }
  registry.markCollected(operation.id);
  await endInForeground(service, operation, context);
  return finalResult(operation, { limits: settings.inline, keepAnsi: settings.keepAnsi });
}

/** What to say of an operation that says nothing itself. */
export function activeHeartbeat(operation: Operation): string {
  return `${operation.tool} ${operation.state}, ${duration(elapsedMs(operation, Date.now()))}`;
}

/** `--inline-wait`: whether it ended while the call could still wait for it. */
async function endsEarly(service: Service, operation: Operation, context: CallContext): Promise<boolean> {
  const { inlineWaitMs } = service.settings;
  if (inlineWaitMs > 0) {
    await service.registry.wait([operation.id], { timeoutMs: inlineWaitMs, signal: context.signal });
    // The client took the call back while this request was all there was of it (B6).
    if (context.signal.aborted) await service.registry.cancel(operation.id, CANCELLED_BY_CLIENT);
  }
  return isEnded(operation.state);
}

/** Until it has ended: its output goes to the client as it comes, and a cancel of the request ends it (B6). */
async function endInForeground(service: Service, operation: Operation, context: CallContext): Promise<void> {
  const { signal, sendProgress } = context;
  const onAbort = () => void service.registry.cancel(operation.id, CANCELLED_BY_CLIENT);
  const progress = sendProgress && new ProgressStream({
    send: sendProgress,
    heartbeat: () => activeHeartbeat(operation),
    signal,
    keepAnsi: service.settings.keepAnsi,
    log: service.log,
  });
  progress?.watch(operation, "");
  signal.addEventListener("abort", onAbort, { once: true });
  if (signal.aborted) onAbort();
  await operation.ended;
  signal.removeEventListener("abort", onAbort);
  await progress?.close();
}

const CANCELLED_BY_CLIENT = "The client cancelled the request";
