/** The tasks of 2025-11-25 (X5a): the client asks for one with `params.task` and fetches its result. */
import { shownValue } from "../../base/text.ts";
import type { Result, ServerContext } from "@modelcontextprotocol/server";
import { RequestError, RequestErrorCode } from "../../wire/request_error.ts";
import { isOperationId } from "../../operation/operation_id.ts";
import type { Operation } from "../../operation/operation_record.ts";
import { isTaskOver } from "../../operation/protocol_tasks.ts";
import { appendFinished } from "../result/finished_operations.ts";
import { styleOf } from "../result/result_text.ts";
import type { CallContext, Service } from "../service.ts";
import { ANYTHING, textMember } from "../sdk/wrong_parameters.ts";
import { member } from "../../wire/json_value.ts";
import type { ResourceUse } from "../resources/resources.ts";
import type { VersionedServer } from "../sdk/versioned_server.ts";
import { coreTask, coreTaskResult } from "./task_views.ts";

/** Tasks on one page of `tasks/list`. */
const PAGE_SIZE = 100;

type Handler = (params: unknown, context: ServerContext) => Result | Promise<Result>;

/** Answers `tasks/get`, `tasks/result`, `tasks/cancel` and `tasks/list`, where the negotiated version has them. */
export function serveCoreTasks(server: VersionedServer, service: Service, use: ResourceUse): void {
  const serve = (method: string, handler: Handler) => {
    server.setRequestHandler(method, { params: ANYTHING }, (params, context) => {
      if (!server.hasCoreTasks) throw new RequestError(RequestErrorCode.MethodNotFound, "Method not found");
      return handler(params, context);
    });
  };
  serve("tasks/get", (params) => coreTask(findTask(service, params), service.settings));
  serve(
    "tasks/result",
    (params, { mcpReq }) =>
      resultOf(service, findTask(service, params), { signal: mcpReq.signal, readsResources: use.read }),
  );
  serve("tasks/cancel", (params) => cancelTask(service, findTask(service, params)));
  serve("tasks/list", (params) => listTasks(service, member(params, "cursor")));
}

/** The task `params.taskId` names. @throws RequestError -32602 when there is none */
export function findTask({ registry }: Service, params: unknown): Operation {
  const id = textMember(params, "taskId");
  const operation = registry.get(id);
  if (operation?.isTask === true) return operation;
  const message = `Task ${
    shownValue(id)
  } is unknown: it never existed in this session, or its result is no longer kept`;
  throw new RequestError(RequestErrorCode.InvalidParams, message);
}

/** Waits until the task has ended, as this version requires. A cancelled request gets no answer. */
async function resultOf(
  service: Service,
  operation: Operation,
  { signal, readsResources }: Required<Pick<CallContext, "signal" | "readsResources">>,
): Promise<Result> {
  if (operation.taskCall === undefined) await service.registry.wait([operation.id], { signal });
  else await Promise.race([operation.taskCall.answered, aborted(signal)]);
  if (signal.aborted) return {};
  const result = coreTaskResult(operation, styleOf(service, { readsResources }));
  // If the call itself is the task, its answer already contains the news.
  return operation.taskCall === undefined
    ? appendFinished(result, service, { signal, readsResources }, operation)
    : result;
}

function aborted(signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  signal.addEventListener("abort", () => resolve(), { once: true });
  return promise;
}

async function cancelTask({ registry, settings }: Service, operation: Operation): Promise<Result> {
  const wasOver = isTaskOver(operation);
  if (!wasOver) {
    await registry.cancel(operation.id, "The client cancelled the task");
    await operation.taskCall?.answered;
  }
  const task = coreTask(operation, settings);
  if (!wasOver && task["status"] === "cancelled") return task;
  const message = `Cannot cancel task "${operation.id}": it has ended already, its state is ${task["status"]}`;
  throw new RequestError(RequestErrorCode.InvalidParams, message);
}

/** Newest first. The cursor is the id of the last task shown. */
function listTasks({ registry, settings }: Service, cursor: unknown): Result {
  const tasks = registry.list().filter(({ isTask }) => isTask)
    .toSorted((a, b) => b.ordinal - a.ordinal);
  if (cursor !== undefined && (typeof cursor !== "string" || !isOperationId(cursor))) {
    throw new RequestError(RequestErrorCode.InvalidParams, `Invalid cursor ${shownValue(cursor)}`);
  }
  // Tasks after a pruned one are older and pruned too.
  const from = cursor === undefined ? 0 : tasks.findIndex(({ id }) => id === cursor) + 1 || tasks.length;
  const rest = tasks.slice(from);
  const shown = rest.slice(0, PAGE_SIZE);
  const last = shown.at(-1);
  return {
    tasks: shown.map((task) => coreTask(task, settings)),
    ...last !== undefined && shown.length < rest.length && { nextCursor: last.id },
  };
}
