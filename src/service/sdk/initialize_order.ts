/** The order on stdio (C3; docs/design.md, "SDK corrections"): `initialize` first and once, or envelopes. */
import {
  CLIENT_CAPABILITIES_META_KEY,
  isInitializeRequest,
  type JSONRPCMessage,
  type JSONRPCRequest,
  type MessageExtraInfo,
  PROTOCOL_VERSION_META_KEY,
  type TransportSendOptions,
  UnsupportedProtocolVersionError,
} from "@modelcontextprotocol/server";
import { member } from "../../wire/json_value.ts";
import { TransportLayer } from "../../wire/transport_wrapper.ts";
import { INVALID_REQUEST, type WireId } from "../../wire/json_rpc_message.ts";

const INVALID_PARAMS = -32602;
/** The version in which each request carries the envelope. */
const ENVELOPED_VERSION = "2026-07-28";

export class InitializeOrder extends TransportLayer {
  /** `initializing`: the answer to `initialize` is on its way; earlier requests of the client are served after it. */
  #state: "open" | "initializing" | "session" | "enveloped" = "open";
  #initialize: WireId | undefined;

  /** Whether the answer to `initialize` was sent. */
  get isSession(): boolean {
    return this.#state === "session";
  }

  override send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    if (this.#state === "initializing" && !("method" in message) && message.id === this.#initialize) {
      this.#state = "result" in message ? "session" : "open";
      if ("result" in message) this.inner.setProtocolVersion?.(String(message.result["protocolVersion"]));
    }
    return super.send(message, options);
  }

  protected override receive(message: JSONRPCMessage, extra: MessageExtraInfo | undefined): void {
    if ("method" in message && "id" in message) {
      const answer = this.#answer(message);
      if (answer !== undefined) return void this.inner.send(answer);
    } else if ("method" in message && this.#state === "open" && versionOf(message) === undefined) {
      return; // The SDK would open the first era for it.
    }
    this.onmessage?.(message, extra);
  }

  /** The refusal of a request that comes out of order; undefined: the request is in order. */
  #answer(request: JSONRPCRequest): JSONRPCMessage | undefined {
    const { id, method, params } = request;
    if (this.#state === "initializing" || this.#state === "session") {
      return method === "initialize"
        ? refusal(id, INVALID_REQUEST, "Invalid request: the connection is initialized already")
        : undefined;
    }
    const version = versionOf(request);
    if (version !== undefined) return this.#enveloped(request, version);
    if (this.#state === "enveloped") return undefined; // The SDK names what is missing.
    if (method === "ping") return { jsonrpc: "2.0", id, result: {} };
    if (method !== "initialize") return refusal(id, INVALID_PARAMS, BEFORE_INITIALIZE);
    if (!isInitializeRequest({ method, params })) return refusal(id, INVALID_PARAMS, INITIALIZE_PARAMETERS);
    this.#state = "initializing";
    this.#initialize = id;
    return undefined;
  }

  #enveloped({ id, method, params }: JSONRPCRequest, version: unknown): JSONRPCMessage | undefined {
    if (typeof version === "string" && version !== ENVELOPED_VERSION) {
      const error = new UnsupportedProtocolVersionError({ supported: [ENVELOPED_VERSION], requested: version });
      return { jsonrpc: "2.0", id, error: { code: error.code, message: error.message, data: error.data } };
    }
    // After a probe, a client may still begin with `initialize`.
    const capabilities = member(params?._meta, CLIENT_CAPABILITIES_META_KEY);
    if (method !== "server/discover" && typeof capabilities === "object") this.#state = "enveloped";
    return undefined;
  }
}

/** The error for wrong parameters of `initialize`. */
export const INITIALIZE_PARAMETERS =
  "Invalid parameters: initialize needs protocolVersion, capabilities and clientInfo";

const BEFORE_INITIALIZE = "Invalid parameters: begin with initialize, or give every request the envelope of " +
  `${ENVELOPED_VERSION} (_meta with ${PROTOCOL_VERSION_META_KEY} and ${CLIENT_CAPABILITIES_META_KEY})`;

/** The version an envelope names; undefined: there is no envelope. */
function versionOf(message: JSONRPCMessage): unknown {
  return "method" in message ? member(message.params?._meta, PROTOCOL_VERSION_META_KEY) : undefined;
}

function refusal(id: WireId, code: number, message: string): JSONRPCMessage {
  return { jsonrpc: "2.0", id, error: { code, message } };
}
