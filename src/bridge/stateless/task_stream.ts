/** `subscriptions/listen` for tasks (2026-07-28): the SDK knows no `taskIds`, so these are added here, with changes. */
import { encodeText } from "../../base/text.ts";
import type { JSONRPCMessage } from "@modelcontextprotocol/server";
import type { Unsubscribe } from "../../base/emitter.ts";
import type { Operation } from "../../operation/operation_record.ts";
import { isTaskOver } from "../../operation/protocol_tasks.ts";
import { member } from "../../wire/json_value.ts";
import { knownTasks, taskNotification } from "../../service/tasks/subscriptions.ts";
import type { Service } from "../../service/service.ts";
import type { WireId } from "../../wire/json_rpc_message.ts";

/** A resource that never changes: the SDK would close a subscription without any resource. */
const KEEPS_OPEN = "ahma://tasks";

/** The request for the SDK; `message` is one that asks for tasks. */
export function askedOfSdk(message: JSONRPCMessage): JSONRPCMessage {
  const params = "method" in message ? message.params : undefined;
  const { taskIds: _, ...notifications } = { ...member(params, "notifications") as object, taskIds: [] };
  const uris = member(notifications, "resourceSubscriptions") ?? [];
  // The SDK refuses a value that is not a list.
  const resourceSubscriptions = Array.isArray(uris) ? [...uris, KEEPS_OPEN] : uris;
  return { ...message, params: { ...params, notifications: { ...notifications, resourceSubscriptions } } } as never;
}

/** The tasks of one stream. */
interface TaskStreamOptions {
  readonly service: Service;
  readonly subscription: WireId;
  readonly taskIds: readonly string[];
}

/** The SDK's stream of events, which begins with the acknowledgement, with the changes of tasks added. */
export function withTasks(events: ReadableStream<Uint8Array>, options: TaskStreamOptions): ReadableStream<Uint8Array> {
  const { service, subscription } = options;
  const tasks = knownTasks(service, options.taskIds);
  let unsubscribe: Unsubscribe | undefined;
  return withEnd(events, () => unsubscribe?.(), (part, to) => {
    if (unsubscribe !== undefined) return to.enqueue(part);
    const tell = (operation: Operation) => to.enqueue(event(taskNotification(service, operation, subscription)));
    to.enqueue(amended(part, tasks));
    for (const task of tasks) if (isTaskOver(task)) tell(task);
    unsubscribe = service.registry.tasks.subscribe((operation) => {
      if (tasks.includes(operation)) tell(operation);
    });
  });
}

/** The acknowledgement with the tasks that the client asked for. */
function amended(chunk: Uint8Array, tasks: readonly Operation[]): Uint8Array {
  const data = /^data: (.*)$/m.exec(new TextDecoder().decode(chunk))?.[1];
  const message = data === undefined ? undefined : JSON.parse(data);
  const honoured = message?.params?.notifications;
  if (honoured === undefined) return chunk;
  const { resourceSubscriptions = [], ...rest } = honoured;
  const uris = resourceSubscriptions.filter((uri: unknown) => uri !== KEEPS_OPEN);
  const notifications = {
    ...rest,
    ...uris.length > 0 && { resourceSubscriptions: uris },
    taskIds: tasks.map(({ id }) => id),
  };
  return event({ ...message, params: { ...message.params, notifications } });
}

function event(message: JSONRPCMessage): Uint8Array {
  return encodeText(`event: message\ndata: ${JSON.stringify(message)}\n\n`);
}

/** `stream` with its parts through `pass`. `end`: it has ended or its reader has left, twice for both. */
export function withEnd(
  stream: ReadableStream<Uint8Array>,
  end: () => void,
  pass = (part: Uint8Array, to: ReadableStreamDefaultController<Uint8Array>) => to.enqueue(part),
): ReadableStream<Uint8Array> {
  const reader = stream.getReader();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await reader.read();
      if (!done) return pass(value, controller);
      end();
      controller.close();
    },
    cancel(reason) {
      end();
      return reader.cancel(reason);
    },
  }, { highWaterMark: 0 });
}
