/** Audit log entries of calls that start no command: tools of other servers, and native tools (S18). */
import type { Outcome } from "../../base/outcome.ts";

export interface AuditedCall {
  readonly operation: { readonly id: string; readonly tool: string };
  /** The key of the server in its file; absent: the tool is native. */
  readonly server?: string;
  /** The tool as the server has it; absent: the tool is native. */
  readonly called?: string;
  /** The file that a native tool was given; absent: none. */
  readonly path?: string;
}

/** How a call ended; `failed`: with an error of the server or the connection. */
export type CallOutcome = "completed" | "failed" | "cancelled";

export interface CallAudit {
  /** Records the start of a call; the problem says why the call must not be made. */
  beginCall(call: AuditedCall): Promise<Outcome<void>>;
  endCall(call: AuditedCall, outcome: CallOutcome): Promise<void>;
}

/** Records what a call changes in the project (S39). */
export interface CallRecord {
  /** Works, and notes what changed meanwhile as of the operation `id`; sentences for the result. */
  around<Result>(
    call: { readonly id: string; readonly title: string },
    work: () => Promise<Result>,
  ): Promise<{ readonly result: Result; readonly notes: readonly string[] }>;
}
