/**
 * Plain calls of tools past the SDK. It checks each message some ten times, which takes a fifth of a call after a pause;
 * here nothing is left to check: such a request names a tool, has arguments and nothing else.
 */
import type { JSONRPCMessage, JSONRPCRequest, MessageExtraInfo } from "@modelcontextprotocol/server";
import { messageOf } from "../../base/errors.ts";
import { type AnswerCall, type PlainCall, plainCall } from "../call/plain_call.ts";
import { member } from "../../wire/json_value.ts";
import type { WireId } from "../../wire/json_rpc_message.ts";
import { TransportLayer } from "../../wire/transport_wrapper.ts";
import type { InitializeOrder } from "../sdk/initialize_order.ts";

const INTERNAL_ERROR = -32603;

export class DirectCalls extends TransportLayer {
  readonly #order: InitializeOrder;
  readonly #answerer: () => AnswerCall | undefined;
  readonly #running = new Map<WireId, AbortController>();

  /** `answerer`: undefined while there is none, or where the version has no plain calls. */
  constructor(order: InitializeOrder, answerer: () => AnswerCall | undefined) {
    super(order);
    this.#order = order;
    this.#answerer = answerer;
  }

  protected override receive(message: JSONRPCMessage, extra: MessageExtraInfo | undefined): void {
    if ("method" in message && message.method === "notifications/cancelled") {
      const id = member(message.params, "requestId") as WireId; // other values are never a key
      this.#running.get(id)?.abort(member(message.params, "reason"));
    }
    const call = this.#order.isSession ? plainCall(message) : undefined;
    const answer = call && this.#answerer();
    if (call === undefined || answer === undefined) return this.onmessage?.(message, extra);
    void this.#answer((message as JSONRPCRequest).id, call, answer); // only a request is a call
  }

  protected override ended(): void {
    for (const controller of this.#running.values()) controller.abort(new Error("Connection closed"));
  }

  /** One that is cancelled is not answered. */
  async #answer(id: WireId, call: PlainCall, answer: AnswerCall): Promise<void> {
    const controller = new AbortController();
    this.#running.set(id, controller);
    let response: JSONRPCMessage;
    try {
      response = { result: await answer(call, controller.signal), jsonrpc: "2.0", id };
    } catch (thrown) {
      response = { jsonrpc: "2.0", id, error: errorOf(thrown) };
    }
    if (this.#running.get(id) === controller) this.#running.delete(id);
    if (controller.signal.aborted) return;
    await this.inner.send(response).catch((thrown: Error) => this.onerror?.(thrown));
  }
}

function errorOf(thrown: unknown): { readonly code: number; readonly message: string; readonly data?: unknown } {
  const [code, data] = [member(thrown, "code"), member(thrown, "data")];
  return {
    code: typeof code === "number" && Number.isSafeInteger(code) ? code : INTERNAL_ERROR,
    message: messageOf(thrown),
    ...data !== undefined && { data },
  };
}
