/**
 * `subscriptions/listen` (2026-07-28) over stdio, as far as the SDK does not know it. This layer between the transport and
 * the SDK has sources follow the resources. It refuses clients that ask for tasks and do not declare the extension,
 * acknowledges known tasks, and reports each of their changes in the form of `tasks/get`, also the end of a task that had
 * ended before.
 */
import {
  type JSONRPCMessage,
  type MessageExtraInfo,
  SUBSCRIPTION_ID_META_KEY,
  type Transport,
  type TransportSendOptions,
} from "@modelcontextprotocol/server";
import type { Unsubscribe } from "../../base/emitter.ts";
import type { Operation } from "../../operation/operation_record.ts";
import { isTaskOver } from "../../operation/protocol_tasks.ts";
import type { WireId } from "../../wire/json_rpc_message.ts";
import { member } from "../../wire/json_value.ts";
import { TransportLayer } from "../../wire/transport_wrapper.ts";
import type { Service } from "../service.ts";
import { knownTasks, requestedTasks, taskNotification } from "../tasks/subscriptions.ts";
import { followed } from "./subscriptions.ts";

export class ListenLayer extends TransportLayer {
  readonly #service: Service;
  /** Functions that end the source subscriptions of each open subscription. */
  readonly #followed = new Map<WireId, Promise<Unsubscribe>>();
  /** The tasks that each open subscription listens to. */
  readonly #listening = new Map<WireId, readonly Operation[]>();
  #unsubscribe: Unsubscribe | undefined;

  constructor(inner: Transport, service: Service) {
    super(inner);
    this.#service = service;
  }

  /** Adds the tasks to the acknowledgement; other messages stay unchanged. An answer ends the subscription. */
  override async send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    if (!("method" in message)) {
      if (message.id !== undefined && message.id !== null) this.#end(message.id);
      return await super.send(message, options);
    }
    if (message.method !== "notifications/subscriptions/acknowledged") return await super.send(message, options);
    // Other values are never a key.
    const subscription = member(member(message.params, "_meta"), SUBSCRIPTION_ID_META_KEY) as WireId;
    const tasks = this.#listening.get(subscription);
    if (tasks === undefined) return await super.send(message, options);
    // The SDK's own acknowledgement, which has this member.
    const notifications = { ...member(message.params, "notifications") as object, taskIds: tasks.map(({ id }) => id) };
    await super.send({ ...message, params: { ...message.params, notifications } }, options);
    for (const task of tasks) if (isTaskOver(task)) this.#tell(task, subscription);
  }

  protected override ended(): void {
    this.#unsubscribe?.();
    for (const id of this.#followed.keys()) this.#end(id);
  }

  protected override receive(message: JSONRPCMessage, extra: MessageExtraInfo | undefined): void {
    if ("method" in message && message.method === "notifications/cancelled") {
      this.#end(member(message.params, "requestId") as WireId); // other values are never a key
    }
    const following = followed(this.#service, message);
    if (following === undefined || !("id" in message) || message.id === undefined) return this.#passOn(message, extra);
    this.#followed.set(message.id, following);
    // The acknowledgement waits for the servers, so that no later change is missed.
    void following.then(() => this.#passOn(message, extra));
  }

  #passOn(message: JSONRPCMessage, extra: MessageExtraInfo | undefined): void {
    const requested = this.#service.settings.synchronous ? undefined : requestedTasks(message);
    if (requested?.ok === false) return void this.send(requested.answer);
    if (requested !== undefined) this.#listen(requested.id, requested.taskIds);
    this.onmessage?.(message, extra);
  }

  #listen(subscription: WireId, taskIds: readonly string[]): void {
    this.#listening.set(subscription, knownTasks(this.#service, taskIds));
    this.#unsubscribe ??= this.#service.registry.tasks.subscribe((operation) => {
      for (const [id, tasks] of this.#listening) if (tasks.includes(operation)) this.#tell(operation, id);
    });
  }

  #end(id: WireId): void {
    this.#listening.delete(id);
    void this.#followed.get(id)?.then((end) => end());
    this.#followed.delete(id);
  }

  #tell(operation: Operation, subscription: WireId): void {
    void this.inner.send(taskNotification(this.#service, operation, subscription));
  }
}
