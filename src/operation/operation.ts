import type { Denial } from "../base/denial.ts";

/** One run of a command (or of a sequence), from its first request to the day its result is pruned. */

export const OPERATION_STATES = ["queued", "running", "completed", "failed", "cancelled", "timed_out"] as const;
export type OperationState = typeof OPERATION_STATES[number];
export type EndState = Exclude<OperationState, "queued" | "running">;

/** How an operation ended. */
export interface OperationEnd {
  readonly state: EndState;
  /** Absent when no process exited by itself. */
  readonly exitCode?: number;
  /** The signal that ended the process, e.g. `SIGKILL`. */
  readonly signal?: string;
  /** Why, where an exit code does not say it: the cause of a cancel, of a failure to start. */
  readonly message?: string;
  /** It could not run, and not because of what was asked for: this program or the machine failed; absent: not so. */
  readonly fault?: "server";
  /** What its sandbox kept from a command that failed (S15); absent: nothing that is known. */
  readonly denials?: readonly Denial[];
  /** Children that it left in the background, and that were ended with it (X17); absent: none. */
  readonly left?: LeftRunning;
}

/** Background children by their words, cleaned and cut; `more`: how many are not named. */
export interface LeftRunning {
  readonly commands: readonly string[];
  readonly more: number;
}

/** What the work of an operation reports when it is over, whatever ended it. */
export type WorkEnd =
  & (
    | { readonly kind: "exited"; readonly code: number }
    | { readonly kind: "signalled"; readonly signal: string }
    /** `fault`: see `OperationEnd`. */
    | { readonly kind: "not_started"; readonly message: string; readonly fault?: "server" }
  )
  & Pick<OperationEnd, "denials" | "left">;

/** A file that programs outside the sandbox obey was made, changed or removed (S8). */
export interface ProtectedChange {
  /** Absolute. */
  readonly path: string;
  /**
   * `obeyed`: git's configuration names it by now. `separated`: it had a second name, and is a file of its own now;
   * `shared`: it still has one.
   */
  readonly change: "created" | "changed" | "removed" | "obeyed" | "separated" | "shared";
}

/** What the registry hands to the work. */
export interface WorkControl {
  /** The operation's id and the tool it is of. */
  readonly operation: { readonly id: string; readonly tool: string };
  /** Aborted by cancel, timeout and shutdown; the work then ends its processes and settles. */
  readonly signal: AbortSignal;
  /** Protected paths that changed while the work ran (S8): told with the result. */
  protectedChanged(changes: readonly ProtectedChange[]): void;
  /** Output in order; kept bounded by the operation. A promise: it is enough for now, go on when it settles. */
  write(chunk: Uint8Array): Promise<void> | undefined;
}

/** The registry runs this and knows nothing of processes. It must settle after `signal` aborts. */
export type Work = (control: WorkControl) => Promise<WorkEnd>;
