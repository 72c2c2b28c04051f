/** What a call of `files_grep` asks for, and what a search is given and gives, whichever engine does it. Pure. */
import type { ToolArguments } from "../frame/messages.ts";
import type { FoundFile } from "./found_lines.ts";

export type OutputMode = "content" | "files_with_matches" | "count";

/** A search that both engines understand; it is sent to a helper unchanged. */
export interface GrepQuery {
  readonly pattern: string;
  /** The pattern is text, not a regular expression. */
  readonly fixed: boolean;
  readonly word: boolean;
  readonly insensitive: boolean;
  /** Lines that do not match are wanted. */
  readonly invert: boolean;
  /** A match may reach over lines, and `.` fits their ends. */
  readonly multiline: boolean;
  /** Lines around each match. */
  readonly before: number;
  readonly after: number;
  readonly globs: readonly string[];
  /** A kind of file by its name, as `ts`; undefined: any. */
  readonly type: string | undefined;
  readonly respectIgnore: boolean;
}

/** Where to search: a directory, or one file of it. */
export interface SearchPlace {
  /** As a call names the directory. */
  readonly directory: string;
  /** Name of the only file that is searched; undefined: all below the directory. */
  readonly file: string | undefined;
}

export interface SearchRequest {
  readonly place: SearchPlace;
  readonly query: GrepQuery;
  /** Matching lines of a file that are kept. */
  readonly most: number;
}

/** How a search ended. */
export interface SearchEnd {
  /** Files that were searched, and those of them that hold a zero byte; undefined: they were not counted. */
  readonly counted: { readonly searched: number; readonly binary: number } | undefined;
  /** What could not be read; empty: nothing. */
  readonly warnings: readonly string[];
}

export type OnFile = (file: FoundFile) => void;

/** Which part of the answer is shown, and how. */
export interface GrepView {
  readonly mode: OutputMode;
  readonly offset: number;
  readonly limit: number;
  readonly numbers: boolean;
}

const DEFAULT_LIMIT = 100;

/** The search of checked arguments. */
export function queryOf(args: ToolArguments): GrepQuery {
  const flag = (name: string) => args[name] === true;
  const view = viewOf(args);
  const around = (name: string) => view.mode === "content" ? Number(args[name] ?? args["context_lines"] ?? 0) : 0;
  return {
    pattern: String(args["pattern"]),
    fixed: flag("fixed_strings"),
    word: flag("word"),
    insensitive: flag("case_insensitive"),
    invert: flag("invert"),
    multiline: flag("multiline"),
    before: around("before_context"),
    after: around("after_context"),
    globs: args["glob"] as readonly string[] | undefined ?? [], // checked by the table of its parameters
    type: args["type"] === undefined ? undefined : String(args["type"]),
    respectIgnore: args["respect_git_ignore"] !== false,
  };
}

/** The view of checked arguments. */
export function viewOf(args: ToolArguments): GrepView {
  return {
    mode: (args["output_mode"] ?? "content") as OutputMode, // checked by the table of its parameters
    offset: Number(args["offset"] ?? 0),
    limit: Number(args["limit"] ?? DEFAULT_LIMIT),
    numbers: args["line_numbers"] !== false,
  };
}
