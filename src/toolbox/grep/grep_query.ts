/** The query of a `files_grep` call, and the input and output of both search engines. Pure. */
import type { CallOf } from "../definition/groups.ts";
import type { FoundFile } from "./found_lines.ts";

export type OutputMode = "content" | "files_with_matches" | "count";

/** A search for either engine; it is sent to a helper unchanged. */
export interface GrepQuery {
  readonly pattern: string;
  /** Whether the pattern is text, not a regular expression. */
  readonly fixed: boolean;
  readonly word: boolean;
  readonly insensitive: boolean;
  /** Whether lines that do not match are wanted. */
  readonly invert: boolean;
  /** Whether a match may span lines, and `.` matches line endings. */
  readonly multiline: boolean;
  /** Lines around each match. */
  readonly before: number;
  readonly after: number;
  readonly globs: readonly string[];
  /** A file type such as `ts`; undefined: any. */
  readonly type: string | undefined;
  readonly respectIgnore: boolean;
}

/** Where to search: a directory, or one file of it. */
export interface SearchPlace {
  /** The directory as the call names it. */
  readonly directory: string;
  /** Name of the only searched file; undefined: all files below the directory. */
  readonly file: string | undefined;
}

export interface SearchRequest {
  readonly place: SearchPlace;
  readonly query: GrepQuery;
  /** At most this many matching lines of a file are kept. */
  readonly most: number;
}

/** How a search ended. */
export interface SearchEnd {
  /** Number of searched files and of those with a zero byte; undefined: they were not counted. */
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

/** The search of a call. */
export function queryOf(args: CallOf<"files_grep">): GrepQuery {
  const { mode } = viewOf(args);
  const around = (own = args.context_lines ?? 0) => mode === "content" ? own : 0;
  return {
    pattern: args.pattern,
    fixed: args.fixed_strings === true,
    word: args.word === true,
    insensitive: args.case_insensitive === true,
    invert: args.invert === true,
    multiline: args.multiline === true,
    before: around(args.before_context),
    after: around(args.after_context),
    globs: args.glob ?? [],
    type: args.type,
    respectIgnore: args.respect_git_ignore !== false,
  };
}

/** The view of a call. */
export function viewOf(args: Omit<CallOf<"files_grep">, "pattern">): GrepView {
  const { output_mode: mode = "content", offset = 0, limit = DEFAULT_LIMIT, line_numbers: numbers = true } = args;
  return { mode, offset, limit, numbers };
}
