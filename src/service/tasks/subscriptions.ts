/** `taskIds` in `subscriptions/listen` of 2026-07-28, on any transport; the SDK does not know them. */
import { shownValue } from "../../base/text.ts";
import {
  CLIENT_CAPABILITIES_META_KEY,
  type JSONRPCMessage,
  MissingRequiredClientCapabilityError,
  SUBSCRIPTION_ID_META_KEY,
} from "@modelcontextprotocol/server";
import type { Operation } from "../../operation/operation_record.ts";
import { styleOf } from "../result/result_text.ts";
import type { Service } from "../service.ts";
import type { WireId } from "../../wire/json_rpc_message.ts";
import { TASKS_EXTENSION } from "../../wire/json_rpc_message.ts";
import { member } from "../../wire/json_value.ts";
import { detailedTask } from "./task_views.ts";

/** Maximum number of ids in one subscription. */
const MOST_TASKS = 1000;
const INVALID_PARAMS = -32602;

/** The tasks that a client subscribes to, or the answer that refuses. */
export type RequestedTasks =
  | { readonly ok: true; readonly id: WireId; readonly taskIds: readonly string[] }
  | { readonly ok: false; readonly answer: JSONRPCMessage };

/** The requested tasks; undefined: there are none, or the SDK answers the message. */
export function requestedTasks(message: JSONRPCMessage): RequestedTasks | undefined {
  if (!("method" in message) || !("id" in message) || message.method !== "subscriptions/listen") return undefined;
  const { id, params } = message;
  const taskIds = member(member(params, "notifications"), "taskIds");
  const capabilities = member(member(params, "_meta"), CLIENT_CAPABILITIES_META_KEY);
  if (taskIds === undefined || capabilities === undefined) return undefined;
  if (member(member(capabilities, "extensions"), TASKS_EXTENSION) === undefined) return missingExtension(id);
  if (!Array.isArray(taskIds) || !taskIds.every((one) => typeof one === "string") || taskIds.length > MOST_TASKS) {
    const message = `Invalid params: "notifications.taskIds" is ${shownValue(taskIds)}, ` +
      `expected a list of at most ${MOST_TASKS} strings`;
    return { ok: false, answer: { jsonrpc: "2.0", id, error: { code: INVALID_PARAMS, message } } };
  }
  return { ok: true, id, taskIds };
}

/** The tasks among `taskIds`; the acknowledgement omits other ids. */
export function knownTasks({ registry }: Service, taskIds: readonly string[]): readonly Operation[] {
  return [...new Set(taskIds)].flatMap((id) => {
    const operation = registry.get(id);
    return operation?.isTask === true ? [operation] : [];
  });
}

/** `notifications/tasks` of one subscription: a task in the form of `tasks/get`. */
export function taskNotification(service: Service, operation: Operation, subscription: WireId): JSONRPCMessage {
  const params = {
    ...detailedTask(operation, styleOf(service)),
    _meta: { [SUBSCRIPTION_ID_META_KEY]: subscription },
  };
  return { jsonrpc: "2.0", method: "notifications/tasks", params };
}

function missingExtension(id: WireId): RequestedTasks {
  const { code, message, data } = new MissingRequiredClientCapabilityError({
    requiredCapabilities: { extensions: { [TASKS_EXTENSION]: {} } },
  }, `Listening to tasks needs the extension ${TASKS_EXTENSION} among the request's client capabilities`);
  return { ok: false, answer: { jsonrpc: "2.0", id, error: { code, message, data } } };
}
