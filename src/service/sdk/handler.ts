import type { JSONRPCRequest, Result, ServerContext } from "@modelcontextprotocol/server";

/** A request handler as the SDK wraps it. */
export type Handler = (request: JSONRPCRequest, context: ServerContext) => Promise<Result>;
