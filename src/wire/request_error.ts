/** Errors that answer requests (JSON-RPC 2.0, section 5.1; MCP). */

export const RequestErrorCode = {
  MethodNotFound: -32601,
  InvalidParams: -32602,
  InternalError: -32603,
} as const;

/** Thrown while answering a request; the client gets its parts unchanged. */
export class RequestError extends Error {
  override readonly name: string = "RequestError";
  readonly code: number;
  /** Undefined: there is none. */
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/** There is no resource at this address. */
export class ResourceNotFound extends RequestError {
  constructor(uri: string, message: string) {
    super(RequestErrorCode.InvalidParams, message, { uri });
  }
}
