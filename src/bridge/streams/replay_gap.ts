/** Messages for a client that reconnects and asks for dropped events (H7). */
import type { JSONRPCMessage } from "@modelcontextprotocol/server";
import type { Missing } from "./event_log.ts";
import { BAD_REQUEST, type Refusal, refuse } from "../http_error.ts";

const NOT_KEPT = "Some earlier messages of this stream are no longer kept: read again what you rely on";

/**
 * The first message of a resumed stream; undefined: the client takes no log messages. A dropped answer becomes an
 * error, so that the client does not wait for it.
 */
export function missingMessage(missing: Missing, takesWarnings: boolean): JSONRPCMessage | undefined {
  if (typeof missing === "object") {
    const message =
      "The answer to this request was sent and is no longer kept. The work was done: check before you repeat it";
    return { jsonrpc: "2.0", id: missing.answerTo, error: { code: BAD_REQUEST, message, data: ANSWER_LOST } };
  }
  if (!takesWarnings) return undefined;
  return {
    jsonrpc: "2.0",
    method: "notifications/message",
    params: { level: "warning", logger: "ahma", data: NOT_KEPT },
  };
}

/** The same as a comment, for a person who reads the stream. */
export const MISSING_COMMENT = NOT_KEPT;

const ANSWER_LOST = { reason: "answer_not_kept", retry: "unsafe" };

/** The refusal for a stream that ended too long ago to be known. */
export function forgottenStream(lastEventId: string): Refusal {
  return refuse(400, `Bad request: the stream of the event "${lastEventId}" ended long ago, and nothing of it is kept`);
}

/** The refusal for an event that was never sent. */
export function noSuchEvent(lastEventId: string): Refusal {
  return refuse(400, `Bad request: no event of this session has the id "${lastEventId.slice(0, 40)}"`);
}
