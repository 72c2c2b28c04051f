/** The tasks extension of 2026-07-28 (X5a): to a client that declares it the server may answer a call with a task. */
import {
  CLIENT_CAPABILITIES_META_KEY,
  MissingRequiredClientCapabilityError,
  type Result,
  type Server,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { messageOf } from "../../base/errors.ts";
import { styleOf } from "../result/result_text.ts";
import type { Service } from "../service.ts";
import { findTask } from "./tasks_2025_11.ts";
import { ANYTHING } from "../sdk/wrong_parameters.ts";
import { member } from "../../wire/json_value.ts";
import type { ResourceUse } from "../resources/resources.ts";
import { TASKS_EXTENSION } from "../../wire/json_rpc_message.ts";
import { detailedTask } from "./task_views.ts";
import { isTaskOver } from "../../operation/protocol_tasks.ts";

/** Whether this request declares the extension; earlier requests do not count. */
export function declaresTasks({ mcpReq }: ServerContext): boolean {
  const capabilities = member(mcpReq.envelope, CLIENT_CAPABILITIES_META_KEY);
  return member(member(capabilities, "extensions"), TASKS_EXTENSION) !== undefined;
}

/** Answers `tasks/get`, `tasks/update` and `tasks/cancel`. */
export function serveExtensionTasks(server: Server, service: Service, use: ResourceUse): void {
  const serve = (method: string, handler: (params: unknown) => Result) => {
    server.setRequestHandler(method, { params: ANYTHING }, (params, context) => {
      if (declaresTasks(context)) return handler(params);
      throw new MissingRequiredClientCapabilityError({
        requiredCapabilities: { extensions: { [TASKS_EXTENSION]: {} } },
      }, `${method} needs the extension ${TASKS_EXTENSION} among the request's client capabilities`);
    });
  };
  serve(
    "tasks/get",
    (params) => detailedTask(findTask(service, params), styleOf(service, { readsResources: use.read })),
  );
  // Our tasks never ask for input, and responses without a question must be ignored.
  serve("tasks/update", (params) => {
    findTask(service, params);
    return {};
  });
  serve("tasks/cancel", (params) => {
    const task = findTask(service, params);
    // An operation that continues after such a call does not belong to the task.
    if (isTaskOver(task)) return {};
    const { id } = task;
    // The acknowledgement does not wait for the end of the processes; `tasks/get` reports it.
    service.registry.cancel(id, "The client cancelled the task").catch((thrown) => {
      service.log.error("Cannot cancel a task", { operation: id, error: messageOf(thrown) });
    });
    return {};
  });
}
