import type { Denial } from "./denial.ts";
import type { TreeUsage } from "./tree_usage.ts";

/** How a command ended, and what is known of the reasons. */
export type CommandEnd =
  & (
    | { readonly kind: "exited"; readonly code: number }
    /** `signal`: its name, e.g. `SIGKILL`. */
    | { readonly kind: "signalled"; readonly signal: string }
    /**
     * Nothing ran: the launcher or the program could not be started. `message` is for the agent. `fault`: this program
     * or the machine failed; absent: the command did.
     */
    | { readonly kind: "not_started"; readonly message: string; readonly fault?: "server" }
  )
  & {
    /** What the sandbox denied to a command that failed (S15); absent: nothing is known. */
    readonly denials?: readonly Denial[];
    /** Children that it left in the background and that were ended with it (X17); absent: none. */
    readonly left?: LeftRunning;
    /** Sentences of a result about its shell session, for example that it was restarted (B5); absent: there are none. */
    readonly notes?: readonly string[];
    /** What its whole process tree used; absent: it was not counted. */
    readonly usage?: TreeUsage;
  };

/** Command lines of background children, cleaned and shortened; `more`: how many are not named. */
export interface LeftRunning {
  readonly commands: readonly string[];
  readonly more: number;
}

/** The end as a sentence of an error message. Pure. */
export function describeEnd(end: CommandEnd): string {
  switch (end.kind) {
    case "exited":
      return `It ended with exit code ${end.code}.`;
    case "signalled":
      return `It was ended by ${end.signal}.`;
    case "not_started":
      return end.message;
  }
}
