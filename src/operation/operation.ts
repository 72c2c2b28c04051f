/** An operation: one run of a command or a sequence, from its request until its result is pruned. */
import type { CommandEnd } from "../base/command/command_end.ts";
import type { Person } from "../base/command/person.ts";
import type { RunningCommand } from "../base/command/running_command.ts";
import type { ProtectedChange } from "../base/command/protected_change.ts";
import type { LogFields } from "../base/log.ts";
import type { NetworkReach } from "../base/network/network_bound.ts";
import type { NetworkUse } from "../base/command/network_use.ts";

export type EndState = "completed" | "failed" | "cancelled" | "timed_out";
export type OperationState = "queued" | "running" | EndState;

export interface OperationEnd {
  readonly state: EndState;
  /** The cause of a cancel or timeout, or why nothing ran; absent: `command` is enough. */
  readonly message?: string;
  /** How its command ended, for any reason; absent: it never left the queue. */
  readonly command?: CommandEnd;
}

/** What the registry passes to the work. */
export interface WorkControl {
  /** The operation's id and its tool. */
  readonly operation: { readonly id: string; readonly tool: string };
  /** Aborted by cancel, timeout and shutdown; the work then ends its processes and settles. */
  readonly signal: AbortSignal;
  /** The hosts to which its commands are limited (S43); absent: the limit of all commands. */
  readonly network?: NetworkReach;
  /** Its commands change nothing, and their results say what they would have changed (S40); absent or false: they change it. */
  readonly preview?: boolean | undefined;
  /** The person to ask for what its commands are denied (S35); absent: its call has no client. */
  readonly person?: Person | undefined;
  /** Protected paths that changed while the work ran (S8), reported with the result. */
  protectedChanged(changes: readonly ProtectedChange[]): void;
  /** A connection of its commands ended or was refused, where they reach hosts by name. */
  connected(use: NetworkUse): void;
  /** The command that the work runs now; the one before, if any, has ended. */
  running(command: RunningCommand): void;
  /** Takes the finished result of another server, which is passed on unchanged; its text is the output. */
  answer(result: Readonly<Record<string, unknown>>): void;
  /** Output in order, limited by the operation. A promise: wait until it settles before writing more. */
  write(chunk: Uint8Array): Promise<void> | undefined;
  /** Adds one of our own lines to the output, without its newline; watches ignore it. */
  say(line: string): void;
}

/** The work of an operation; the registry does not know about processes. It must settle after `signal` aborts. */
export type Work = (control: WorkControl) => Promise<CommandEnd>;

/** Why an operation is being ended before its work ended by itself. */
export interface StopCause {
  readonly state: Extract<EndState, "cancelled" | "timed_out">;
  /** For the agent: who or what ended it. */
  readonly message: string;
  /** Milliseconds from SIGTERM to SIGKILL; absent: as usual (X9). */
  readonly killAfterMs?: number;
}

export interface OperationStatus {
  readonly state: OperationState;
  /** Set as soon as an end is requested, while processes may still run. The first cause stays. */
  readonly stop?: StopCause;
  /** Set exactly when `state` is an end state. */
  readonly end?: OperationEnd;
}

export type OperationEvent =
  | { readonly kind: "started" }
  | { readonly kind: "stop_requested"; readonly cause: StopCause }
  | { readonly kind: "work_ended"; readonly end: CommandEnd };

/** The initial status of every operation. */
export const INITIAL_STATUS: OperationStatus = { state: "queued" };

/** Whether it is an end state. */
export function isEnded(state: OperationState): state is EndState {
  return state !== "queued" && state !== "running";
}

/** The status after `event`, or the same object. The first cause wins: an exit after a cancel ends the cancel. */
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
