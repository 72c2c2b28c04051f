/** What the help, the parser and the completions need to know of a subcommand. */
import type { FlagName } from "./flags.ts";

/** What words without dashes mean after a subcommand. */
export type Operands =
  | "none"
  /** Files and directories. */
  | "paths"
  /** After `--`: the command line of another program. */
  | "command"
  /** A tool's name; all that follows belongs to the tool. */
  | "tool"
  | "shell"
  /** An operation of a running server, or the name of a shell. */
  | "operation"
  /** Operations of running servers. */
  | "operations"
  /** An operation that is kept, and paths. */
  | "changed"
  /** What to do with logins, and a server. */
  | "login"
  /** What to do with servers, names of servers, and names of tools. */
  | "servers"
  /** What to do with grants, and ids. */
  | "grants"
  /** What to do with prompts, the name of one, and its arguments. */
  | "prompts"
  /** What to do with rules; all that follows is files and options of the tool. */
  | "rules"
  | "subcommand";

/** One subcommand of the program (requirement L1). */
export interface SubcommandFacts {
  readonly summary: string;
  /** What follows the subcommand's name in the line of usage. */
  readonly usage: string;
  readonly operands: Operands;
  /** Flags of this subcommand only. */
  readonly flags: readonly FlagName[];
  /** Whether the flags of the server hold here too. */
  readonly serverFlags: boolean;
  /** Paragraphs of the help; empty: the summary says it all. */
  readonly details: readonly string[];
  /** Command lines worth copying, each with what it is for. */
  readonly examples: readonly (readonly [command: string, purpose: string])[];
}

/** A row of the table; absent fields are empty or false. */
export type Row = Partial<SubcommandFacts> & Pick<SubcommandFacts, "summary" | "examples">;
