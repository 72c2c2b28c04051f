/** A task as the result of `tools/call` (docs/design.md, "SDK corrections": results of `tools/call`). */
import type { Result } from "@modelcontextprotocol/server";
import type { Handler } from "./handler.ts";

/** Marks what a handler returns as the whole result, to be sent as it is. */
const RAW_RESULT = Symbol("raw result");

/** A result of `tools/call` for the handler to return that is not a `CallToolResult`. */
export function rawResult(result: Result): Result {
  return { [RAW_RESULT]: result, content: [] };
}

/** The SDK's checks around `handler`, but a raw result passes as it is. */
export function passRawResults(handler: Handler, check: (handler: Handler) => Handler): Handler {
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
