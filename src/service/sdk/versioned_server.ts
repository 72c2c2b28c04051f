/**
 * The SDK's server, corrected where one class for all versions says more than a version knows: capabilities and
 * `tools/list` in the words of the negotiated version, and a task as the result of `tools/call`, which the SDK's own
 * check of results does not let through. Errors have the code that the negotiated version has for them, and the server
 * introduces itself once in each connection.
 */
import {
  type Implementation,
  type JSONRPCMessage,
  type JSONRPCRequest,
  ResourceNotFoundError,
  type Result,
  Server,
  SERVER_INFO_META_KEY,
  type ServerContext,
  type ServerOptions,
  type Transport,
} from "@modelcontextprotocol/server";
import { inWords } from "../../wire/schema_errors.ts";

/** The one version whose core has tasks. */
const VERSION_OF_CORE_TASKS = "2025-11-25";
/** Capabilities by the version that brought them; what is not here was always there. */
const SINCE: Readonly<Record<string, string>> = { completions: "2025-03-26", tasks: VERSION_OF_CORE_TASKS };

/** Up to 2025-11-25 a resource that is not there has a code of its own; the SDK sends -32602 to everyone. */
const RESOURCE_NOT_FOUND = -32002;
const VERSION_WITHOUT_IT = "2026-07-28";

type Handler = (request: JSONRPCRequest, context: ServerContext) => Promise<Result>;

/** Marks what a `tools/call` handler returns as the whole result, to be sent as it is. */
const RAW_RESULT = Symbol("raw result");

/** A result of `tools/call` for the handler to return that is not a `CallToolResult`. */
export function rawResult(result: Result): Result {
  return { [RAW_RESULT]: result, content: [] };
}

export class SessionServer extends Server {
  #introduced = false;
  /** The `data` of errors about missing resources that are on their way. */
  readonly #notFound = new WeakSet<object>();

  // No field of this class may be used before the constructor of `Server`, which registers handlers, has returned.
  constructor(info: Implementation, options: ServerOptions) {
    super(info, options);
  }

  /** Whether the negotiated version has the tasks of 2025-11-25. */
  get hasCoreTasks(): boolean {
    return this.getNegotiatedProtocolVersion() === VERSION_OF_CORE_TASKS;
  }

  override connect(transport: Transport): Promise<void> {
    const send = transport.send.bind(transport);
    transport.send = (message, options) => send(this.#introducedOnce(this.#withOldCode(message)), options);
    return super.connect(transport);
  }

  protected override _wrapHandler(method: string, handler: Handler): Handler {
    const wrapped = method === "initialize"
      ? initializing(super._wrapHandler(method, handler))
      : method === "tools/call"
      ? lettingRawThrough(handler, (checked) => super._wrapHandler(method, checked))
      : super._wrapHandler(method, handler);
    return async (request, context) => {
      try {
        return await wrapped(request, context);
      } catch (thrown) {
        if (thrown instanceof ResourceNotFoundError) this.#notFound.add(Object(thrown.data));
        throw inWords(thrown);
      }
    };
  }

  /** With the name of the server in the first result that has it: on a connection that lasts it says nothing new. */
  #introducedOnce(message: JSONRPCMessage): JSONRPCMessage {
    if (!("result" in message) || message.result._meta?.[SERVER_INFO_META_KEY] === undefined) return message;
    if (!this.#introduced) {
      this.#introduced = true;
      return message;
    }
    const { [SERVER_INFO_META_KEY]: _, ..._meta } = message.result._meta;
    const { _meta: __, ...result } = message.result;
    return { ...message, result: { ...result, ...Object.keys(_meta).length > 0 && { _meta } } };
  }

  #withOldCode(message: JSONRPCMessage): JSONRPCMessage {
    if (!("error" in message) || (this.getNegotiatedProtocolVersion() ?? "") >= VERSION_WITHOUT_IT) return message;
    const { data } = message.error;
    const notFound = typeof data === "object" && data !== null && this.#notFound.has(data);
    return notFound ? { ...message, error: { ...message.error, code: RESOURCE_NOT_FOUND } } : message;
  }
}

/** The SDK's checks around `handler`, but a raw result passes as it is. */
function lettingRawThrough(handler: Handler, check: (handler: Handler) => Handler): Handler {
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

/** Takes out of the answer what the version it settles on does not know. */
function initializing(handler: Handler): Handler {
  return async (request, context) => {
    const result = await handler(request, context);
    const version = String(result["protocolVersion"]);
    const capabilities = Object.entries(result["capabilities"] ?? {}).filter(([name]) =>
      (SINCE[name] ?? "") <= version
    );
    return { ...result, capabilities: Object.fromEntries(capabilities) };
  };
}
