/**
 * A session that works without the SDK as long as the client sends plain requests (plain_requests.ts): the SDK
 * with its schemas of six versions takes some 50 MB, and 60 ms to load. The first other message loads it. The SDK then
 * gets the already answered `initialize`, and every message not answered here.
 */
import type {
  ClientCapabilities,
  Implementation,
  InitializeRequestParams,
  JSONRPCMessage,
  JSONRPCNotification,
  JSONRPCRequest,
  Notification,
  Result,
  Transport,
  TransportSendOptions,
} from "@modelcontextprotocol/server";
import type { Unsubscribe } from "../../base/emitter.ts";
import { messageOf } from "../../base/errors.ts";
import { member } from "../../wire/json_value.ts";
import type { WireId } from "../../wire/json_rpc_message.ts";
import { RequestErrorCode } from "../../wire/request_error.ts";
import { type ClientLink, VERSION_OF_CORE_TASKS } from "../sdk/client_link.ts";
import { announce, announceSandbox, announceTermination } from "../notify/notifications.ts";
import type { Service } from "../service.ts";
import { connectionParts, type ListingParts } from "./connection_parts.ts";
import type { FirstAnswer } from "./first_answer.ts";
import { type Answer, plainAnswer } from "./plain_requests.ts";

/** The SDK for a session that has begun without it. */
export interface SdkConnection {
  /** Resolves with the session's server once the SDK has seen its first message. */
  readonly server: Promise<Pick<ClientLink, "ask" | "checkedResult">>;
  close(): Promise<void>;
}

export interface DirectAnswersOptions {
  readonly service: Service;
  /** The answer that was already sent; absent: the SDK answers the first message. */
  readonly answered: FirstAnswer | undefined;
  /** Loads the SDK, and connects it with the layer. */
  readonly connect: (direct: DirectAnswers) => Promise<SdkConnection>;
  /** Absent: that of plain_requests.ts. */
  readonly plainAnswer?: typeof plainAnswer;
}

/** The result of `initialize`. */
interface Agreed {
  readonly version: string;
  readonly capabilities: ClientCapabilities;
  readonly clientInfo: Implementation;
}

export class DirectAnswers implements Transport, ClientLink {
  // The SDK sets these.
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #inner: Transport;
  readonly #options: DirectAnswersOptions;
  readonly #running = new Map<WireId, AbortController>();
  /** Undefined: `initialize` is not answered yet, or the version has no sessions. */
  #agreed: Agreed | undefined;
  /** The last request that the SDK has not answered. */
  #initialize: JSONRPCRequest | undefined;
  #parts: ListingParts | undefined;
  #unsubscribe: Unsubscribe | undefined;
  #sdk: Promise<SdkConnection> | undefined;
  /** Messages that are held back until the SDK has answered `initialize`; undefined: none are held back. */
  #waiting: JSONRPCMessage[] | undefined = [];
  /** Resolves when the SDK has answered an `initialize` that the client already got an answer to. */
  readonly #repeated = Promise.withResolvers<void>();
  #hasEnded = false;

  constructor(inner: Transport, options: DirectAnswersOptions) {
    this.#inner = inner;
    this.#options = options;
    if (options.answered === undefined) this.#repeated.resolve();
  }

