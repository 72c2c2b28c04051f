import type { CommandEnd } from "../base/command/command_end.ts";
import type { ProtectedChange } from "../base/command/protected_change.ts";

/** An operation: one run of a command or a sequence, from its request until its result is pruned. */

const OPERATION_STATES = ["queued", "running", "completed", "failed", "cancelled", "timed_out"] as const;
export type OperationState = typeof OPERATION_STATES[number];
export type EndState = Exclude<OperationState, "queued" | "running">;

/** How an operation ended. */
export interface OperationEnd {
  readonly state: EndState;
  /** The cause of a cancel or timeout, or why nothing ran; absent: `command` says it all. */
  readonly message?: string;
  /** How its command ended, for any reason; absent: it never left the queue. */
  readonly command?: CommandEnd;
}

/** What the registry passes to the work. */
export interface WorkControl {
  /** The operation's id and the tool it is of. */
  readonly operation: { readonly id: string; readonly tool: string };
  /** Aborted by cancel, timeout and shutdown; the work then ends its processes and settles. */
  readonly signal: AbortSignal;
  /** Protected paths that changed while the work ran (S8), reported with the result. */
  protectedChanged(changes: readonly ProtectedChange[]): void;
  /** Takes a finished result as another server gave it, which is handed on whole; the output is its text. */
  answer(result: Readonly<Record<string, unknown>>): void;
  /** Output in order, limited by the operation. A promise: wait until it settles before writing more. */
  write(chunk: Uint8Array): Promise<void> | undefined;
}

/** The registry runs this and knows nothing of processes. It must settle after `signal` aborts. */
export type Work = (control: WorkControl) => Promise<CommandEnd>;
