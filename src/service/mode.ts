import type { MetaArguments } from "../command/prepared_command.ts";

/** Whether a call's answer is its result, or an operation id while the work goes on. */
export type Mode = "synchronous" | "asynchronous";

/** What the rule looks at, in its order. */
export interface ModeChoices {
  /** `--sync`. */
  readonly forced: boolean;
  /** Of the call. */
  readonly executionMode: MetaArguments["executionMode"];
  /** What leaf, parents and tool say, already settled by the catalog; undefined: nothing. */
  readonly leafSynchronous: boolean | undefined;
}

/**
 * Rule X2, the first that applies: `--sync`, the call's `execution_mode`, the tool file, asynchronous.
 * @example chooseMode({ forced: false, executionMode: undefined, leafSynchronous: true }) // "synchronous"
 */
export function chooseMode(choices: ModeChoices): Mode {
  if (choices.forced) return "synchronous";
  switch (choices.executionMode) {
    case "Synchronous":
      return "synchronous";
    case "AsyncResultPush":
      return "asynchronous";
    case undefined:
      return choices.leafSynchronous === true ? "synchronous" : "asynchronous";
  }
}