  /** Starts reading. @throws {Error} When the SDK is needed from the start, and cannot be loaded. */
  async open(): Promise<void> {
    if (this.#options.answered === undefined) await this.#connect();
    else await this.#listen();
  }

  /** Ends the connection. */
  async end(): Promise<void> {
    const upper = this.#waiting === undefined ? await this.#sdk : undefined;
    await (upper ?? this.#inner).close();
  }

  /** Tells the client that the session ends, if its version has a notification for that (S17). */
  async announceTermination(reason: string): Promise<void> {
    if (this.#parts !== undefined) await announceTermination(this.#options.service, this.#parts.outgoing, reason);
  }

  /** The parts of the session; from the first call on, changes are announced. */
  get parts(): ListingParts {
    if (this.#parts === undefined) {
      this.#parts = connectionParts(this.#options.service, this, "2025-11-25");
      this.#unsubscribe = announce(this.#parts);
    }
    return this.#parts;
  }

  get hasCoreTasks(): boolean {
    return this.#agreed?.version === VERSION_OF_CORE_TASKS;
  }

  getClientCapabilities(): ClientCapabilities | undefined {
    return this.#agreed?.capabilities;
  }

  getClientVersion(): Implementation | undefined {
    return this.#agreed?.clientInfo;
  }

  notification(notification: Notification, related?: TransportSendOptions): Promise<void> {
    return this.#inner.send({ jsonrpc: "2.0", ...notification }, related);
  }

  async ask(...parameters: Parameters<ClientLink["ask"]>): Promise<unknown> {
    return await (await this.#server()).ask(...parameters);
  }

  async checkedResult(result: Result): Promise<Result> {
    return await (await this.#server()).checkedResult(result);
  }

  setProtocolVersion(version: string): void {
    this.#inner.setProtocolVersion?.(version);
  }

  /** Called by the SDK, possibly after the end of the connection. */
  async start(): Promise<void> {
    if (this.#hasEnded) return;
    if (this.#options.answered === undefined) {
      this.#waiting = undefined;
      await this.#listen();
    } else if (this.#initialize !== undefined) this.onmessage?.(this.#initialize);
  }

  /** Sends a message of the SDK. */
  send(message: JSONRPCMessage, options?: TransportSendOptions): Promise<void> {
    const initialize = this.#initialize;
    if ("method" in message || initialize === undefined || message.id !== initialize.id) {
      return this.#inner.send(message, options);
    }
    this.#initialize = undefined;
    const { service: { log }, answered } = this.#options;
    if (answered === undefined) {
      if ("result" in message) this.#agree(String(message.result["protocolVersion"]), initialize);
      return this.#inner.send(message, options);
    }
    const text = JSON.stringify(message);
    if (text !== answered.text) log.error("The first answer was another", { first: answered.text, text });
    const waiting = this.#waiting ?? [];
    this.#waiting = undefined;
    for (const one of waiting) this.onmessage?.(one);
    this.#repeated.resolve();
    return Promise.resolve();
  }

  /** Called by the SDK. */
  close(): Promise<void> {
    return this.#inner.close();
  }

  async #listen(): Promise<void> {
    this.#inner.onmessage = (message) => this.#receive(message);
    this.#inner.onerror = (error) => this.onerror?.(error);
    this.#inner.onclose = () => this.#closed();
    await this.#inner.start();
  }

  #receive(message: JSONRPCMessage): void {
    if (!("method" in message)) return this.#passOn(message);
    if (!("id" in message)) return this.#receiveNotification(message);
    if (this.#begins(message)) return;
    const answer = this.#agreed && (this.#options.plainAnswer ?? plainAnswer)(this.parts, message);
    if (answer !== undefined) return void this.#answer(message, answer);
    this.#passOn(message);
    void this.#withSdk();
  }

  #closed(): void {
    this.#hasEnded = true;
    for (const controller of this.#running.values()) controller.abort(new Error("Connection closed"));
    this.#unsubscribe?.();
    this.onclose?.();
  }

  /** Whether this request was already answered. */
  #begins(message: JSONRPCRequest): boolean {
    if (message.method !== "initialize" || this.#agreed !== undefined) return false;
    this.#initialize = message;
    if (this.#options.answered === undefined) return false;
    const version = String(member(message.params, "protocolVersion"));
    this.setProtocolVersion(version);
    this.#agree(version, message);
    void this.parts;
    return true;
  }

  #agree(version: string, { params }: JSONRPCRequest): void {
    const { capabilities, clientInfo } = params as InitializeRequestParams; // they were checked
    this.#agreed = { version, capabilities, clientInfo };
  }

  #receiveNotification(message: JSONRPCNotification): void {
    if (message.method === "notifications/cancelled") {
      const id = member(message.params, "requestId") as WireId; // other values are never a key
      this.#running.get(id)?.abort(member(message.params, "reason"));
    }
    if (message.method === "notifications/initialized" && this.#options.answered !== undefined) {
      void announceSandbox(this.#options.service, this.parts.outgoing);
    } else this.#passOn(message);
  }

  /** Without the SDK, notifications and answers have no receiver. */
  #passOn(message: JSONRPCMessage): void {
    if (this.#waiting === undefined) this.onmessage?.(message);
    else if (this.#sdk !== undefined || "method" in message && "id" in message) this.#waiting.push(message);
  }

  /** A cancelled request is not answered. */
  async #answer(request: JSONRPCRequest, answer: Answer): Promise<void> {
    const { id } = request;
    const controller = new AbortController();
    this.#running.set(id, controller);
    let response: JSONRPCMessage | undefined;
    try {
      if (this.#waiting !== undefined && this.#waiting.length > 0) await this.#turn();
      const result = controller.signal.aborted ? undefined : await answer(controller.signal);
      if (result !== undefined) response = { result, jsonrpc: "2.0", id };
    } catch (thrown) {
      response = { jsonrpc: "2.0", id, error: errorOf(thrown) };
    }
    if (this.#running.get(id) === controller) this.#running.delete(id);
    if (controller.signal.aborted) return;
    if (response !== undefined) return await this.#inner.send(response).catch((thrown) => this.#tell(thrown));
    this.#passOn(request);
    void this.#withSdk();
  }

  /** Resolves when the SDK has accepted all earlier messages, or they are answered with an error. */
  async #turn(): Promise<void> {
    await this.#withSdk();
    if (this.#sdk !== undefined) await this.#repeated.promise;
  }

  async #server(): Promise<Pick<ClientLink, "ask" | "checkedResult">> {
    const { server } = await (this.#sdk ?? this.#connect());
    await this.#repeated.promise;
    return await server;
  }

  /** If the SDK cannot be loaded, the waiting requests get an error. */
  async #withSdk(): Promise<void> {
    try {
      await (this.#sdk ?? this.#connect());
    } catch (thrown) {
      const error = { code: RequestErrorCode.InternalError, message: cannotAnswer(messageOf(thrown)) };
      for (const message of this.#waiting?.splice(0) ?? []) {
        if ("method" in message && "id" in message) {
          void this.#inner.send({ jsonrpc: "2.0", id: message.id, error }).catch((failed) => this.#tell(failed));
        }
      }
    }
  }

  /** After a failure the next request tries again. */
  #connect(): Promise<SdkConnection> {
    const connecting = this.#options.connect(this);
    this.#sdk = connecting;
    connecting.catch(() => this.#sdk = undefined);
    return connecting;
  }

  #tell(thrown: unknown): void {
    this.#options.service.log.debug("MCP connection", { error: messageOf(thrown) });
  }
}

function cannotAnswer(problem: string): string {
  return `Cannot answer: ${problem}. If the program was replaced since this server started, restart the server`;
}

function errorOf(thrown: unknown): { readonly code: number; readonly message: string; readonly data?: unknown } {
  const [code, data] = [member(thrown, "code"), member(thrown, "data")];
  return {
    code: typeof code === "number" && Number.isSafeInteger(code) ? code : RequestErrorCode.InternalError,
    message: messageOf(thrown),
    ...data !== undefined && { data },
  };
}
