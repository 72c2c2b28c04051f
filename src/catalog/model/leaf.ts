/**
 * A leaf is one callable tool: a subcommand path of a tool file with everything it inherits already resolved.
 * The catalog makes leaves, `command` turns a call of one into argv, `service` lists and runs them.
 */

import type { Diagnostic } from "../format/diagnostic.ts";
import type { ToolDefinition } from "../format/mtdf.ts";
import type { ArgumentType } from "../format/mtdf_argument.ts";

/** One option or positional argument, checked and with defaults applied. */
export interface LeafArgument {
  /** As written in the tool file; may begin with `-`. */
  readonly name: string;
  readonly type: ArgumentType;
  /** Empty when the file gives none. */
  readonly description: string;
  readonly required: boolean;
  readonly default?: unknown;
  /** Absent: any value of the type. */
  readonly enum?: readonly (string | number)[];
  readonly minimum?: number;
  readonly maximum?: number;
  /** A regular expression (ECMAScript, `u` flag) the whole or part of a string value must match. */
  readonly pattern?: string;
  /** `path`: the value (each element of an array) must lie inside the scope (T9). */
  readonly format?: "path";
  /** Type and format of an array's elements; absent: strings. */
  readonly items?: {
    readonly type: "string" | "integer" | "number";
    readonly format?: "path";
    readonly description?: string;
  };
  /** Without the dash: `m` gives `-m`. */
  readonly alias?: string;
  /** Flag and value are one word, `--name=value`; absent: two words. */
  readonly joined?: boolean;
  /** The value goes to a private file and `fileFlag path` to argv (T7). */
  readonly fileArg: boolean;
  /** Absent: the option's own flag. */
  readonly fileFlag?: string;
  /** The value is passed in this environment variable, not in argv. */
  readonly env?: string;
}

/** One step of a sequence (T14). */
export interface LeafStep {
  readonly tool: string;
  readonly subcommand: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly description: string;
  readonly skipIfFileExists?: string;
  readonly skipIfFileMissing?: string;
}

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
  /** `--` is put before positionals, so values that begin with `-` are safe; else such values are refused (T7). */
  readonly endOfOptions: boolean;
  /** The leaf accepts `stdin` text (X15). */
  readonly allowStdin: boolean;
  /** Undefined: not said anywhere in the file; rule X2 goes on to its next line. */
  readonly synchronous: boolean | undefined;
  /** Undefined: `--timeout`. */
  readonly timeoutSeconds: number | undefined;
  /** Empty: an ordinary command. */
  readonly sequence: readonly LeafStep[];
  /** Between steps, milliseconds. */
  readonly stepDelayMs: number;
  /** One run at a time per tool and working directory (X13); absent: any number. */
  readonly exclusive?: boolean;
  /** Repeating what failed for a passing reason (X16); absent: never. */
  readonly retry?: LeafRetry;
  /** How to find out whether it can run (T11). */
  readonly probe?: Probe;
  /** Shown with the reason when it cannot run; absent: nothing is known. */
  readonly installInstructions?: string;
}

/** When and how often a command is run again (X16). */
export interface LeafRetry {
  /** How many more times, 1 to 10. */
  readonly max: number;
  /** Before the first retry, milliseconds; doubled for each further one. */
  readonly backoffMs: number;
  /** Exit codes that are retried; absent: every one but 0. */
  readonly onExitCodes?: readonly number[];
}

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
  /** Everything found while loading, errors first; an error means the file was left out, or its last good version kept. */
  readonly diagnostics: readonly Diagnostic[];
  /** Tools that are not offered because their program is missing; absent: none, or not probed yet. */
  readonly unavailable?: readonly UnavailableTool[];
}
