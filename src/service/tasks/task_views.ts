/** An operation as a task of either generation (X5a); it is over with the operation, or with the call that it is. */
import type { CallToolResult, Result } from "@modelcontextprotocol/server";
import { RELATED_TASK_META_KEY } from "../../wire/json_rpc_message.ts";
import { RequestError, RequestErrorCode } from "../../wire/request_error.ts";
import type { Operation } from "../../operation/operation_record.ts";
import { taskTtlMs } from "../../operation/history.ts";
import { isEnded } from "../../operation/operation.ts";
import { isTaskOver } from "../../operation/protocol_tasks.ts";
import { statusLine } from "../result/closing_line.ts";
import { finalResult, isErrorEnd, type ResultStyle, startedResult } from "../result/result_text.ts";

/** A text for the model while the task runs (provisional part of 2025-11-25). */
const IMMEDIATE_RESPONSE_META_KEY = "io.modelcontextprotocol/model-immediate-response";

/** The poll interval is a tenth of the time since the start, within these bounds. */
const SHORTEST_POLL_MS = 500;
const LONGEST_POLL_MS = 5000;

/** A task of 2025-11-25. */
export function coreTask(operation: Operation, style: Pick<ResultStyle, "exitErrors">): Result {
  const { status, ...facts } = taskFacts(operation);
  return {
    ...facts,
    // In this version a call whose result is an error has failed.
    status: status === "completed" && hasFailed(operation, style) ? "failed" : status,
    ttl: taskTtlMs(operation, Date.now()),
    pollInterval: pollInterval(operation),
  };
}

/** The answer to a call that became a task of 2025-11-25. */
export function coreTaskCreated(
  operation: Operation,
  position: number | undefined,
  style: ResultStyle,
): Result {
  const [text] = startedResult(operation, style, position).content;
  return {
    task: coreTask(operation, style),
    _meta: {
      [RELATED_TASK_META_KEY]: { taskId: operation.id },
      ...text?.type === "text" && { [IMMEDIATE_RESPONSE_META_KEY]: text.text },
    },
  };
}

/** The result of the call, and its task. @throws RequestError -32603 when the server itself failed */
export function coreTaskResult(operation: Operation, style: ResultStyle): CallToolResult {
  if (failedInServer(operation)) throw internalError(operation);
  const result = resultOf(operation, style);
  return { ...result, _meta: { ...result._meta, [RELATED_TASK_META_KEY]: { taskId: operation.id } } };
}

/** A task of the 2026-07-28 extension, without its result. */
function extensionTask(operation: Operation): Result {
  return { ...taskFacts(operation), ttlMs: taskTtlMs(operation, Date.now()), pollIntervalMs: pollInterval(operation) };
}

/** The answer to a call that became one. */
export function extensionTaskCreated(operation: Operation): Result {
  return { resultType: "task", ...extensionTask(operation) };
}

/** The same with the result, or the server's own error, as soon as there is one; a cancelled task has neither. */
export function detailedTask(operation: Operation, style: ResultStyle): Result {
  const task = extensionTask(operation);
  if (task["status"] === "completed") return { ...task, result: resultOf(operation, style) };
  if (task["status"] !== "failed") return task;
  const { code, message, data } = internalError(operation);
  return { ...task, error: { code, message, data } };
}

/** The result of a task that is over. */
function resultOf(operation: Operation, style: ResultStyle): CallToolResult {
  // A call's answer is always a result.
  return operation.taskCall?.answer?.result as CallToolResult | undefined ?? finalResult(operation, style);
}

function hasFailed(operation: Operation, style: Pick<ResultStyle, "exitErrors">): boolean {
  const answer = operation.taskCall?.answer;
  return answer === undefined ? isErrorEnd(operation, style) : answer.result["isError"] === true;
}

/** Whether the server itself failed: the answer is an error of JSON-RPC instead of a result. */
function failedInServer({ state, end, taskCall }: Operation): boolean {
  if (taskCall !== undefined) return false;
  const command = end?.command;
  return state === "failed" && command?.kind === "not_started" && command.fault === "server";
}

function internalError({ id, end }: Operation): RequestError {
  const message = `Internal error: ${(end?.message ?? "").replace(/^Internal error: /, "")}`;
  return new RequestError(RequestErrorCode.InternalError, message, { operation_id: id });
}

/** `completed` for every end that has a result, errors of the tool included. */
function taskFacts(operation: Operation) {
  const { id, state, createdAt, startedAt, endedAt, taskCall } = operation;
  const isCancelled = taskCall === undefined ? state === "cancelled" : taskCall.answer?.isCancelled === true;
  const ended = failedInServer(operation) ? "failed" : isCancelled ? "cancelled" : "completed";
  const updatedAt = taskCall?.answer?.at ?? endedAt ?? startedAt ?? createdAt;
  return {
    taskId: id,
    status: isTaskOver(operation) ? ended : "working",
    statusMessage: isEnded(state) ? statusLine(operation) : `${operation.tool} ${state}: ${operation.title}`,
    createdAt: new Date(createdAt).toISOString(),
    lastUpdatedAt: new Date(updatedAt).toISOString(),
  };
}

function pollInterval({ createdAt, endedAt }: Operation): number {
  const age = (endedAt ?? Date.now()) - createdAt;
  return Math.min(LONGEST_POLL_MS, Math.max(SHORTEST_POLL_MS, Math.round(age / 10)));
}
