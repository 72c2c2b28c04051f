/**
 * The SDK's server, corrected where one class for all versions says more than a version knows: capabilities and
 * `tools/list` in the words of the negotiated version, and a task as the result of `tools/call`, which the SDK's own
 * check of results does not let through.
 */
import {
  type Implementation,
  type JSONRPCRequest,
  type Result,
  Server,
  type ServerContext,
  type ServerOptions,
} from "@modelcontextprotocol/server";

/** The one version whose core has tasks. */
const VERSION_OF_CORE_TASKS = "2025-11-25";
/** Capabilities by the version that brought them; what is not here was always there. */
const SINCE: Readonly<Record<string, string>> = { completions: "2025-03-26", tasks: VERSION_OF_CORE_TASKS };

type Handler = (request: JSONRPCRequest, context: ServerContext) => Promise<Result>;

/** Marks what a `tools/call` handler returns as the whole result, to be sent as it is. */
const RAW_RESULT = Symbol("raw result");

/** A result of `tools/call` for the handler to return that is not a `CallToolResult`. */
export function rawResult(result: Result): Result {
  return { [RAW_RESULT]: result, content: [] };
}

export class SessionServer extends Server {
  // No field of this class may be used before the constructor of `Server`, which registers handlers, has returned.
  constructor(info: Implementation, options: ServerOptions) {
    super(info, options);
  }

  /** Whether the negotiated version has the tasks of 2025-11-25. */
  get hasCoreTasks(): boolean {
    return this.getNegotiatedProtocolVersion() === VERSION_OF_CORE_TASKS;
  }

  protected override _wrapHandler(method: string, handler: Handler): Handler {
    if (method === "initialize") return initializing(super._wrapHandler(method, handler));
    if (method !== "tools/call") return super._wrapHandler(method, handler);
    return async (request, context) => {
      let raw: Result | undefined;
      const checked = super._wrapHandler(method, async (asked, itsContext) => {
        const result = await handler(asked, itsContext);
        // Symbols are set by `rawResult` alone.
        raw = (result as { [RAW_RESULT]?: Result })[RAW_RESULT];
        return raw === undefined ? result : { content: [] };
      });
      const result = await checked(request, context);
      return raw ?? result;
    };
  }
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
