/** What an audit log is told of calls of other servers' tools (S18). */
import type { Outcome } from "../../base/outcome.ts";

/** One call. */
export interface AuditedCall {
  readonly operation: { readonly id: string; readonly tool: string };
  /** The key of the server in its file. */
  readonly server: string;
  /** The tool as the server has it. */
  readonly called: string;
}

/** How a call ended; `failed`: with an error, of the server or of the connection. */
export type CallOutcome = "completed" | "failed" | "cancelled";

export interface CallAudit {
  /** Before the server gets the call; the problem is why it must not get it. */
  beginCall(call: AuditedCall): Promise<Outcome<void>>;
  endCall(call: AuditedCall, outcome: CallOutcome): Promise<void>;
}
