/** What a search is given and gives, whichever engine does it. */
import type { FoundFile } from "./found_lines.ts";
import type { GrepQuery } from "./grep_query.ts";

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
