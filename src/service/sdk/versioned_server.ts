/** The SDK's server with its corrections; each stands in a file of its own, its reason in docs/design.md ("SDK corrections"). */
import {
  type Implementation,
  type Result,
  Server,
  type ServerContext,
  type ServerOptions,
  type Transport,
} from "@modelcontextprotocol/server";
import type { ClientLink } from "./client_link.ts";
import { ANYTHING } from "./any_params.ts";
import type { Handler } from "./handler.ts";
import { VERSION_OF_CORE_TASKS, withKnownCapabilities } from "./known_capabilities.ts";
import { MissingResources } from "./missing_resources.ts";
import { passRawResults } from "./raw_result.ts";
import { asInvalidParams } from "./schema_errors.ts";
import { ServerIntroduction } from "./server_introduction.ts";
import { checkTexts } from "./text_values.ts";

export class VersionedServer extends Server implements ClientLink {
  readonly #introduction = new ServerIntroduction();
  readonly #missing = new MissingResources();

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
    transport.send = (message, options) => {
      const coded = this.#missing.withCode(message, this.getNegotiatedProtocolVersion());
      return send(this.#introduction.once(coded), options);
    };
    return super.connect(transport);
  }

  /** The result of a call as the SDK would send it. @throws {RequestError} When it is none. */
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
        this.#missing.note(thrown);
        throw asInvalidParams(thrown);
      }
    };
  }
}

/** The handler with the SDK's checks, which `check` puts around it, as its method needs them. */
function correctedHandler(method: string, handler: Handler, check: (handler: Handler) => Handler): Handler {
  if (method === "initialize") return withKnownCapabilities(check(handler));
  return method === "tools/call" ? passRawResults(handler, check) : check(handler);
}
