import type { Answer } from "../../child_server/pending_calls.ts";
import type { AskedClient } from "../../service/questions/question.ts";
import type { LinkRequest } from "../link/link.ts";
import type { Refused } from "./active_calls.ts";

/** A request that a server works on for a client. */
export interface ServerCall {
  readonly request: Omit<LinkRequest, "timeoutMs">;
  /** Undefined: no client can be asked. */
  readonly client: AskedClient | undefined;
  /** Why it is not sent, checked once the newest list of the server is known; undefined: it is sent. */
  readonly problem: () => string | undefined;
}

export interface CallAnswer {
  readonly answer: Answer;
  readonly refused: readonly Refused[];
}

/** Refused questions that the result of a call reports. */
const MOST_REFUSED = 20;

/** Adds what was refused, as long as there is room. */
export function note(refused: Refused[], one: Refused): void {
  if (refused.length < MOST_REFUSED) refused.push(one);
}
