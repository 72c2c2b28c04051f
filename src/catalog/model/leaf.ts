/** A leaf is one callable tool: a subcommand path of a tool file with all that it inherits. */

import type { Diagnostic } from "../../base/diagnostic.ts";
import type { NetworkReach } from "../../base/network/network_bound.ts";
import type { ToolDefinition } from "../format/mtdf.ts";
import type { ArgumentDefinition, ArgumentType } from "../format/mtdf_argument.ts";
import type { RetryDefinition, StepDefinition } from "../format/mtdf_parts.ts";

/** One option or positional argument, checked and with defaults applied; everything else is as in the file (T2). */
export interface LeafArgument extends Omit<ArgumentDefinition, "type" | "description" | "required"> {
  readonly type: ArgumentType;
  /** Empty when the file gives none. */
  readonly description: string;
  readonly required: boolean;
}

/** One step of a sequence, with defaults applied (T14). */
export type LeafStep = Omit<StepDefinition, "subcommand" | "args" | "description"> & {
  readonly subcommand: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly description: string;
};

export interface Leaf {
  /** The MCP tool name (T5). */
  readonly name: string;
  /** The tool file's `name`. */
  readonly tool: string;
  /** Subcommand names from the tool down, without a final `default`; empty for the tool itself. */
  readonly path: readonly string[];
  /** For people and models, its hint included. */
  readonly description: string;
  /** First words of argv: the words of `command`, then of `argv` or the subcommand path. Empty for a sequence. */
  readonly argv: readonly string[];
  readonly options: readonly LeafArgument[];
  readonly positionals: readonly LeafArgument[];
  readonly positionalsFirst: boolean;
  /** Raw extra argv is accepted in `args` (T6). */
  readonly allowArgs: boolean;
  /** `--` is put before positionals, so values that begin with `-` are safe; otherwise such values are refused (T7). */
  readonly endOfOptions: boolean;
  /** The leaf accepts `stdin` text (X15). */
  readonly allowStdin: boolean;
  /** Undefined: the file does not say; rule X2 continues with its next line. */
  readonly synchronous: boolean | undefined;
  /** Undefined: `--timeout`. */
  readonly timeoutSeconds: number | undefined;
  /** Empty: an ordinary command. */
  readonly sequence: readonly LeafStep[];
  /** Between steps, milliseconds. */
  readonly stepDelayMs: number;
  /** One run at a time per tool and working directory (X13); absent: any number. */
  readonly exclusive?: boolean;
  /** Repeating what failed for a temporary reason (X16); absent: never. */
  readonly retry?: LeafRetry;
  /** What its calls wait for while it runs (X20); absent: its end. */
  readonly answersAt?: Pick<ToolDefinition, "until" | "until_port" | "until_quiet">;
  /** Lines that are reported as they are written (X21); absent: none. */
  readonly watch?: readonly string[];
  /** How its input stays open while it runs (X22); absent: it does not. */
  readonly input?: "pipe" | "terminal";
  /** It is idempotent (S35); absent: that is not known. */
  readonly idempotent?: true;
  /** The most that its commands may connect to (S43); absent: whatever the server allows. */
  readonly network?: NetworkReach;
  /** How to find out whether it can run (T11). */
  readonly probe?: Probe;
  /** Shown with the reason when it cannot run; absent: nothing is known. */
  readonly installInstructions?: string;
}

/** When and how often a command is run again (X16). */
export type LeafRetry = RetryDefinition & {
  /** Before the first retry, milliseconds; doubled for each further one. */
  readonly backoff_ms: number;
};

/** A test for the presence of a program (T11). */
export type Probe =
  /** Is this program on the PATH of commands? */
  | { readonly kind: "program"; readonly program: string }
  /** Does this command end with one of these exit codes? Run inside the sandbox. */
  | {
    readonly kind: "command";
    readonly argv: readonly string[];
    /** Relative to the scope; absent: the scope itself. */
    readonly directory?: string;
    readonly successExitCodes: readonly number[];
  };

/** A tool or leaf that is not offered because its program is missing (T11). */
export interface UnavailableTool {
  /** MCP tool names, in list order. */
  readonly names: readonly string[];
  /** Why, as a sentence without a full stop. */
  readonly reason: string;
  /** Empty: nothing is known. */
  readonly installInstructions: string;
}

/** An accepted tool file that is not switched off. */
export interface CatalogTool {
  readonly name: string;
  /** As written in the file. */
  readonly command: string;
  readonly file: string;
  readonly definition: ToolDefinition;
}

/** An immutable set of tools: replaced whole on reload. */
export interface Catalog {
  /** In file name order; a later file of the same tool name was refused. */
  readonly tools: readonly CatalogTool[];
  /** In `tools/list` order. */
  readonly leaves: readonly Leaf[];
  /** By MCP tool name. */
  readonly byName: ReadonlyMap<string, Leaf>;
  /** By tool, then by the words below it joined with "_"; the first of two stays. */
  readonly byTool: ReadonlyMap<string, ReadonlyMap<string, Leaf>>;
  /** Names of tools by the name of their program; the first of two stays. */
  readonly byProgram: ReadonlyMap<string, string>;
  /** By flat name with the program's name in place of the tool's; the first of two stays. */
  readonly byProgramName: ReadonlyMap<string, Leaf>;
  /** Leaves with an argument of their own that is called "subcommand". */
  readonly withSubcommand: ReadonlySet<Leaf>;
  /** All found while loading, errors first: then a file was left out, or its last good version kept. */
  readonly diagnostics: readonly Diagnostic[];
  /** Tools that are not offered because their program is missing; absent: none, or not probed yet. */
  readonly unavailable?: readonly UnavailableTool[];
}
