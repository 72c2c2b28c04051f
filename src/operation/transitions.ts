import type { EndState, OperationEnd, OperationState, WorkEnd } from "./operation.ts";

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
  | { readonly kind: "work_ended"; readonly end: WorkEnd };

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

function operationEnd(work: WorkEnd, stop: StopCause | undefined): OperationEnd {
  const { denials, left } = work;
  const facts = {
    ...workFacts(work),
    ...denials !== undefined && { denials },
    ...left !== undefined && { left },
  };
  if (stop !== undefined) return { ...facts, ...endOf(stop) };
  return { ...facts, state: work.kind === "exited" && work.code === 0 ? "completed" : "failed" };
}

function workFacts(work: WorkEnd): Omit<OperationEnd, "state"> {
  switch (work.kind) {
    case "exited":
      return { exitCode: work.code };
    case "signalled":
      return { signal: work.signal };
    case "not_started":
      return { message: work.message, ...work.fault !== undefined && { fault: work.fault } };
  }
}
