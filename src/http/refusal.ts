/** A refusal: why a request is not served. */
export interface Refusal {
  readonly status: number;
  /** JSON-RPC code of the body. */
  readonly code: number;
  /** Tells the client's developer what it sent and what is expected. */
  readonly message: string;
  /** The id of the JSON-RPC request; absent: none could be read. */
  readonly id?: string | number | null;
  readonly headers?: Readonly<Record<string, string>>;
  readonly data?: unknown;
}

/** Codes of the SDK's HTTP transport, which clients know. */
export const BAD_REQUEST = -32000;
export const SESSION_NOT_FOUND = -32001;

/** A refusal with the code that clients know. */
export function refuse(status: number, message: string, headers: Readonly<Record<string, string>> = {}): Refusal {
  return { status, code: BAD_REQUEST, message, headers };
}

/** The refusal as a response: a JSON-RPC error, as clients of the protocol expect one. */
export function refusalResponse({ status, code, message, id, headers, data }: Refusal): Response {
  const error = { code, message, ...data !== undefined && { data } };
  return Response.json({ jsonrpc: "2.0", id: id ?? null, error }, { status, headers: { ...headers } });
}
