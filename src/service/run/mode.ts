import type { MetaArguments } from "../../command/prepared_command.ts";

/**
 * How long a call waits for its result before an operation id is the answer: to its end, `--inline-wait`, or not at all
 * (X1).
 */
export type Mode = "synchronous" | "undecided" | "asynchronous";

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
 * Rule X2, the first that applies: `--sync`, the call's `execution_mode`, the tool file; nothing said: undecided.
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
      if (choices.leafSynchronous === undefined) return "undecided";
      return choices.leafSynchronous ? "synchronous" : "asynchronous";
  }
}
