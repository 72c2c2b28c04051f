/**
 * `subscriptions/listen` for tasks (2026-07-28): the SDK serves this request itself and knows no `taskIds`. Put between
 * the transport and the SDK, this adds what the extension asks for: who does not declare it is refused, known tasks are
 * acknowledged, and each of their changes is told as `tasks/get` would tell it.
 */
import {
  CLIENT_CAPABILITIES_META_KEY,
  type JSONRPCMessage,
  type MessageExtraInfo,
  MissingRequiredClientCapabilityError,
  SUBSCRIPTION_ID_META_KEY,
  type Transport,
  type TransportSendOptions,
} from "@modelcontextprotocol/server";
import type { Unsubscribe } from "../../base/emitter.ts";
import type { Operation } from "../../operation/operation_record.ts";
import type { Service } from "../service.ts";
import type { WireId } from "../wire_message.ts";
import { TASKS_EXTENSION } from "./extension_tasks.ts";
import { member } from "./lenient_params.ts";
import { detailedTask } from "./task_views.ts";

/** Ids one subscription may name. */
const MOST_TASKS = 1000;

export class TaskListening implements Transport {
  // The SDK sets these; its interface asks for public fields.
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage, extra?: MessageExtraInfo) => void;
  readonly #inner: Transport;
  readonly #service: Service;
  /** Open subscriptions and the tasks each listens to. */
  readonly #listening = new Map<WireId, readonly string[]>();
  #unsubscribe: Unsubscribe | undefined;

  constructor(inner: Transport, service: Service) {
    this.#inner = inner;
    this.#service = service;
  }

  async start(): Promise<void> {
    this.#inner.onmessage = (message: JSONRPCMessage, extra?: MessageExtraInfo) => this.#receive(message, extra);
    this.#inner.onerror = (error) => this.onerror?.(error);
    this.#inner.onclose = () => {
      this.#unsubscribe?.();
      this.onclose?.();
    };
    await this.#inner.start();
  }

  send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    return this.#inner.send(this.#listening.size > 0 ? this.#amended(message) : message, options);
  }

  close(): Promise<void> {
    return this.#inner.close();
  }

  #receive(message: JSONRPCMessage, extra: MessageExtraInfo | undefined): void {
    if ("method" in message && message.method === "notifications/cancelled") {
      this.#listening.delete(member(message.params, "requestId") as WireId); // what is no id is not in it
    }
    const refusal = this.#listen(message);
    if (refusal === undefined) this.onmessage?.(message, extra);
    else void this.#inner.send(refusal);
  }

  /** Notes what the message wants to listen to; gives the refusal where it may not. */
  #listen(message: JSONRPCMessage): JSONRPCMessage | undefined {
    if (!("method" in message) || !("id" in message) || message.method !== "subscriptions/listen") return undefined;
    const ids = member(member(message.params, "notifications"), "taskIds");
    const capabilities = member(member(message.params, "_meta"), CLIENT_CAPABILITIES_META_KEY);
    // Without an envelope it is no request of this era; the SDK has the words for that.
    if (!Array.isArray(ids) || capabilities === undefined) return undefined;
    if (member(member(capabilities, "extensions"), TASKS_EXTENSION) === undefined) return missingExtension(message.id);
    const known = ids.slice(0, MOST_TASKS).filter((id) => this.#service.registry.get(String(id))?.isTask === true);
    this.#listening.set(message.id, known.map(String));
    this.#unsubscribe ??= this.#service.registry.subscribe(({ operation, from }) => {
      if (from !== undefined && operation.isTask) this.#tell(operation);
    });
    return undefined;
  }

  /** The acknowledgement with the tasks in it; whatever else as it is. An answer ends the subscription. */
  #amended(message: JSONRPCMessage): JSONRPCMessage {
    if (!("method" in message)) {
      if (message.id !== undefined && message.id !== null) this.#listening.delete(message.id);
      return message;
    }
    if (message.method !== "notifications/subscriptions/acknowledged") return message;
    const taskIds = this.#listening.get(member(member(message.params, "_meta"), SUBSCRIPTION_ID_META_KEY) as WireId);
    if (taskIds === undefined) return message;
    // The SDK's own acknowledgement, which has this member.
    const notifications = { ...member(message.params, "notifications") as object, taskIds };
    return { ...message, params: { ...message.params, notifications } };
  }

  #tell(operation: Operation): void {
    const { inline: limits, keepAnsi } = this.#service.settings;
    for (const [id, taskIds] of this.#listening) {
      if (!taskIds.includes(operation.id)) continue;
      const task = detailedTask(operation, { limits, keepAnsi });
      const params = { ...task, _meta: { [SUBSCRIPTION_ID_META_KEY]: id } };
      void this.#inner.send({ jsonrpc: "2.0", method: "notifications/tasks", params });
    }
  }
}

function missingExtension(id: WireId): JSONRPCMessage {
  const { code, message, data } = new MissingRequiredClientCapabilityError({
    requiredCapabilities: { extensions: { [TASKS_EXTENSION]: {} } },
  }, `Listening to tasks needs the extension ${TASKS_EXTENSION} among the request's client capabilities`);
  return { jsonrpc: "2.0", id, error: { code, message, data } };
}
