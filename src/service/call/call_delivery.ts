/** Does one `tools/call` and delivers its result (X5): in the answer, as a task, or by a later message. */
import { traceIn } from "../../wire/trace_context.ts";
import {
  type CallToolRequestParams,
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  type ProgressToken,
  type Result,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { messageOf } from "../../base/errors.ts";
import { type ClientOffers, offersOf } from "../questions/question.ts";
import { RELATED_TASK_META_KEY } from "../../wire/json_rpc_message.ts";
import { RequestError, RequestErrorCode } from "../../wire/request_error.ts";
import type { Operation } from "../../operation/operation_record.ts";
import { callProgress, callTool } from "./call_tool.ts";
import { ProgressStream } from "../result/progress.ts";
import { errorResult, styleOf } from "../result/result_text.ts";
import { activeHeartbeat } from "../run/run_operation.ts";
import type { CallContext, TaskRequest, ToolCall } from "../service.ts";
import { calledName } from "../result/listed_texts.ts";
import { supportsTask } from "../../catalog/format/builtin_traits.ts";
import { declaresTasks } from "../tasks/tasks_2026_07.ts";
import { member } from "../../wire/json_value.ts";
import type { ConnectionParts } from "../notify/notifications.ts";
import { AskingCall, type AskingParts } from "../questions/asking_call.ts";
import { ANYTHING } from "../sdk/wrong_parameters.ts";
import type { ClientLink } from "../sdk/client_link.ts";
import { rawResult } from "../sdk/versioned_server.ts";
import { SessionClient } from "../questions/session_client.ts";
import { coreTaskCreated, extensionTaskCreated } from "../tasks/task_views.ts";

export interface CallDeliveryParts extends ConnectionParts {
  /** Aborted when the connection has ended. */
  readonly closed: AbortSignal;
}

const UNKNOWN_STATE = "Invalid requestState: no call of this tool with these arguments waits for answers under it. " +
  "Call the tool again without it";

/** Answers the calls of one server. */
export class CallDelivery {
  readonly #parts: CallDeliveryParts;

  constructor(parts: CallDeliveryParts) {
    this.#parts = parts;
  }

  /** Does one `tools/call`, or continues a call whose client has answered a question. */
  async answer(params: CallToolRequestParams, context: ServerContext): Promise<Result> {
    const { service, link, revision } = this.#parts;
    const { mcpReq } = context;
    const offers = clientOffers(link, context);
    if (revision === "2025-11-25") {
      const request = {
        notify: mcpReq.notify,
        ask: (...[question, options]: Parameters<ClientLink["ask"]>) => mcpReq.send(question, ANYTHING, options),
      };
      const client = new SessionClient({ owner: link, offers, request, level: this.#parts.level });
      const { signal } = mcpReq;
      return await this.#run(params, context, { client, signal, request: () => mcpReq }).finally(() =>
        client.answered()
      );
    }
    const { heldCalls: held } = service;
    const fingerprint = () => JSON.stringify([params.name, params.arguments]);
    const state = mcpReq.requestState<unknown>();
    const call = state === undefined
      ? new AskingCall(
        { fingerprint, held, owner: link, offers, request: mcpReq },
        (parts) => this.#run(params, context, parts),
      )
      : AskingCall.heldAs(held, String(state), fingerprint);
    if (call === undefined) throw new RequestError(RequestErrorCode.InvalidParams, UNKNOWN_STATE);
    return await call.answer(mcpReq);
  }

  async #run(params: CallToolRequestParams, context: ServerContext, asking: AskingParts): Promise<Result> {
    const { service, revision } = this.#parts;
    const call = { name: calledName(service, params.name), args: params.arguments ?? {} };
    const base = this.#baseContext(context, asking);
    if (this.#asksForTask(params)) return await this.#asTask(call, base, context);
    if (revision === "2025-11-25" || service.settings.synchronous || !declaresTasks(context)) {
      return await callTool(service, call, base);
    }
    const answer = await this.#taskOrResult(call, base, { required: false });
    return answer.task === undefined ? answer.result : rawResult(extensionTaskCreated(answer.task));
  }

  /** Returns the task as soon as the call becomes one, or else the result. A call that is itself the task continues. */
  async #taskOrResult(
    call: ToolCall,
    base: CallContext,
    { required }: { readonly required: boolean },
  ): Promise<{ readonly task: Operation } | { readonly task?: never; readonly result: CallToolResult }> {
    const { registry } = this.#parts.service;
    const begun = Promise.withResolvers<Operation>();
    let given: Operation | undefined;
    const request: TaskRequest = {
      required,
      begin: (operation) => begun.resolve(given = operation),
      replacesResult: () => given !== undefined && given.taskCall === undefined,
    };
    const answering = callTool(this.#parts.service, call, { ...base, task: request });
    const first = await Promise.race([begun.promise.then((task) => ({ task })), answering.then(() => undefined)]);
    if (first === undefined) return { result: await answering };
    const { task } = first;
    void answering.catch((thrown) => errorResult(`Internal error: ${messageOf(thrown)}`))
      .then((result) => registry.tasks.answer(task, result));
    return first;
  }

  #asksForTask(params: CallToolRequestParams): boolean {
    const { service, link, revision } = this.#parts;
    // Without support for tasks in version and server, the request for a task is ignored.
    return revision === "2025-11-25" && member(params, "task") !== undefined && link.hasCoreTasks &&
      !service.settings.synchronous;
  }

  /** This client accepts only a task, so a refused call becomes a failed task. */
  async #asTask(call: ToolCall, base: CallContext, context: ServerContext): Promise<Result> {
    const { service } = this.#parts;
    if (!supportsTask(call.name)) {
      const message = `Tool "${call.name}" cannot be called as a task: its execution.taskSupport is not set`;
      throw new RequestError(RequestErrorCode.MethodNotFound, message);
    }
    const answer = await this.#taskOrResult(call, base, { required: true });
    const operation = answer.task ?? this.#failed(call, answer.result);
    const created = coreTaskCreated(operation, service.registry.queuePosition(operation.id), styleOf(service, base));
    this.#streamTask(operation, context.mcpReq._meta?.progressToken);
    return rawResult(created);
  }

  #failed({ name }: ToolCall, { content: [text] }: CallToolResult): Operation {
    const { registry } = this.#parts.service;
    const message = text?.type === "text" ? text.text : "The call could not be done";
    const operation = registry.start(name, name, () => Promise.resolve({ kind: "not_started", message } as const));
    registry.markTask(operation.id);
    return operation;
  }

  #baseContext({ mcpReq }: ServerContext, { client, signal, request }: AskingParts): CallContext {
    const token = mcpReq._meta?.progressToken;
    return {
      clientInfo: member(mcpReq.envelope, CLIENT_INFO_META_KEY) ?? this.#parts.link.getClientVersion(),
      signal,
      client,
      readsResources: this.#parts.use.read,
      sendProgress: undefined,
      trace: traceIn(mcpReq._meta),
      ...token !== undefined && callProgress(this.#parts, token, async (facts) => {
        const waiting = request();
        const progressToken = waiting?._meta?.progressToken;
        if (waiting === undefined || progressToken === undefined) return;
        await waiting.notify({ method: "notifications/progress", params: { progressToken, ...facts } });
      }),
    };
  }

  /** Streams progress until the task is over: the call's token is valid until then. */
  #streamTask(operation: Operation, progressToken: ProgressToken | undefined): void {
    if (progressToken === undefined) return;
    const { service, outgoing, closed } = this.#parts;
    const stream = new ProgressStream({
      send: (progress, message) =>
        outgoing.notify("notifications/progress", {
          progressToken,
          progress,
          message,
          _meta: { [RELATED_TASK_META_KEY]: { taskId: operation.id } },
        }),
      heartbeat: () => activeHeartbeat(operation),
      signal: closed,
      keepAnsi: service.settings.keepAnsi,
      log: service.log,
    });
    stream.watch(operation, "");
    void (operation.taskCall?.answered ?? operation.ended).then(() => stream.close());
  }
}

/** What the client supports: declared with each request since 2026-07-28, before that with `initialize`. */
export function clientOffers(link: Pick<ClientLink, "getClientCapabilities">, { mcpReq }: ServerContext): ClientOffers {
  const envelope = member(mcpReq.envelope, CLIENT_CAPABILITIES_META_KEY);
  return offersOf(envelope ?? link.getClientCapabilities());
}
