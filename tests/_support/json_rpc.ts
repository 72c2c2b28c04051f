/** One JSON-RPC message as received; it is checked only to be an object. */
export interface RpcMessage {
  readonly jsonrpc?: unknown;
  readonly id?: string | number | null;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** The facts of a tool result in `_meta["ahma/operation"]` (X1, X4). */
export interface OperationFacts {
  /** Absent if the result has all of the output. */
  readonly operation_id?: string;
  readonly status?: string;
  /** Why it was ended, or nothing ran. */
  readonly message?: string;
  readonly tool?: string;
  readonly exit_code?: number;
  readonly signal?: string;
  readonly processor_ms?: number;
  readonly memory_peak_bytes?: number;
  readonly out_of_memory?: true;
}

/** A `tools/call` result, taken apart. */
export interface ToolAnswer {
  /** All text blocks, joined by line breaks. */
  readonly text: string;
  readonly isError: boolean;
  /** The call did not complete, or its command did not end with exit code 0. */
  readonly failed: boolean;
  /** `text` without the closing line that a success gets after a second, because the machine may be busy. */
  readonly output: string;
  /** Undefined if the call started no operation. */
  readonly operation: OperationFacts | undefined;
  /** The result as received. */
  readonly result: Readonly<Record<string, unknown>>;
}

/** Takes a `tools/call` response apart. @throws Error on a protocol error. */
export function toolAnswer(response: RpcMessage): ToolAnswer {
  const { result, error } = response;
  if (result === undefined) throw new Error(`The call was refused: ${JSON.stringify(error)}`);
  const content = Array.isArray(result.content) ? result.content : [];
  const text = content.map((block: { readonly text?: string }) => block.text ?? "").join("\n");
  const meta = result._meta as Readonly<Record<string, unknown>> | undefined;
  // The server's own format, which the tests then compare field by field.
  const operation = meta?.["ahma/operation"] as OperationFacts | undefined;
  const isError = result.isError === true;
  const failed = isError || (operation?.exit_code ?? 0) !== 0 || operation?.signal !== undefined;
  const output = text.replace(/\n?\[exit code 0, [^\n]*\]$/, (line) => line.startsWith("\n") ? "\n" : "");
  return { text, output, isError, failed, operation, result };
}

/** The `_meta` every request of 2026-07-28 carries. */
export const MODERN_META: Readonly<Record<string, unknown>> = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "wire", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": {},
};
