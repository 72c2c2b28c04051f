/** The SDK's server with its corrections; the reason of each stands in docs/design.md ("SDK corrections"). */
import {
  type Implementation,
  type JSONRPCMessage,
  type JSONRPCRequest,
  type Result,
  Server,
  SERVER_INFO_META_KEY,
  type ServerContext,
  type ServerOptions,
  type Transport,
} from "@modelcontextprotocol/server";
import { ResourceNotFound } from "../../wire/request_error.ts";
import { type ClientLink, knownTo, VERSION_OF_CORE_TASKS } from "./client_link.ts";
import { ANYTHING, asInvalidParams, checkTexts } from "./wrong_parameters.ts";

const RESOURCE_NOT_FOUND = -32002;
const VERSION_WITHOUT_IT = "2026-07-28";

/** A request handler as the SDK wraps it. */
type Handler = (request: JSONRPCRequest, context: ServerContext) => Promise<Result>;

export class VersionedServer extends Server implements ClientLink {
  /** A result has told the server's name. */
  #isIntroduced = false;
  /** The `data` of errors about missing resources that are on their way. */
  readonly #missing = new WeakSet<object>();

  // The constructor of `Server` registers handlers: until it has returned, this class has no private members.
  constructor(info: Implementation, options: ServerOptions) {
    super(info, options);
  }

  /** Whether the negotiated version has the tasks of 2025-11-25. */
  get hasCoreTasks(): boolean {
    return this.getNegotiatedProtocolVersion() === VERSION_OF_CORE_TASKS;
  }

  ask(...[request, options]: Parameters<ClientLink["ask"]>): Promise<unknown> {
    return this.request(request, ANYTHING, options);
  }

  override connect(transport: Transport): Promise<void> {
    const send = transport.send.bind(transport);
    transport.send = (message, options) => send(this.#introducedOnce(this.#withCode(message)), options);
    return super.connect(transport);
  }

  /** The result of a call as the SDK would send it. @throws {RequestError} When it is not a result. */
  checkedResult(result: Result): Promise<Result> {
    const handler = this._wrapHandler("tools/call", () => Promise.resolve(result));
    const request = { jsonrpc: "2.0", id: 0, method: "tools/call", params: { name: "any" } } as const;
    // The SDK asks it for this alone.
    return handler(request, { mcpReq: { requestState: () => undefined } } as unknown as ServerContext);
  }

  protected override _wrapHandler(method: string, handler: Handler): Handler {
    const wrapped = correctedHandler(method, handler, (one) => super._wrapHandler(method, one));
    return async (request, context) => {
      try {
        checkTexts(method, request.params);
        return await wrapped(request, context);
      } catch (thrown) {
        if (thrown instanceof ResourceNotFound) this.#missing.add(Object(thrown.data));
        throw asInvalidParams(thrown);
      }
    };
  }

  /** An error about a missing resource with the code that the version has for it; any other message unchanged. */
  #withCode(message: JSONRPCMessage): JSONRPCMessage {
    if (!("error" in message) || (this.getNegotiatedProtocolVersion() ?? "") >= VERSION_WITHOUT_IT) return message;
    const isMissing = this.#missing.has(Object(message.error.data));
    return isMissing ? { ...message, error: { ...message.error, code: RESOURCE_NOT_FOUND } } : message;
  }

  /** The message with the server's name in the first result that has it, and in no later one. */
  #introducedOnce(message: JSONRPCMessage): JSONRPCMessage {
    if (!("result" in message) || message.result._meta?.[SERVER_INFO_META_KEY] === undefined) return message;
    if (!this.#isIntroduced) {
      this.#isIntroduced = true;
      return message;
    }
    const { [SERVER_INFO_META_KEY]: _, ..._meta } = message.result._meta;
    const { _meta: __, ...result } = message.result;
    return { ...message, result: { ...result, ...Object.keys(_meta).length > 0 && { _meta } } };
  }
}

/** Marks the value of a handler as the whole result, to be sent unchanged. */
const RAW_RESULT = Symbol("raw result");

/** A result of `tools/call` for the handler to return that is not a `CallToolResult`: a task. */
export function rawResult(result: Result): Result {
  return { [RAW_RESULT]: result, content: [] };
}

/** Whether a handler's result is such a result. */
export function isRaw(result: Result): boolean {
  return RAW_RESULT in result;
}

/** The handler with the SDK's checks, which `check` puts around it, as its method needs them. */
function correctedHandler(method: string, handler: Handler, check: (handler: Handler) => Handler): Handler {
  if (method === "initialize") return withKnownCapabilities(check(handler));
  return method === "tools/call" ? passRawResults(handler, check) : check(handler);
}

/** `initialize` without the capabilities that the version it settles on does not know. */
function withKnownCapabilities(initialize: Handler): Handler {
  return async (request, context) => {
    const result = await initialize(request, context);
    return { ...result, capabilities: knownTo(String(result["protocolVersion"]), result["capabilities"] ?? {}) };
  };
}

/** The SDK's checks around `handler`, but a raw result passes unchanged. */
function passRawResults(handler: Handler, check: (handler: Handler) => Handler): Handler {
  return async (request, context) => {
    let raw: Result | undefined;
    const checked = check(async (asked, itsContext) => {
      const result = await handler(asked, itsContext);
      // Symbols are set by `rawResult` alone.
      raw = (result as { [RAW_RESULT]?: Result })[RAW_RESULT];
      return raw === undefined ? result : { content: [] };
    });
    const result = await checked(request, context);
    return raw ?? result;
  };
}
