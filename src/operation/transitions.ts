import type { LogFields } from "../base/log.ts";
import type { CommandEnd } from "../base/command/command_end.ts";
import type { EndState, OperationEnd, OperationState } from "./operation.ts";

/** Why an operation is being ended before its work ended by itself. */
export interface StopCause {
  readonly state: Extract<EndState, "cancelled" | "timed_out">;
  /** For the agent: who or what ended it. */
  readonly message: string;
  /** Milliseconds from SIGTERM to SIGKILL; absent: as usual (X9). */
  readonly killAfterMs?: number;
}

/** Where an operation stands. */
export interface OperationStatus {
  readonly state: OperationState;
  /** Set from the moment an end was asked for; the processes may still be going. The first cause stays. */
  readonly stop?: StopCause;
  /** Set exactly when `state` is an end state. */
  readonly end?: OperationEnd;
}

/** What can happen to an operation. */
export type OperationEvent =
  | { readonly kind: "started" }
  | { readonly kind: "stop_requested"; readonly cause: StopCause }
  | { readonly kind: "work_ended"; readonly end: CommandEnd };

/** Where every operation begins. */
export const INITIAL_STATUS: OperationStatus = { state: "queued" };

/** Whether nothing can happen any more. */
export function isEnded(state: OperationState): state is EndState {
  return state !== "queued" && state !== "running";
}

/**
 * The status after `event`: the same object when the event changes nothing, as a cancel of something that ended.
 * The first cause wins: an exit that comes after a cancel or a timeout is the end of that cancel or timeout.
 */
export function nextStatus(status: OperationStatus, event: OperationEvent): OperationStatus {
  if (isEnded(status.state)) return status;
  switch (event.kind) {
    case "started":
      return status.state === "queued" ? { state: "running" } : status;
    case "stop_requested":
      if (status.state === "queued") return { state: event.cause.state, stop: event.cause, end: endOf(event.cause) };
      return status.stop === undefined ? { ...status, stop: event.cause } : status;
    case "work_ended": {
      const end = operationEnd(event.end, status.stop);
      return { ...status, state: end.state, end };
    }
  }
}

function endOf({ state, message }: StopCause): OperationEnd {
  return { state, message };
}

function operationEnd(command: CommandEnd, stop: StopCause | undefined): OperationEnd {
  if (stop !== undefined) return { ...endOf(stop), command };
  if (command.kind === "not_started") return { state: "failed", message: command.message, command };
  return { state: command.kind === "exited" && command.code === 0 ? "completed" : "failed", command };
}

/** The facts of an end for the log; undefined: none. */
export function logFields(end: OperationEnd | undefined): LogFields {
  const { message, command } = end ?? {};
  const { denials, left } = command ?? {};
  return {
    ...message !== undefined && { message },
    ...command?.kind === "exited" && { exitCode: command.code },
    ...command?.kind === "signalled" && { signal: command.signal },
    ...command?.kind === "not_started" && command.fault !== undefined && { fault: command.fault },
    ...denials !== undefined && { denials },
    ...left !== undefined && { left },
  };
}
