/** What a client is told that comes back for more than is kept (H7). */
import type { JSONRPCMessage } from "@modelcontextprotocol/server";
import type { Missing } from "./event_log.ts";
import { BAD_REQUEST, type Refusal } from "../http_error.ts";

const NOT_KEPT = "Some of what was sent on this stream before is no longer kept: read anew what you rely on";

/**
 * The message that a resumed stream begins with; undefined: the client's server keeps no log for it. An answer that is
 * gone is an error, so that nobody waits for it in vain.
 */
export function missingMessage(missing: Missing, takesWarnings: boolean): JSONRPCMessage | undefined {
  if (typeof missing === "object") {
    const message = "The answer to this request was sent and is no longer kept. It was done: look before you repeat it";
    return { jsonrpc: "2.0", id: missing.answerTo, error: { code: BAD_REQUEST, message, data: ANSWER_LOST } };
  }
  if (!takesWarnings) return undefined;
  return {
    jsonrpc: "2.0",
    method: "notifications/message",
    params: { level: "warning", logger: "ahma", data: NOT_KEPT },
  };
}

/** The same for people who watch the wire. */
export const MISSING_COMMENT = NOT_KEPT;

const ANSWER_LOST = { reason: "answer_not_kept", retry: "unsafe" };

/** For who comes back to a stream that ended so long ago that nothing of it is known. */
export function forgottenStream(lastEventId: string): Refusal {
  const message = `Bad request: the stream of the event "${lastEventId}" ended long ago, and nothing of it is kept`;
  return { status: 400, code: BAD_REQUEST, message };
}

/** For who names an event that never was. */
export function noSuchEvent(lastEventId: string): Refusal {
  const message = `Bad request: no event of this session has the id "${lastEventId.slice(0, 40)}"`;
  return { status: 400, code: BAD_REQUEST, message };
}
