import type { Awaited } from "../../operation/output_wait.ts";
import type { LinePattern } from "../../operation/watch/line_pattern.ts";
import type { MetaArguments } from "../../command/prepared_command.ts";
import type { CallContext, Service } from "../service.ts";

/** How long a call waits before it answers with an operation id (X1): to the end, `--inline-wait`, or not at all. */
export type Mode = "synchronous" | "undecided" | "asynchronous";

/** Inputs of the rule, in its order. */
export interface ModeChoices {
  /** `--sync`. */
  readonly forced: boolean;
  /** `execution_mode` of the call. */
  readonly executionMode: MetaArguments["executionMode"];
  /** `synchronous` of the tool file, inherited from parents; undefined: not set. */
  readonly leafSynchronous: boolean | undefined;
}

/**
 * Rule X2, the first that applies: `--sync`, the call's `execution_mode`, the tool file; nothing said: undecided.
 * @example chooseMode({ forced: false, executionMode: undefined, leafSynchronous: true }) // "synchronous"
 */
export function chooseMode(choices: ModeChoices): Mode {
  if (choices.forced) return "synchronous";
  if (choices.executionMode !== undefined) {
    return choices.executionMode === "Synchronous" ? "synchronous" : "asynchronous";
  }
  if (choices.leafSynchronous === undefined) return "undecided";
  return choices.leafSynchronous ? "synchronous" : "asynchronous";
}

/** Maximum wait of a call without a progress token, because many clients give up after 60 s. */
const LONGEST_WAIT_MS = 50_000;

/** How long a call of this mode waits for its result, milliseconds. */
export function longestWait({ settings }: Pick<Service, "settings">, mode: Mode, context: CallContext): number {
  if (context.task?.required === true || mode === "asynchronous") return 0;
  if (mode === "undecided") return settings.inlineWaitMs;
  return patienceMs(context);
}

/** Maximum wait for a text that may never come. The most impatient client ends a call after five minutes. */
const LONGEST_CONDITION_MS = 120_000;

/** How long a call that starts a command waits for a line, a port or silence, milliseconds. */
export function longestConditionWait(context: Pick<CallContext, "sendProgress" | "unhurried">): number {
  return context.unhurried === true ? Infinity : Math.min(patienceMs(context), LONGEST_CONDITION_MS);
}

/** The time limit of a command, seconds: the one given for it, else that of the server; undefined: none (X9). */
export function timeLimit(
  { timeoutSeconds, longTimeoutSeconds }: Service["settings"],
  given: number | undefined,
  { awaited, watch }: { readonly awaited: Awaited | undefined; readonly watch: LinePattern | undefined },
): number | undefined {
  return given ?? (awaited === undefined && watch === undefined ? timeoutSeconds : longTimeoutSeconds);
}

/** How long the client of a call waits for its answer, milliseconds. */
export function patienceMs({ sendProgress, unhurried }: Pick<CallContext, "sendProgress" | "unhurried">): number {
  return sendProgress === undefined && unhurried !== true ? LONGEST_WAIT_MS : Infinity;
}
